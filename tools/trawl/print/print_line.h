/* print_line: prints lines with the context before and after. */
#ifndef TRAWL_PRINT_LINE_H
#define TRAWL_PRINT_LINE_H

#include "trawl/job/command_scan.h"

/* Returns the end of the line that contains `at`: behind the line end, or at the end of the
 * view. */
uint64_t print_line_end(const struct text_scan *scan, const struct view *view, uint64_t at);
/* Prints the line [begin, end), given as offsets in the view, `end` behind the line end if the line
 * has a line end. False: not printed, because the line is invalid text. */
bool print_line(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator);
/* Returns whether each line is printed as head and bytes, independent of the matches in the
 * line. */
bool print_is_simple(const struct text_scan *scan);
/* Returns an offset ≤ end up to which the lines [begin, end) can be printed together. Lines of the
 * last block must be separable from earlier lines in the output, because binary.c may discard
 * them. */
uint64_t print_part(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end);
/* Prints the lines [begin, end) together, if the lines are simple and valid text. Returns the
 * number of lines; 0: nothing was printed, and print_line must print each line. */
uint64_t print_run(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                   char separator);
/* Prints the lines [at, end) with the same separator. A line of invalid text is not printed; then
 * print_lines goes on if `all`, and otherwise returns false. */
bool print_lines(struct text_scan *scan, const struct view *view, uint64_t at, uint64_t end,
                 char separator, bool all);
/* Returns the offset in the view behind the last printed line; 0: no line of the view is printed.
 */
uint64_t print_at(const struct text_scan *scan, const struct view *view);
/* Prints the lines of trailing context before `limit`. */
void print_pending(struct text_scan *scan, const struct view *view, uint64_t limit);
/* Returns where the lines of leading context before `at` begin, at which a line begins; `floor` if
 * there are fewer lines after it. */
uint64_t print_lines_before(const struct text_scan *scan, const uint8_t *bytes, uint64_t floor,
                            uint64_t at);
/* Prints the separator and the leading context of a selected line at `begin`. */
void print_before(struct text_scan *scan, const struct view *view, uint64_t begin);

#endif
