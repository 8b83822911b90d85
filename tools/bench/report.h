/* report: the rows of `trawl-bench cpu` as a table, as JSON and as Markdown. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/machine.h"
#include "bench/options.h"
#include "bench/rows.h"

/* On the terminal: a head line, each row when it is done, and what it comes to. */
void report_begin(const struct rows *rows);
void report_row(const struct rows *rows, const struct row *row);
void report_end(const struct rows *rows);

/* Where the options ask for it. */
void report_json(const struct rows *rows, const struct machine *machine,
                 const struct options *options);
void report_markdown(const struct rows *rows, const struct machine *machine,
                     const struct options *options);

#endif
