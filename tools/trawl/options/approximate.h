/* approximate: what the options of approximate search and FASTA files mean, and the plan options
 * that follow. */
#ifndef TRAWL_APPROXIMATE_H
#define TRAWL_APPROXIMATE_H

#include "trawl/options/patterns.h"

/* Called by settings_build if such an option was given. Sets the alphabet and what follows from the
 * alphabet. False: the options contradict each other. */
bool approximate_settings(struct settings *settings, char *error);

/* Sets the plan options of approximate search. */
void approximate_options(const struct patterns *patterns, const struct settings *settings,
                         struct trawl_plan_options *options);
/* Returns how many bytes on either side of an occurrence's begin decide about the occurrence: the
 * longest occurrence, and as many symbols again, whose ends decide whether the occurrence is the
 * best. */
uint64_t approximate_around(const struct patterns *patterns, const struct settings *settings);
/* The library calls a string "pattern N". Replaces that in the message by the string's text. */
void approximate_string(const struct patterns *patterns, struct trawl_error *error);

#endif
