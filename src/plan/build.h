/* build: the steps of trawl_plan_build, in the order they run. */
#ifndef TRAWL_PLAN_BUILD_H
#define TRAWL_PLAN_BUILD_H

#include "plan/analyse.h"
#include "plan/plan.h"

/* Literals and tails from the patterns in plan->pattern_bytes, where a character may have variants
 * of other bytes. */
enum trawl_status expand_variants(struct trawl_plan *plan, struct trawl_error *error);

/* The one place that picks a method: the one that the options ask for, or by their sample. Fills
 * probes, words, period and the rest that the choice weighs. */
enum trawl_status choose_method(struct trawl_plan *plan, const struct trawl_plan_options *options,
                                struct trawl_error *error);

/* ---- Plans with errors: errors.c ---- */

#define ERRORS_FLAGS \
    (TRAWL_WITHIN_LINES | TRAWL_EVERY_END | TRAWL_REVERSE_COMPLEMENT | TRAWL_ANY_BASE)

/* Are the options that concern errors, and those beside them, such as go together? */
enum trawl_status errors_check(const struct trawl_plan_options *options, struct trawl_error *error);
/* Keep what checked options ask for. */
enum trawl_status errors_read(struct trawl_plan *plan, const struct trawl_plan_options *options,
                              struct trawl_error *error);
/* Literals from the patterns, of which each one is a literal, or with both strands two. */
enum trawl_status errors_expand(struct trawl_plan *plan, struct trawl_error *error);
/* Set need_before and need_after, which so far are those of the conditions. */
void errors_need(struct trawl_plan *plan);

/* The tables of method set. */
enum trawl_status build_set(struct trawl_plan *plan, struct trawl_error *error);

#endif
