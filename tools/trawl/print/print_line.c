/* print_line: prints lines, and the context before and after them. style.c prints lines that need
 * more than a head and their bytes. */
#include "trawl/print/print_line.h"

#include "trawl/print/binary.h"
#include "trawl/text/charset.h"
#include "trawl/print/count.h"
#include "trawl/print/print.h"
#include "trawl/print/style.h"

uint64_t print_line_end(const struct text_scan *scan, const struct view *view, uint64_t at)
{
    const uint8_t *found =
        memchr(view->bytes + at, scan->settings->line_end, (size_t)(view->count - at));

    return found != NULL ? (uint64_t)(found - view->bytes) + 1 : view->count;
}

bool print_is_simple(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;

    return settings->report->finds == FINDS_LINES && !settings->colors.on && !settings->style.on &&
           !settings->heads.pattern_number;
}

uint64_t print_part(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end)
{
    uint64_t last = view->begin + end, block = (last - 1) / BLOCK_BYTES * BLOCK_BYTES;
    const uint8_t *line_end = NULL;

    if (last <= scan->nulls.block_end)
        return end;
    if (block > view->begin + begin)
        line_end = memrchr(view->bytes + begin, scan->settings->line_end,
                           (size_t)(block - view->begin - begin));
    if (line_end != NULL)
        return (uint64_t)(line_end - view->bytes) + 1;
    binary_next_block(scan, last);
    return end;
}

uint64_t print_run(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                   char separator)
{
    const struct settings *settings = scan->settings;
    uint64_t lines = 0;
    bool has_end;

    if (view->bytes == NULL || !print_is_simple(scan) ||
        (settings->nuls.checks_text &&
         !charset_is_valid(view->bytes + begin, (size_t)(end - begin))))
        return 0;
    has_end = view->bytes[end - 1] == settings->line_end;
    scan->output->holds =
        scan->nulls.block_end != OFFSET_NONE && scan->nulls.block_end > view->begin + view->count;
    if (scan->job->show_names <= 0 && !settings->heads.line_number &&
        !settings->heads.byte_offset) {
        output_bytes(scan->output, view->bytes + begin, (size_t)(end - begin));
        lines = count_byte(view->bytes + begin, end - begin, settings->line_end) + !has_end;
    } else {
        scan->shown.head.line_number = print_line_number(scan, view, begin);
        scan->shown.head.column = 0;
        scan->shown.head.selected = separator == ':';
        for (uint64_t at = begin, past; at < end; at = past, lines++) {
            past = print_line_end(scan, view, at);
            scan->shown.head.offset = view->begin + at;
            scan->shown.head.bytes_count = past - at - (past < end || has_end);
            print_head(scan);
            scan->shown.head.line_number += settings->heads.line_number;
            output_bytes(scan->output, view->bytes + at, (size_t)(past - at));
        }
        if (settings->heads.line_number)
            count_add_line_ends(scan, view->begin + end, lines - !has_end);
    }
    if (!has_end)
        print_terminator(scan->output, settings, settings->line_end);
    scan->lines.printed_end = view->begin + end;
    return lines;
}

bool print_line(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator)
{
    if (view->begin + end > scan->nulls.block_end)
        binary_next_block(scan, view->begin + end);
    if (print_run(scan, view, begin, end, separator) > 0)
        return true;
    return style_line(scan, view, begin, end, separator);
}

bool print_lines(struct text_scan *scan, const struct view *view, uint64_t at, uint64_t end,
                 char separator, bool all)
{
    while (at < end) {
        uint64_t part = print_part(scan, view, at, end);

        if (print_run(scan, view, at, part, separator) > 0)
            at = part;
        while (at < part) {
            uint64_t past = print_line_end(scan, view, at);

            if (!print_line(scan, view, at, past, separator) && !all)
                return false;
            at = past;
        }
    }
    return true;
}

uint64_t print_at(const struct text_scan *scan, const struct view *view)
{
    bool inside = scan->lines.printed_end != OFFSET_NONE && scan->lines.printed_end > view->begin;

    return inside ? scan->lines.printed_end - view->begin : 0;
}

bool print_marks_context(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;
    const bool is_beyond =
        settings->pcre == PCRE_ASKED || (scan->job->patterns->options.flags & TRAWL_PCRE) != 0;

    return settings->is_tg && scan->lines.left == 0 && !settings->null_data &&
           !settings->stop_on_nonmatch && (!is_beyond || settings->multiline);
}

/* Prints the lines [at, end) as trailing context. */
static bool print_trailing(struct text_scan *scan, const struct view *view, uint64_t at,
                           uint64_t end)
{
    const struct settings *settings = scan->settings;

    if (!print_marks_context(scan))
        return print_lines(scan, view, at, end, '-', false);
    for (uint64_t past; at < end; at = past) {
        uint64_t first = print_first_match_at(view, view->begin + at), content, after;
        struct line line;
        bool selected;

        past = print_line_end(scan, view, at);
        after = print_first_match_at(view, view->begin + past);
        content = print_content_end(scan, view, at, past);
        line = (struct line){at, past, after,
                             scan_matches(scan, view->bytes + at, view->begin + at,
                                          view->begin + content, view->matches + first,
                                          after - first)};
        if (line.fits && scan->job->lines_meet != NULL)
            scan->job->lines_meet(scan, view->bytes, &line, 1);
        selected = line.fits != settings->invert;
        if (scan->whole.bytes != NULL && !settings->invert) /* the line must match by itself */
            selected = selected && view->matches[first].end <= view->begin + content;
        if (!print_line(scan, view, at, past, selected ? ':' : '-'))
            return false;
        if (selected)
            scan->lines.selected_end = view->begin + past; /* ripgrep has searched up to here */
    }
    return true;
}

void print_pending(struct text_scan *scan, const struct view *view, uint64_t limit)
{
    /* If no line was printed, the result of print_at means nothing, but then no context is pending,
     * so nothing is printed here. */
    uint64_t at = print_at(scan, view), end = at, lines = 0;

    for (; lines < scan->lines.pending && end < limit; lines++)
        end = print_line_end(scan, view, end);
    scan->lines.pending = print_trailing(scan, view, at, end) ? scan->lines.pending - lines : 0;
}

uint64_t print_lines_before(const struct text_scan *scan, const uint8_t *bytes, uint64_t floor,
                            uint64_t at)
{
    for (int64_t i = 0; i < scan->settings->before_count && at > floor; i++) {
        const uint8_t *line_end =
            at < 2 ? NULL : memrchr(bytes, scan->settings->line_end, (size_t)(at - 1));

        at = line_end != NULL ? (uint64_t)(line_end - bytes) + 1 : 0;
    }
    return at;
}

void print_before(struct text_scan *scan, const struct view *view, uint64_t begin)
{
    bool touches = scan->lines.printed_end != OFFSET_NONE && scan->lines.printed_end >= view->begin;
    uint64_t floor = touches ? scan->lines.printed_end - view->begin : 0;
    uint64_t at = print_lines_before(scan, view->bytes, floor, begin);

    if (scan->lines.printed_end != view->begin + at)
        print_group_separator(scan);
    scan->function.marks = true;
    print_lines(scan, view, at, begin, '-', true);
    scan->function.marks = false;
}
