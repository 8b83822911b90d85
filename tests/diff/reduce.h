/* reduce: make a failing run small and print it so that it can be repeated by hand. */
#ifndef TRAWL_DIFF_REDUCE_H
#define TRAWL_DIFF_REDUCE_H

#include "diff/diff_run.h"

/* Shortens the input in place while a new searcher still fails on it, and prints it. */
void reduce_and_print(struct diff_input *input, const struct run_config *config);

#endif
