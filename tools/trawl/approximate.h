/* approximate: what the options about errors and FASTA files mean, and ask of a plan. */
#ifndef TRAWL_APPROXIMATE_H
#define TRAWL_APPROXIMATE_H

#include "trawl/patterns.h"

/* In settings_build, where such an option is given: the alphabet, and what follows from it. False:
 * contradiction. */
bool approximate_settings(struct settings *settings, char *error);

/* What a plan with errors needs. */
void approximate_options(const struct patterns *patterns, const struct settings *settings,
                         struct trawl_plan_options *options);
/* How many bytes on either side of an occurrence's begin decide about it: it may be so long, and
 * the ends of as many symbols after its own tell whether it is better than they are. */
uint64_t approximate_around(const struct patterns *patterns, const struct settings *settings);
/* The library calls a string "pattern N"; in this message its text says which it is. */
void approximate_string(const struct patterns *patterns, struct trawl_error *error);

#endif
