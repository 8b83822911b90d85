/* algorithm: the names of the gallery, and the option string that selects one. */
#ifndef TRAWL_GALLERY_ALGORITHM_H
#define TRAWL_GALLERY_ALGORITHM_H

#include "plan/plan.h"

enum gallery_algorithm {
    GALLERY_NONE,
#define ALGORITHM(enumerator, name, searches, engines, geometry, summary, source) \
    GALLERY_##enumerator,
#include "gallery/algorithms.def"
#undef ALGORITHM
    GALLERY_COUNT
};

/* What a plan asks for. */
struct gallery_choice {
    enum gallery_algorithm algorithm;
    uint32_t blocks; /* 0 in each: the default */
    uint32_t threads;
    uint32_t threshold;
    bool debug; /* device code that was not optimised */
};

/* That of a plan with an algorithm. */
struct gallery_choice gallery_choice_of(const struct trawl_plan *plan);

/* What plans ask about the gallery. Options: NAME[:GEOMETRY][,debug]. */
extern const struct plan_algorithms gallery_algorithms;

#endif
