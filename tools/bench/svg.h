/* svg: the plot of `trawl-bench cpu`. */
#ifndef BENCH_SVG_H
#define BENCH_SVG_H

#include "bench/machine.h"
#include "bench/options.h"
#include "bench/rows.h"

/* Speed as a multiple of the read speed against pattern length, a line per alphabet, one panel for
 * one thread and one for all; to the file the options name, if they do. */
void svg_draw(const struct rows *rows, const struct machine *machine,
              const struct options *options);

#endif
