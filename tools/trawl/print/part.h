/* part: searches a part of a text: the rest, which is left to units (run/units.h) or follows
 * them. */
#ifndef TRAWL_PART_H
#define TRAWL_PART_H

#include "trawl/job/command_scan.h"

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
