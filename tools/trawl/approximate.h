/* approximate: what the options about errors and FASTA files mean, and ask of a plan. */
#ifndef TRAWL_APPROXIMATE_H
#define TRAWL_APPROXIMATE_H

#include "trawl/settings.h"

/* Last in settings_build: the alphabet, and what follows from it. False: contradiction. */
bool approximate_settings(struct settings *settings, char *error);

/* What a plan with errors needs. within_lines: no string holds the line end. */
void approximate_options(const struct settings *settings, bool within_lines,
                         struct trawl_plan_options *options);

#endif
