/* approximate: what the options of approximate search and FASTA files mean, and the plan options
 * that follow from them. */
#ifndef TRAWL_APPROXIMATE_H
#define TRAWL_APPROXIMATE_H

#include "trawl/options/patterns.h"

/* Called by settings_build if such an option was given. Sets the alphabet, `approximate` and
 * `shows_distance`. False: `error` says which options contradict each other, or which option lacks
 * one that it requires. */
bool approximate_settings(struct settings *settings, char *error);

/* Sets the plan options of approximate search. */
void approximate_options(const struct patterns *patterns, const struct settings *settings,
                         struct trawl_plan_options *options);
/* Sets the alphabet of a plan of expressions. `characters`: a character may be several bytes. */
void approximate_expressions(const struct settings *settings, bool characters,
                             struct trawl_plan_options *options);
/* Returns how many bytes on either side of an occurrence's start may decide whether it is reported:
 * at least twice the length of the longest occurrence, because an overlapping occurrence may be
 * better. */
uint64_t approximate_around(const struct patterns *patterns, const struct settings *settings);
/* The library calls a string "pattern N". Replaces these words in the message with the string's
 * text. */
void approximate_string(const struct patterns *patterns, struct trawl_error *error);

#endif
