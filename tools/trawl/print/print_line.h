/* print_line: prints lines, and the context before and after them. */
#ifndef TRAWL_PRINT_LINE_H
#define TRAWL_PRINT_LINE_H

#include "trawl/job/command_scan.h"

/* Returns the end of the line that contains `at`, after its line end or at the view's end. */
uint64_t print_line_end(const struct text_scan *scan, const struct view *view, uint64_t at);
/* Prints the line [begin, end), in offsets of the view, with its line end. Returns false if it was
 * not printed, because it is invalid text or the scan has failed. */
bool print_line(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator);
/* Returns true if a line is printed as head and bytes, whatever matches it has. */
bool print_is_simple(const struct text_scan *scan);
/* Returns an offset up to which the lines [begin, end) may be printed together. Lines of the last
 * block of 96 KiB must be printed separately from earlier ones, because binary.c may discard that
 * block's output. */
uint64_t print_part(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end);
/* Prints the lines [begin, end) together, if print_is_simple and they are valid text. Returns the
 * number of lines; 0: nothing was printed, so print_line has to print each line. */
uint64_t print_run(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                   char separator);
/* Prints each of the lines [at, end) as print_line does with this separator. A line of invalid text
 * is not printed; after one, continues if `all`, otherwise returns false. */
bool print_lines(struct text_scan *scan, const struct view *view, uint64_t at, uint64_t end,
                 char separator, bool all);
/* Returns true if a matching line of context is marked as selected. After the last line that -m
 * allows, tg still marks such lines, as ripgrep does when it searches many lines at once (with
 * PCRE2 it does that only across lines). */
bool print_marks_context(const struct text_scan *scan);
/* Returns the offset in the view after the last printed line; 0: no line of the view was
 * printed. */
uint64_t print_at(const struct text_scan *scan, const struct view *view);
/* Prints the trailing context that is still to be printed before `limit`. */
void print_pending(struct text_scan *scan, const struct view *view, uint64_t limit);
/* Returns where the leading context of the line at `at` begins, but not before `floor`. */
uint64_t print_lines_before(const struct text_scan *scan, const uint8_t *bytes, uint64_t floor,
                            uint64_t at);
/* Prints the separator of groups and the leading context, before a selected line at `begin`. */
void print_before(struct text_scan *scan, const struct view *view, uint64_t begin);

#endif
