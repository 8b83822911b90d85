/* print: prints the parts of a line's head: file name, numbers, separators. */
#ifndef TRAWL_PRINT_H
#define TRAWL_PRINT_H

#include "trawl/job/command_scan.h"
#include "trawl/options/settings.h"

/* Returns the offset in the view where the line [begin, end) ends, without its line end. */
uint64_t print_content_end(struct text_scan *scan, const struct view *view, uint64_t begin,
                           uint64_t end);
/* Returns the index of the first match that begins at text offset `at` or later. */
uint64_t print_first_match_at(const struct view *view, uint64_t at);

/* Returns true if the bytes are valid text, or the options require no such check. Other bytes are
 * not printed; a message at the end says that the file is binary. */
bool print_is_printable(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);
/* Sets shown.numbers to the numbers of the strings that occur in the line. Returns false if out of
 * memory. */
bool print_show_numbers(struct text_scan *scan, const struct view *view, uint64_t begin,
                        uint64_t end);
uint64_t print_line_number(struct text_scan *scan, const struct view *view, uint64_t at);

/* Prints a separator in the separator's colour. */
void print_separator(struct text_scan *scan, char separator);
/* Prints what follows a field of a head; selected lines and context have different characters. */
void print_field_end(struct text_scan *scan, bool selected);
/* Prints a number in a colour, padded with spaces on the left to `width`. */
void print_number(struct text_scan *scan, uint64_t number, unsigned width, const char *color);
/* Prints the name of a string or, if it has none, its number. */
void print_pattern(struct command_job *job, uint64_t number);
void print_head(struct text_scan *scan);
/* Ends a printed line that has no line end in the text. trawl prints `of_trawl`; tg prints the line
 * end of the text's other lines. */
static inline void print_terminator(struct output *output, const struct settings *settings,
                                    uint8_t of_trawl)
{
    if (settings->write) /* the text stays as it is */
        return;
    if (settings->is_tg && settings->crlf)
        output_byte(output, '\r');
    output_byte(output, settings->is_tg ? settings->line_end : of_trawl);
}
/* If context is wanted: prints the separator between two groups of lines that are not adjacent. */
void print_group_separator(struct text_scan *scan);
/* Prints the separator between lines of two files. */
void print_between_files(struct output *output, const struct settings *settings);
void print_name(struct text_scan *scan);
/* Prints the file's name, and then NUL under -Z or else `end`. */
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
