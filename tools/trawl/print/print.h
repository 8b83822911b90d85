/* print: prints the parts of a line: heads, names, numbers, matches. */
#ifndef TRAWL_PRINT_H
#define TRAWL_PRINT_H

#include "trawl/job/command_scan.h"

/* Returns the offset in the view at which the line's bytes end, before the line end. */
uint64_t print_content_end(struct text_scan *scan, const struct view *view, uint64_t begin,
                           uint64_t end);
/* Returns the index of the first match that begins at `at` or later. */
uint64_t print_first_match_at(const struct view *view, uint64_t at);

/* Returns whether the bytes may be printed. Invalid text is not printed; a message at the end says
 * that the file is binary. */
bool print_is_printable(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);
/* Sets shown.numbers to the numbers of the strings that occur in a line. False: no memory. */
bool print_show_numbers(struct text_scan *scan, const struct view *view, uint64_t begin,
                        uint64_t end);
uint64_t print_line_number(struct text_scan *scan, const struct view *view, uint64_t at);

/* Prints a separator in the separator's colour. */
void print_separator(struct text_scan *scan, char separator);
/* Prints what follows a field in the head of a selected line, or of a line of context. */
void print_field_end(struct text_scan *scan, bool selected);
/* Prints a number in a colour, filled with blanks to `width`. */
void print_number(struct text_scan *scan, uint64_t number, unsigned width, const char *color);
void print_head(struct text_scan *scan);
/* Ends a printed line that the text does not end: by the byte that trawl prints there, or as lines
 * of the text end for tg. */
static inline void print_terminator(struct output *output, const struct settings *settings,
                                    uint8_t of_trawl)
{
    if (settings->is_tg && settings->crlf)
        output_byte(output, '\r');
    output_byte(output, settings->is_tg ? settings->line_end : of_trawl);
}
/* With context: prints the separator between two groups of lines that are not adjacent. */
void print_group_separator(struct text_scan *scan);
/* Prints what is between groups of lines of two files. */
void print_between_files(struct output *output, const struct settings *settings);
void print_name(struct text_scan *scan);
/* Prints the file's name as the first field of a line. */
void print_name_field(struct text_scan *scan, bool selected);
/* Prints the file's name, then NUL under -Z and otherwise `end`. */
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
