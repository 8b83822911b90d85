/* algorithm: the names of the gallery, and the option string that asks for one. */
#ifndef TRAWL_PLAN_ALGORITHM_H
#define TRAWL_PLAN_ALGORITHM_H

#include "base/status.h"

enum plan_algorithm {
    PLAN_ALGORITHM_NONE, /* trawl's own methods */
#define ALGORITHM(enumerator, name, searches, engines, geometry, summary, source) \
    PLAN_ALGORITHM_##enumerator,
#include "plan/algorithms.def"
#undef ALGORITHM
    PLAN_ALGORITHM_COUNT
};

/* What may be said of an algorithm behind its name. */
struct plan_algorithm_options {
    uint32_t blocks; /* 0 in each: the default */
    uint32_t threads;
    uint32_t threshold;
    bool debug; /* device code that was not optimised */
};

/* Static text; `algorithm` is not NONE. */
const char *plan_algorithm_name(enum plan_algorithm algorithm);
const char *plan_algorithm_source(enum plan_algorithm algorithm);
/* Does it search records one by one (trawl_matrix alone)? False for NONE. */
bool plan_algorithm_is_for_records(enum plan_algorithm algorithm);
/* Engines that have it, bits 1u << enum trawl_engine; all for NONE. */
uint32_t plan_algorithm_engines(enum plan_algorithm algorithm);

/* Read NAME[:GEOMETRY][,debug]. NULL is NONE; ARGUMENT for a name that is not in the list, or for
 * options that do not fit it. */
enum trawl_status plan_algorithm_parse(const char *text, enum plan_algorithm *algorithm,
                                       struct plan_algorithm_options *options,
                                       struct trawl_error *error);

#endif
