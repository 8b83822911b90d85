/* print_line: lines as grep lays them out, each with the context before and after it. */
#ifndef TRAWL_PRINT_LINE_H
#define TRAWL_PRINT_LINE_H

#include "trawl/scan.h"

/* Positions are in the view; `end` is one past the line end, if there is one. False: not
 * printed, because it is not UTF-8. */
bool print_line(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator);
/* The lines of trailing context before `limit`. */
void print_pending(struct scan *scan, const struct view *view, uint64_t limit);
/* Separator and leading context of a selected line at `begin`. */
void print_before(struct scan *scan, const struct view *view, uint64_t begin);

/* A line that is not in memory, of a text that can be read again; `end` is without the line
 * end. */
bool print_far_line(struct scan *scan, uint64_t begin, uint64_t end, bool has_end, char separator);

#endif
