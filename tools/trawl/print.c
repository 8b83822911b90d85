/* print: what lines are made of, as grep lays it out: heads, names, numbers, matches. */
#include "trawl/print.h"

#include "trawl/charset.h"
#include "trawl/count.h"
#include "trawl/pool_turns.h"
#include "trawl/style_name.h"

#define COLOR_FRAME_BYTES 16 /* what colours are put into, at both ends */

void print_color_start(struct scan *scan, const char *color)
{
    if (!scan->settings->colors.on || *color == '\0')
        return;
    output_text(scan->output, "\33[");
    output_text(scan->output, color);
    output_byte(scan->output, 'm');
    output_text(scan->output, scan->settings->colors.start_format_end);
}

void print_color_end(struct scan *scan, const char *color)
{
    if (!scan->settings->colors.on || *color == '\0')
        return;
    output_text(scan->output, "\33[m");
    output_text(scan->output, scan->settings->colors.start_format_end);
}

static void print_separator(struct scan *scan, char separator)
{
    print_color_start(scan, scan->settings->colors.separator);
    output_byte(scan->output, (uint8_t)separator);
    print_color_end(scan, scan->settings->colors.separator);
}

void print_name(struct scan *scan)
{
    print_color_start(scan, scan->settings->colors.file_name);
    if (scan->settings->style.names)
        style_name(scan);
    else
        output_text(scan->output, scan->name);
    print_color_end(scan, scan->settings->colors.file_name);
}

static void print_place(struct scan *scan, uint64_t number, const char *color, char separator)
{
    print_color_start(scan, color);
    output_number(scan->output, number, scan->number_width);
    print_color_end(scan, color);
    print_separator(scan, separator);
}

/* Nothing but the separator where no string was found: in a line of context. */
void print_numbers(struct scan *scan, char separator)
{
    const char *color = scan->settings->colors.line_number;

    for (uint64_t i = 0; i < scan->shown_count; i++) {
        if (i > 0)
            print_separator(scan, ',');
        print_color_start(scan, color);
        output_number(scan->output, scan->shown_numbers[i], 0);
        print_color_end(scan, color);
    }
    print_separator(scan, separator);
}

void print_head(struct scan *scan, uint64_t line_number, uint64_t offset, uint64_t bytes_count,
                char separator)
{
    const struct settings *settings = scan->settings;
    bool any = false;

    if (scan->job->show_names > 0) {
        print_name(scan);
        if (settings->null_after_name)
            output_byte(scan->output, '\0');
        else
            print_separator(scan, separator);
        any = true;
    }
    if (line_number > 0) {
        print_place(scan, line_number, scan->settings->colors.line_number, separator);
        any = true;
    }
    if (settings->byte_offset) {
        print_place(scan, offset, scan->settings->colors.byte_offset, separator);
        any = true;
    }
    if (settings->pattern_number) {
        print_numbers(scan, separator);
        any = true;
    }
    if (settings->initial_tab && any && bytes_count > 0)
        output_byte(scan->output, '\t');
}

void print_group_separator(struct scan *scan)
{
    const struct settings *settings = scan->settings;
    const char *separator = settings->group_separator;
    struct pool_worker *worker = scan->job->worker;
    size_t begin, color_bytes = 1;

    if (settings->colors.on)
        color_bytes += strlen(settings->colors.separator) + COLOR_FRAME_BYTES;
    /* Under --heading an empty line parts files, and the heading prints it. */
    if (separator == NULL || scan->job->groups == GROUPS_NONE ||
        (settings->heading && !scan->style.heading_shown) ||
        (settings->before_count < 0 && settings->after_count < 0))
        return;
    if (worker != NULL &&
        !pool_wants_separator(worker, settings->group_separator_bytes + color_bytes))
        return;
    begin = scan->output->used;
    print_color_start(scan, scan->settings->colors.separator);
    output_bytes(scan->output, separator, settings->group_separator_bytes);
    print_color_end(scan, scan->settings->colors.separator);
    output_byte(scan->output, '\n');
    if (worker != NULL)
        pool_mark_separator(worker, begin);
}

void print_match(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count, const char *color)
{
    print_color_start(scan, color);
    output_bytes(scan->output, bytes, (size_t)bytes_count);
    print_color_end(scan, color);
}

void print_found(struct scan *scan, const uint8_t *bytes, const struct trawl_match *match,
                 const struct trawl_match *group, uint64_t group_count, uint64_t line_number,
                 char separator, const char *color)
{
    bool numbered = scan->settings->pattern_number;
    uint64_t bytes_count = match->end - match->begin, lines = 1;

    if (numbered && !number_set_of_place(scan, group, group_count, match->end))
        return;
    if (numbered)
        lines = scan->numbers.count;
    for (uint64_t i = 0; i < lines; i++) {
        scan->shown_numbers = numbered ? scan->numbers.list + i : NULL;
        scan->shown_count = numbered;
        print_head(scan, line_number, match->begin, bytes_count, separator);
        print_match(scan, bytes, bytes_count, color);
        output_byte(scan->output, scan->settings->line_end);
    }
    scan->shown_count = 0;
}

bool print_is_printable(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    if (!scan->settings->checks_text || charset_is_valid(bytes, (size_t)bytes_count))
        return true;
    scan->encoding_error = true;
    return false;
}

uint64_t print_first_match_at(const struct view *view, uint64_t at)
{
    uint64_t low = 0, high = view->match_count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (view->matches[middle].begin < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool print_next_match(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                      uint64_t from, uint64_t *index, struct trawl_match *found)
{
    bool each = scan->settings->overlapping && scan->settings->report == REPORT_ONLY_MATCHING;

    while (*index < view->match_count && view->matches[*index].begin < end) {
        struct trawl_match match = view->matches[(*index)++];

        if (match.begin < from)
            continue;
        while (!each && *index < view->match_count && view->matches[*index].begin == match.begin) {
            if (view->matches[*index].end > match.end || scan->check_whole_line)
                if (!scan->check_whole_line || match.end != end)
                    match = view->matches[*index];
            (*index)++;
        }
        if (scan->check_whole_line && (match.begin != begin || match.end != end))
            continue;
        if (match.end > end)
            match.end = end; /* a string with a line end in it */
        *found = match;
        return true;
    }
    return false;
}

uint64_t print_content_end(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end)
{
    return end > begin && view->bytes[end - 1] == scan->settings->line_end ? end - 1 : end;
}

uint64_t print_line_number(struct scan *scan, const struct view *view, uint64_t at)
{
    if (!scan->settings->line_number)
        return 0;
    return line_number_at(scan, view->bytes, view->begin, view->begin + at);
}

bool print_show_numbers(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                        char separator)
{
    uint64_t content = print_content_end(scan, view, begin, end);
    uint64_t first = print_first_match_at(view, view->begin + begin);
    uint64_t past = print_first_match_at(view, view->begin + end);

    scan->shown_count = 0;
    if (separator != ':')
        return true;
    if (!number_set_of_line(scan, view->matches + first, past - first, view->begin + begin,
                            view->begin + content,
                            line_holds_empty(scan, view->bytes + begin, view->begin + begin,
                                             view->begin + content)))
        return false;
    scan->shown_numbers = scan->numbers.list;
    scan->shown_count = scan->numbers.count;
    return true;
}
