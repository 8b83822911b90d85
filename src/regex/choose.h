/* choose: chooses how expressions are searched: by which strings, and how each step is read. */
#ifndef TRAWL_REGEX_CHOOSE_H
#define TRAWL_REGEX_CHOOSE_H

#include "regex/split.h"
#include "regex/step.h"

/* Returns how good strings are for a search: log2 of the distance between expected occurrences in a
 * text, less 1.5 * log2 of the number of strings, because more strings slow the search down.
 * Returns NO_SCORE for strings that are of no use. */
double choose_score(const struct split_options *options, const struct split_strings *strings,
                    bool folds);
/* Chooses how the steps after `step`, which was searched by atoms, are read, and how long the next
 * one is. */
void choose_next(const struct step *step);
/* Returns true if a step without atoms is searched by `whole`, and false if by `lines`. */
bool choose_whole(const struct step *step);

#endif
