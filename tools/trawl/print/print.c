/* print: prints the parts of a line's head: file name, numbers, separators. Other files, such as
 * lines.c and command_matches.c, decide what is printed. The bytes go to the scan's output, which a
 * worker may have to hold until its turn. */
#include "trawl/print/print.h"

#include <stdio.h>
#include <stdlib.h>

#include "trawl/text/charset.h"
#include "trawl/print/count.h"
#include "trawl/options/hyperlink.h"
#include "trawl/job/command_job.h"
#include "trawl/job/command_scan.h"

/* ---- Names and links ------------------------------------------------------------------------- */

/* Returns the file's absolute path, which the caller frees. NULL: no path is known. */
static char *whole_path(const struct text_scan *scan)
{
    const char *directory = scan->settings->surroundings.directory;
    char *joined = NULL, *path;

    if (directory == NULL || scan->name[0] == '/')
        return realpath(scan->name, NULL);
    if (asprintf(&joined, "%s/%s", directory, scan->name) < 0)
        return NULL;
    path = realpath(joined, NULL);
    free(joined);
    return path;
}

/* Opens a link to the file, if links are wanted and none is open. Returns true if it did. */
static bool style_begin_link(struct text_scan *scan, uint64_t line, uint64_t column)
{
    struct style_state *style = &scan->style;

    if (!scan->settings->style.links || style->link_open)
        return false;
    if (!style->link_sought)
        style->link_path = whole_path(scan); /* standard input has no path */
    style->link_sought = true;
    if (style->link_path == NULL)
        return false;
    hyperlink_begin(scan->output, scan->settings->style.hyperlink, style->link_path, line, column);
    style->link_open = true;
    return true;
}

static void style_end_link(struct text_scan *scan)
{
    if (scan->style.link_open)
        output_text(scan->output, HYPERLINK_END);
    scan->style.link_open = false;
}

static void style_name(struct text_scan *scan)
{
    const char *separator = scan->settings->style.path_separator;
    bool linked = style_begin_link(scan, 0, 0);

    for (const char *at = scan->name, *end; *at != '\0'; at = end) {
        end = at + strcspn(at, separator != NULL ? "/" : "");
        output_bytes(scan->output, at, (size_t)(end - at));
        if (*end == '/') {
            output_byte(scan->output, (uint8_t)*separator);
            end++;
        }
    }
    if (linked)
        style_end_link(scan);
}

#define COLOR_FRAME_BYTES 16 /* number of bytes that an escape sequence adds around a colour */

void print_separator(struct text_scan *scan, char separator)
{
    print_color_start(scan, scan->settings->colors.separator);
    output_byte(scan->output, (uint8_t)separator);
    print_color_end(scan, scan->settings->colors.separator);
}

/* Returns what follows a field of a line that was not selected. */
static char mark_of_context(const struct text_scan *scan)
{
    return scan->function.marks && scan->shown.head.offset == scan->function.heading ? '=' : '-';
}

void print_field_end(struct text_scan *scan, bool selected)
{
    const struct settings *settings = scan->settings;
    const char *given = selected ? settings->separators.match : settings->separators.context;

    if (given == NULL) {
        print_separator(scan, selected ? ':' : mark_of_context(scan));
        return;
    }
    print_color_start(scan, settings->colors.separator);
    output_bytes(scan->output, given,
                 selected ? settings->separators.match_bytes : settings->separators.context_bytes);
    print_color_end(scan, settings->colors.separator);
}

void print_name(struct text_scan *scan)
{
    /* ripgrep puts the link around the colour, trawl puts the colour around the link */
    bool linked = scan->settings->is_tg && style_begin_link(scan, 0, 0);

    print_color_start(scan, scan->settings->colors.file_name);
    if (scan->settings->style.names)
        style_name(scan);
    else
        output_text(scan->output, scan->name);
    print_color_end(scan, scan->settings->colors.file_name);
    if (linked)
        style_end_link(scan);
}

void print_name_end(struct text_scan *scan, uint8_t end)
{
    print_name(scan);
    if (scan->settings->heads.null_after_name)
        output_byte(scan->output, '\0');
    else if (end == ':')
        output_byte(scan->output, end);
    else
        print_terminator(scan->output, scan->settings, end);
}

void print_number(struct text_scan *scan, uint64_t number, unsigned width, const char *color)
{
    print_color_start(scan, color);
    output_number(scan->output, number, width);
    print_color_end(scan, color);
}

void print_pattern(struct command_job *job, uint64_t number)
{
    const struct trawl_pattern *name = patterns_name(job->patterns, number);

    if (name != NULL)
        output_bytes(job->output, name->bytes, (size_t)name->bytes_count);
    else
        output_number(job->output, number, 0);
}

/* Prints a number as a field of a line's head. If ends_link, an open link ends after the number. */
static void print_field(struct text_scan *scan, uint64_t number, const char *color, bool selected,
                        bool ends_link)
{
    print_number(scan, number, scan->rules.number_width, color);
    if (ends_link && scan->style.link_open)
        style_end_link(scan);
    print_field_end(scan, selected);
}

/* Prints the numbers of the strings that occur. For a line of context, which has no match, prints
 * only the separator. */
static void print_numbers(struct text_scan *scan, bool selected)
{
    for (uint64_t i = 0; i < scan->shown.number_count; i++) {
        if (i > 0)
            print_separator(scan, ',');
        print_color_start(scan, scan->settings->colors.line_number);
        print_pattern(scan->job, scan->shown.numbers[i]);
        print_color_end(scan, scan->settings->colors.line_number);
    }
    print_separator(scan, selected ? ':' : mark_of_context(scan));
}

/* Prints the match's distance and a separator. For a line of context, which has no match, prints
 * only the separator. */
static void print_distance(struct text_scan *scan, bool selected)
{
    if (scan->shown.distance != DISTANCE_NONE)
        print_number(scan, scan->shown.distance, 0, scan->settings->colors.line_number);
    print_field_end(scan, selected);
}

/* Prints the file's name above its first line. If lines of another file were printed before, an
 * empty line comes first. */
static void print_heading(struct text_scan *scan)
{
    struct pool_worker *worker = scan->job->worker;

    scan->style.heading_shown = true;
    if (scan->job->groups != GROUPS_NONE && (worker == NULL || pool_wants_separator(worker, 1))) {
        size_t begin = scan->output->used;

        print_terminator(scan->output, scan->settings, scan->settings->line_end);
        if (worker != NULL)
            pool_mark_separator(worker, begin);
    }
    if (scan->job->show_names > 0)
        print_name_end(scan, scan->settings->line_end);
}

void print_head(struct text_scan *scan)
{
    const struct line_head *head = &scan->shown.head;
    const struct settings *settings = scan->settings;
    const struct colors *colors = &settings->colors;
    uint64_t number = head->line_number, column = settings->style.column ? head->column : 0;
    bool named = scan->job->show_names > 0, name = named && !settings->style.heading;
    bool offset = settings->heads.byte_offset;

    if (settings->style.heading && !scan->style.heading_shown)
        print_heading(scan);
    if (settings->style.links && named &&
        (name || strstr(settings->style.hyperlink, "{line}") != NULL))
        (void)style_begin_link(scan, number, head->column);
    if (name)
        print_name(scan);
    if (number == 0 && column == 0 && !offset)
        style_end_link(scan);
    if (name && settings->heads.null_after_name)
        output_byte(scan->output, '\0');
    else if (name)
        print_field_end(scan, head->selected);
    if (number > 0)
        print_field(scan, number, colors->line_number, head->selected, column == 0 && !offset);
    if (column > 0)
        print_field(scan, column, colors->column, head->selected, !offset);
    if (offset)
        print_field(scan, head->offset, colors->byte_offset, head->selected, true);
    if (settings->heads.pattern_number)
        print_numbers(scan, head->selected);
    if (settings->shows_distance)
        print_distance(scan, head->selected);
    if (settings->heads.initial_tab && head->bytes_count > 0 &&
        (name || number > 0 || column > 0 || offset || settings->heads.pattern_number ||
         settings->shows_distance))
        output_byte(scan->output, '\t');
}

static void print_separator_line(struct output *output, const struct settings *settings)
{
    const struct colors *colors = &settings->colors;

    if (colors->on)
        colors_begin(colors, output, colors->separator);
    output_bytes(output, settings->separators.group, settings->separators.group_bytes);
    if (colors->on)
        colors_end(colors, output, colors->separator);
    print_terminator(output, settings, '\n');
}

void print_between_files(struct output *output, const struct settings *settings)
{
    if (settings->style.heading)
        print_terminator(output, settings, settings->line_end);
    else if (settings->separators.group != NULL && settings_have_context(settings))
        print_separator_line(output, settings);
}

void print_group_separator(struct text_scan *scan)
{
    const struct settings *settings = scan->settings;
    const char *separator = settings->separators.group;
    struct pool_worker *worker = scan->job->worker;
    size_t begin, color_bytes = 1;

    if (settings->colors.on)
        color_bytes += strlen(settings->colors.separator) + COLOR_FRAME_BYTES;
    /* With --heading, print_heading separates files with an empty line. */
    if (separator == NULL || scan->job->groups == GROUPS_NONE ||
        (settings->style.heading && !scan->style.heading_shown) || !settings_have_context(settings))
        return;
    if (worker != NULL &&
        !pool_wants_separator(worker, settings->separators.group_bytes + color_bytes))
        return;
    begin = scan->output->used;
    print_separator_line(scan->output, settings);
    if (worker != NULL)
        pool_mark_separator(worker, begin);
}

bool print_is_printable(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    if (!scan->settings->nuls.checks_text || charset_is_valid(bytes, (size_t)bytes_count))
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

uint64_t print_content_end(struct text_scan *scan, const struct view *view, uint64_t begin,
                           uint64_t end)
{
    if (view->bytes == NULL)
        return end - !view->has_no_end;
    return end > begin && view->bytes[end - 1] == scan->settings->line_end ? end - 1 : end;
}

uint64_t print_line_number(struct text_scan *scan, const struct view *view, uint64_t at)
{
    if (!scan->settings->heads.line_number)
        return 0;
    if (view->bytes == NULL)
        return scan->counting.line_ends + 1;
    return line_number_at(scan, view->bytes, view->begin, view->begin + at);
}

bool print_show_numbers(struct text_scan *scan, const struct view *view, uint64_t begin,
                        uint64_t end)
{
    uint64_t content = print_content_end(scan, view, begin, end);
    uint64_t first = print_first_match_at(view, view->begin + begin);
    uint64_t past = print_first_match_at(view, view->begin + end);

    if (!number_set_of_line(scan, view->matches + first, past - first, view->begin + begin,
                            view->begin + content,
                            line_holds_empty(scan, view->bytes == NULL ? NULL : view->bytes + begin,
                                             view->begin + begin, view->begin + content)))
        return false;
    scan->shown.numbers = scan->numbers.list;
    scan->shown.number_count = scan->numbers.count;
    return true;
}
