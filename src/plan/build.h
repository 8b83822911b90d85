/* build: the steps of trawl_plan_build, in the order they run. */
#ifndef TRAWL_PLAN_BUILD_H
#define TRAWL_PLAN_BUILD_H

#include "plan/analyse.h"
#include "plan/plan.h"

/* Literals and tails from the patterns in plan->pattern_bytes, where a character may have variants
 * of other bytes. */
enum trawl_status expand_variants(struct trawl_plan *plan, struct trawl_error *error);

/* The one place that picks a method; `asked` AUTO or the one to force. Fills probes, words, period
 * and the rest that the choice weighs. */
enum trawl_status choose_method(struct trawl_plan *plan, enum trawl_method asked,
                                const uint8_t *sample, uint64_t sample_bytes,
                                struct trawl_error *error);

/* The tables of method set. */
enum trawl_status build_set(struct trawl_plan *plan, struct trawl_error *error);

#endif
