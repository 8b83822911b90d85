/* print_line: lines as grep lays them out, each with the context before and after it. */
#include "trawl/print_line.h"

#include "trawl/binary.h"
#include "trawl/charset.h"
#include "trawl/count.h"
#include "trawl/far.h"
#include "trawl/json.h"
#include "trawl/print.h"
#include "trawl/style.h"

/* The matches of a line on lines of their own. */
static bool print_only_matches(struct scan *scan, const struct view *view, uint64_t begin,
                               uint64_t end, const char *color)
{
    /* grep gives these the separator of a context line under -v. */
    char separator = scan->settings->invert ? '-' : ':';
    bool overlapping = scan->settings->overlapping;
    uint64_t line_end = view->begin + print_content_end(scan, view, begin, end);
    uint64_t index = print_first_match_at(view, view->begin + begin);
    uint64_t from = view->begin + begin;
    struct trawl_match match;

    while (print_next_match(scan, view, view->begin + begin, line_end, from, &index, &match)) {
        const uint8_t *bytes = view->bytes + (match.begin - view->begin);
        uint64_t group = index - 1;

        if (!print_is_printable(scan, bytes, match.end - match.begin))
            return false;
        while (!overlapping && group > 0 && view->matches[group - 1].begin == match.begin)
            group--;
        print_found(scan, bytes, &match, view->matches + group, index - group,
                    print_line_number(scan, view, begin), separator, color);
        from = overlapping ? match.begin : match.end;
    }
    return true;
}

/* The line's text with its matches marked; returns up to where it was printed. */
static uint64_t print_marked(struct scan *scan, const struct view *view, uint64_t begin,
                             uint64_t end, const char *line_color, const char *match_color)
{
    uint64_t line_end = view->begin + print_content_end(scan, view, begin, end);
    uint64_t index = print_first_match_at(view, view->begin + begin);
    uint64_t from = view->begin + begin;
    struct trawl_match match;

    while (print_next_match(scan, view, view->begin + begin, line_end, from, &index, &match)) {
        print_color_start(scan, line_color);
        output_bytes(scan->output, view->bytes + (from - view->begin),
                     (size_t)(match.begin - from));
        print_match(scan, view->bytes + (match.begin - view->begin), match.end - match.begin,
                    match_color);
        from = match.end;
    }
    return from - view->begin;
}

/* The rest of the line in the line's colour; its end, with a carriage return before it, in none. */
static void print_tail(struct scan *scan, const struct view *view, uint64_t from, uint64_t end,
                       const char *line_color)
{
    uint64_t plain = print_content_end(scan, view, from, end);

    if (plain > from && view->bytes[plain - 1] == '\r')
        plain--;
    if (plain > from && *line_color != '\0') {
        print_color_start(scan, line_color);
        output_bytes(scan->output, view->bytes + from, (size_t)(plain - from));
        print_color_end(scan, line_color);
        from = plain;
    }
    output_bytes(scan->output, view->bytes + from, (size_t)(end - from));
}

static void print_text(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                       char separator)
{
    const struct colors *colors = &scan->settings->colors;
    bool has_end = print_content_end(scan, view, begin, end) < end;
    uint64_t from = begin;

    if (colors->on) {
        bool selected = separator == ':';
        bool matching = selected != scan->settings->invert;
        const char *line_color =
            selected != colors->reverse ? colors->selected_line : colors->context_line;
        const char *match_color = selected ? colors->selected_match : colors->context_match;

        if (matching && *match_color != '\0')
            from = print_marked(scan, view, begin, end, line_color, match_color);
        print_tail(scan, view, from, end, line_color);
    } else {
        output_bytes(scan->output, view->bytes + from, (size_t)(end - from));
    }
    if (!has_end)
        output_byte(scan->output, scan->settings->line_end);
}

bool print_line(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator)
{
    const struct settings *settings = scan->settings;
    bool only_matching = settings->report == REPORT_ONLY_MATCHING;

    if (view->begin + end > scan->block_end)
        binary_next_block(scan, view->begin + end);
    if (settings->style.on)
        return style_line(scan, view, begin, end, separator);
    if (only_matching) {
        bool matching = (separator == ':') != settings->invert;
        const char *color = !settings->colors.on ? ""
                            : separator == ':'   ? settings->colors.selected_match
                                                 : settings->colors.context_match;

        if (matching && !print_only_matches(scan, view, begin, end, color))
            return false;
    } else {
        uint64_t content = print_content_end(scan, view, begin, end) - begin;

        if (!print_is_printable(scan, view->bytes + begin, content) ||
            (settings->pattern_number && !print_show_numbers(scan, view, begin, end, separator)))
            return false;
        print_head(scan, print_line_number(scan, view, begin), view->begin + begin, content,
                   separator);
        print_text(scan, view, begin, end, separator);
    }
    scan->printed_end = view->begin + end;
    return true;
}

/* Where the line ends that `at` is in, at `limit` at the latest. */
static uint64_t line_past(const struct scan *scan, const struct view *view, uint64_t at,
                          uint64_t limit)
{
    const uint8_t *found = memchr(view->bytes + at, scan->settings->line_end, (size_t)(limit - at));

    return found != NULL ? (uint64_t)(found - view->bytes) + 1 : limit;
}

bool print_is_simple(const struct scan *scan)
{
    const struct settings *settings = scan->settings;

    return settings->report == REPORT_LINES && !settings->colors.on && !settings->style.on &&
           !settings->pattern_number;
}

uint64_t print_part(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end)
{
    uint64_t last = view->begin + end, block = (last - 1) / BLOCK_BYTES * BLOCK_BYTES;
    const uint8_t *line_end = NULL;

    if (last <= scan->block_end)
        return end;
    if (block > view->begin + begin)
        line_end = memrchr(view->bytes + begin, scan->settings->line_end,
                           (size_t)(block - view->begin - begin));
    if (line_end != NULL)
        return (uint64_t)(line_end - view->bytes) + 1;
    binary_next_block(scan, last);
    return end;
}

uint64_t print_run(struct scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                   char separator)
{
    const struct settings *settings = scan->settings;
    bool has_end = view->bytes[end - 1] == settings->line_end;
    uint64_t number, lines = 0;

    if (!print_is_simple(scan) ||
        (settings->checks_text && !charset_is_valid(view->bytes + begin, (size_t)(end - begin))))
        return 0;
    if (scan->job->show_names <= 0 && !settings->line_number && !settings->byte_offset) {
        output_bytes(scan->output, view->bytes + begin, (size_t)(end - begin));
        lines = count_byte(view->bytes + begin, end - begin, settings->line_end) + !has_end;
    } else {
        number = print_line_number(scan, view, begin);
        for (uint64_t at = begin, past; at < end; at = past, lines++) {
            past = line_past(scan, view, at, end);
            print_head(scan, number + (number > 0 ? lines : 0), view->begin + at,
                       past - at - (past < end || has_end), separator);
            output_bytes(scan->output, view->bytes + at, (size_t)(past - at));
        }
        if (number > 0)
            count_lines(scan, view->begin + end, lines - !has_end);
    }
    if (!has_end)
        output_byte(scan->output, settings->line_end);
    scan->printed_end = view->begin + end;
    return lines;
}

bool print_lines(struct scan *scan, const struct view *view, uint64_t at, uint64_t end,
                 char separator, bool all)
{
    while (at < end) {
        uint64_t part = print_part(scan, view, at, end);

        if (print_run(scan, view, at, part, separator) > 0)
            at = part;
        while (at < part) {
            uint64_t past = line_past(scan, view, at, part);

            if (!print_line(scan, view, at, past, separator) && !all)
                return false;
            at = past;
        }
    }
    return true;
}

void print_pending(struct scan *scan, const struct view *view, uint64_t limit)
{
    uint64_t at = scan->printed_end > view->begin && scan->printed_end != OFFSET_NONE
                      ? scan->printed_end - view->begin
                      : 0;
    uint64_t end = at, lines = 0;

    for (; lines < scan->pending_count && end < limit; lines++)
        end = line_past(scan, view, end, limit);
    scan->pending_count =
        print_lines(scan, view, at, end, '-', false) ? scan->pending_count - lines : 0;
}

void print_before(struct scan *scan, const struct view *view, uint64_t begin)
{
    const struct settings *settings = scan->settings;
    bool touches = scan->printed_end != OFFSET_NONE && scan->printed_end >= view->begin;
    uint64_t floor = touches ? scan->printed_end - view->begin : 0;
    uint64_t at = begin;

    for (int64_t i = 0; i < settings->before_count && at > floor; i++) {
        const uint8_t *line_end =
            at < 2 ? NULL : memrchr(view->bytes, settings->line_end, (size_t)(at - 1));

        at = line_end != NULL ? (uint64_t)(line_end - view->bytes) + 1 : 0;
    }
    if (scan->printed_end != view->begin + at)
        print_group_separator(scan);
    print_lines(scan, view, at, begin, '-', true);
}

static bool put_piece(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    output_bytes(scan->output, bytes, (size_t)bytes_count);
    return scan->output->error == 0;
}

static bool check_piece(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    scan->encoding_error = !charset_is_valid(bytes, (size_t)bytes_count);
    return !scan->encoding_error;
}

static bool print_far_json(struct scan *scan, uint64_t begin, uint64_t end, bool has_end,
                           uint64_t number, bool selected)
{
    struct view view = {NULL, begin, end - begin + has_end, scan->carried, scan->carried_count,
                        false};
    struct json_line line = {NULL, view.count, NULL, 0, number, begin, selected};

    if (!style_find_spans(scan, &view, 0, end - begin))
        return false;
    line.spans = scan->style.spans;
    line.span_count = scan->style.span_count;
    json_line(scan, &line);
    return scan->status == TRAWL_OK;
}

bool print_far_line(struct scan *scan, uint64_t begin, uint64_t end, bool has_end, char separator)
{
    const struct settings *settings = scan->settings;
    uint64_t number = settings->line_number ? scan->line_end_count + 1 : 0;

    if (end > scan->block_end)
        binary_next_block(scan, end);
    if (settings->json)
        return print_far_json(scan, begin, end, has_end, number, separator == ':');
    if (settings->checks_text && !far_pieces(scan, settings->charset, begin, end, check_piece))
        return false;
    print_head(scan, number, begin, end - begin, separator);
    if (!far_pieces(scan, CHARSET_BYTES, begin, end, put_piece))
        return false;
    output_byte(scan->output, settings->line_end);
    return true;
}
