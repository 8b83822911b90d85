/* set_matcher: builds the hash tables of a large set (set_class.h). */
#ifndef TRAWL_CPU_SET_MATCHER_H
#define TRAWL_CPU_SET_MATCHER_H

#include "cpu/set_class.h"

/* Gets the plan's tables. The first call makes them, to suit the sample's text, and the plan owns
 * them. Any thread may call. Errors: MEMORY, LIMIT. */
enum trawl_status set_matcher_want(const struct set_sample *sample,
                                   const struct set_matcher **matcher, struct trawl_error *error);

/* ---- strategies.c ---- */

/* A set_choose. */
void choice_classes(const struct set_sample *sample, struct set_matcher *matcher);
/* Returns true if classes, with pairs of bytes or trigrams, find the plan's words faster than
 * nibble tables would. */
bool choice_stems_pay(const struct trawl_plan *plan, const struct find_ops *find);

#endif
