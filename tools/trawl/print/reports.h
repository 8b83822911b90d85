/* reports: the functions that search a file for each report, and print or count. */
#ifndef TRAWL_REPORTS_H
#define TRAWL_REPORTS_H

#include "trawl/job/command_scan.h"

/* The functions that reports.def names. */
#define DECLARE(name) \
    enum trawl_status name##_report(struct text_scan *scan, struct trawl_error *error)
#define REPORT(id, options, asked, finds, text, prints, search, sequences, by_line, ...) \
    DECLARE(search);                                                                     \
    DECLARE(sequences);                                                                  \
    DECLARE(by_line);
#include "trawl/options/reports.def"
#undef REPORT
#undef DECLARE

/* ---- lines.c ---- */

int lines_window(void *context, const struct trawl_window *window);
/* Receives a window for the option --multiline. The whole text is in scan->whole. */
int lines_whole(void *context, const struct trawl_window *window);

/* ---- command_matches.c ---- */

/* Prints the matches that begin in [begin, end) of the window's bytes. A window may come in two
 * parts. */
void matches_part(struct text_scan *scan, const struct trawl_window *window, uint64_t begin,
                  uint64_t end);
/* If only a part of the text is searched, sets *window to `moved`, whose offsets are those of the
 * whole text. Returns false if out of memory. */
bool part_window(struct text_scan *scan, const struct trawl_window **window,
                 struct trawl_window *moved);
/* Returns true if units should search the rest of the text, since the window has many lines to
 * print. */
bool part_wants_units(const struct text_scan *scan, const struct trawl_window *window);
/* Leaves the rest of the text, from the line at text offset `at`, to units, if nothing before it
 * depends on what follows. Returns true if so. */
bool part_leave(struct text_scan *scan, const struct trawl_window *window, uint64_t at);
/* Prints the matches of the window's first text_bytes bytes, or only those of the line that begins
 * before the window, if units search the rest. Returns true if they do. */
bool part_matches(struct text_scan *scan, const struct trawl_window *window, uint64_t text_bytes);

/* ---- string_counts.c ---- */

/* Makes job->string_counts. Returns false on failure; message[SETTINGS_ERROR_BYTES] says why. */
bool string_counts_open(struct command_job *job, char *message);
/* Prints the sums after the last text; not under -H, which prints each text's counts. */
void string_counts_print(struct command_job *job);
void string_counts_close(struct command_job *job);

/* ---- hold.c: limits how long the output of a pipe's incomplete block is held back ---- */

/* The sink of a search calls hold_begin, handles a window, and passes its result to hold_end. */
void hold_begin(struct text_scan *scan);
void hold_end(struct text_scan *scan, int stops);
/* Called after the search. */
void hold_close(struct text_scan *scan);

#endif
