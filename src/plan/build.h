/* build: makes plans, the compiled form of patterns. */
#ifndef TRAWL_PLAN_BUILD_H
#define TRAWL_PLAN_BUILD_H

#include "plan/plan.h"

/* Implements trawl_plan_build (trawl.h). `algorithms` is the gallery's table; NULL in a build
 * without the gallery. */
enum trawl_status plan_build(const struct trawl_pattern *patterns, uint64_t pattern_count,
                             const struct trawl_plan_options *options,
                             const struct plan_algorithms *algorithms, struct trawl_plan **plan,
                             struct trawl_error *error);

#endif
