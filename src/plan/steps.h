/* steps: the steps of building a plan (trawl_plan_build) that have their own files. */
#ifndef TRAWL_PLAN_STEPS_H
#define TRAWL_PLAN_STEPS_H

#include "plan/plan.h"

/* Makes the literals of a plan in which characters may have variants with other bytes: the first
 * characters of each pattern become literals, the rest a tail (plan.h). */
enum trawl_status expand_variants(struct trawl_plan *plan, struct trawl_error *error);

/* Sets the plan's method, and checks that the method fits the plan. For a single literal, fills in
 * probes, grams and period, on which the methods' expected costs depend. */
enum trawl_status choose_method(struct trawl_plan *plan, const struct trawl_plan_options *options,
                                struct trawl_error *error);

/* ---- Approximate search: errors.c ---- */

#define ERRORS_FLAGS \
    (TRAWL_WITHIN_LINES | TRAWL_EVERY_END | TRAWL_REVERSE_COMPLEMENT | TRAWL_ANY_BASE)

/* Checks the options about errors, and whether the other options can be combined with them. */
enum trawl_status errors_check(const struct trawl_plan_options *options, struct trawl_error *error);
/* Copies the options about errors into the plan. errors_check has accepted them. */
enum trawl_status errors_read(struct trawl_plan *plan, const struct trawl_plan_options *options,
                              struct trawl_error *error);
/* Makes a literal from each pattern, or two from each if both strands are searched. */
enum trawl_status errors_expand(struct trawl_plan *plan, struct trawl_error *error);
/* Adds the bytes around an occurrence that an approximate search reads to need_before and
 * need_after, which already include those that the plan's conditions need. */
void errors_need(struct trawl_plan *plan);

/* For a plan of several literals (a set): sets plan->set and plan->byte_bits. */
void build_set(struct trawl_plan *plan);

#endif
