/* print: what lines are made of, heads, names, numbers, matches. */
#ifndef TRAWL_PRINT_H
#define TRAWL_PRINT_H

#include "trawl/scan.h"

/* The line's bytes without its end. */
uint64_t print_content_end(struct text_scan *scan, const struct view *view, uint64_t begin,
                           uint64_t end);
/* Index of the first match that begins at `at` or later. */
uint64_t print_first_match_at(const struct view *view, uint64_t at);
/* The leftmost, longest match at `from` or later that lies in the line [begin, end), or the next
 * of all where they may overlap; false: none. *index is where to look on. Offsets in the text. */
bool print_next_match(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                      uint64_t from, uint64_t *index, struct trawl_match *found);
/* Of two matches that begin at one place: the longer one, of two as long the one with fewer errors.
 */
static inline bool match_is_better(const struct trawl_match *match, const struct trawl_match *other)
{
    return match->end > other->end ||
           (match->end == other->end && match->distance < other->distance);
}

/* What is not UTF-8 is not printed; a message at the end says that the file is binary. */
bool print_is_printable(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);
/* The numbers of the strings in a line, for its head. */
bool print_show_numbers(struct text_scan *scan, const struct view *view, uint64_t begin,
                        uint64_t end);
uint64_t print_line_number(struct text_scan *scan, const struct view *view, uint64_t at);

/* What stands before a line, or with -o a match: file name, numbers, shown_numbers and
 * shown_distance. */
struct line_head {
    uint64_t line_number, column; /* 0: not wanted */
    uint64_t offset;
    uint64_t bytes_count; /* of what follows */
    bool selected;        /* else it is context */
};

/* In its colour. */
void print_separator(struct text_scan *scan, char separator);
/* What ends a field of the head of a line that is selected, or of context. */
void print_field_end(struct text_scan *scan, bool selected);
void print_head(struct text_scan *scan, const struct line_head *head);
/* With context: separator before a group of lines that does not touch the last one, if there is
 * one. */
void print_group_separator(struct text_scan *scan);
/* A match of -o in a line of its own, under --pattern-number in one for each number of its string.
 * group: the matches that begin there; bytes: its own. */
void print_found(struct text_scan *scan, const uint8_t *bytes, const struct trawl_match *match,
                 const struct trawl_match *group, uint64_t group_count, uint64_t line_number);
void print_name(struct text_scan *scan);
/* The file's name as the first field of a line. */
void print_name_field(struct text_scan *scan, bool selected);
/* The file's name, and NUL under -Z or else `end`. */
void print_name_end(struct text_scan *scan, uint8_t end);

static inline void print_color_start(struct text_scan *scan, const char *color)
{
    if (scan->settings->colors.on)
        colors_begin(&scan->settings->colors, scan->output, color);
}

static inline void print_color_end(struct text_scan *scan, const char *color)
{
    if (scan->settings->colors.on)
        colors_end(&scan->settings->colors, scan->output, color);
}

#endif
