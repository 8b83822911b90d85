/* build: makes plans. */
#ifndef TRAWL_PLAN_BUILD_H
#define TRAWL_PLAN_BUILD_H

#include "plan/plan.h"

/* Does the work of trawl_plan_build. `algorithms`: the gallery's table; NULL in a build without a
 * gallery. */
enum trawl_status plan_build(const struct trawl_pattern *patterns, uint64_t pattern_count,
                             const struct trawl_plan_options *options,
                             const struct plan_algorithms *algorithms, struct trawl_plan **plan,
                             struct trawl_error *error);

/* Sets *as_set to a plan of method SET with the same literals. That is the plan itself, if its
 * method is SET; else a plan of its single literal without conditions, which the first call makes
 * and the plan owns. Errors: MEMORY. Any thread may call. */
enum trawl_status plan_as_set(const struct trawl_plan *plan, const struct trawl_plan **as_set,
                              struct trawl_error *error);

#endif
