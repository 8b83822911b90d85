/* print_line: lines, each with the context before and after it. */
#ifndef TRAWL_PRINT_LINE_H
#define TRAWL_PRINT_LINE_H

#include "trawl/scan.h"

/* Where the line ends that `at` is in: behind its line end, or with the view. */
uint64_t print_line_end(const struct text_scan *scan, const struct view *view, uint64_t at);
/* Positions are in the view; `end` is one past the line end, if there is one. False: not
 * printed, because it is not UTF-8. */
bool print_line(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator);
/* Is a line printed as its head and its bytes, whatever matches in it? */
bool print_is_simple(const struct text_scan *scan);
/* How many of the lines [begin, end), as an offset of the view, belong to blocks of a file that can
 * be told apart in the output later (binary.c): what comes behind is of the last block alone. */
uint64_t print_part(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end);
/* All these lines, if they are simple and text; returns how many they are. 0: none was printed,
 * print_line has to be asked for each. */
uint64_t print_run(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                   char separator);
/* All of them, one like another. Where one is no text, it is not printed; `all`: but those after it
 * are. Returns whether all were. */
bool print_lines(struct text_scan *scan, const struct view *view, uint64_t at, uint64_t end,
                 char separator, bool all);
/* The lines of trailing context before `limit`. */
void print_pending(struct text_scan *scan, const struct view *view, uint64_t limit);
/* Separator and leading context of a selected line at `begin`. */
void print_before(struct text_scan *scan, const struct view *view, uint64_t begin);

#endif
