/* gallery_algorithm: the names of the gallery, and the option string that selects an algorithm. */
#ifndef TRAWL_GALLERY_GALLERY_ALGORITHM_H
#define TRAWL_GALLERY_GALLERY_ALGORITHM_H

#include "plan/plan.h"

enum gallery_algorithm {
    GALLERY_NONE,
#define ALGORITHM(enumerator, name, searches, engines, geometry, summary, source) \
    GALLERY_##enumerator,
#include "gallery/algorithms.def"
#undef ALGORITHM
    GALLERY_COUNT
};

/* The algorithm that a plan asks for, with the options. */
struct gallery_choice {
    enum gallery_algorithm algorithm;
    uint32_t blocks;  /* blocks of a grid; 0: the default */
    uint32_t threads; /* threads of a block; 0: the default */
    /* pattern length in bytes at which a hybrid begins to launch child grids; 0: the length
     * measured for the device, or none if there is none */
    uint32_t threshold;
    bool debug;     /* pss: device code compiled without optimisation */
    bool uncounted; /* a swift form that does not count child grids, as in the paper */
    bool global;    /* rabin-karp-matrix-sample: hashes in global, not in constant memory */
};

/* Returns what the plan, which must name an algorithm, asks for. */
struct gallery_choice gallery_choice_of(const struct trawl_plan *plan);

/* The functions by which a plan asks about the gallery, and reads its option string. The string is
 * NAME[:GEOMETRY][,debug][,uncounted][,global], where the words after the commas may have any
 * order. */
extern const struct plan_algorithms gallery_algorithms;

#endif
