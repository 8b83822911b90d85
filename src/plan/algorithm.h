/* algorithm: the names of the gallery. */
#ifndef TRAWL_PLAN_ALGORITHM_H
#define TRAWL_PLAN_ALGORITHM_H

#include "base/status.h"

enum plan_algorithm {
    PLAN_ALGORITHM_NONE, /* trawl's own methods */
#define ALGORITHM(enumerator, name, searches, summary, source) PLAN_ALGORITHM_##enumerator,
#include "plan/algorithms.def"
#undef ALGORITHM
    PLAN_ALGORITHM_COUNT
};

/* Static text; `algorithm` is not NONE. */
const char *plan_algorithm_name(enum plan_algorithm algorithm);
const char *plan_algorithm_source(enum plan_algorithm algorithm);
/* Does it search records one by one (trawl_matrix alone)? False for NONE. */
bool plan_algorithm_is_for_records(enum plan_algorithm algorithm);

/* NULL is NONE; ARGUMENT for a name that is not in the list. */
enum trawl_status plan_algorithm_find(const char *name, enum plan_algorithm *algorithm,
                                      struct trawl_error *error);

#endif
