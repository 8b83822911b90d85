/* command_matches: makes the reports without lines: -o, --positions, --count-matches. */
#ifndef TRAWL_COMMAND_MATCHES_H
#define TRAWL_COMMAND_MATCHES_H

#include "trawl/job/command_scan.h"

/* Prints the matches that begin in [begin, end) of the window's bytes. A window may come in two
 * parts. */
void matches_part(struct text_scan *scan, const struct trawl_window *window, uint64_t begin,
                  uint64_t end);
/* Search the text for --count-matches and --positions, which need no lines. */
enum trawl_status matches_report(struct text_scan *scan, struct trawl_error *error);
enum trawl_status positions_report(struct text_scan *scan, struct trawl_error *error);
/* Sets *window to `moved`, whose offsets are those of the text, if only a part of the text is
 * searched. Returns false if memory is short. */
bool part_window(struct text_scan *scan, const struct trawl_window **window,
                 struct trawl_window *moved);
/* Returns true if units should search the rest of the text, since the window has many lines to
 * print. */
bool part_wants_units(const struct text_scan *scan, const struct trawl_window *window);
/* Leaves the rest of the text to units, starting with the line at text offset `at`, if nothing
 * before depends on what follows. Returns true if it does. */
bool part_leave(struct text_scan *scan, const struct trawl_window *window, uint64_t at);
/* Prints the matches of the window's first text_bytes bytes, or only those of the line that begins
 * before the window, if units search the rest. Returns true if they do. */
bool part_matches(struct text_scan *scan, const struct trawl_window *window, uint64_t text_bytes);

#endif
