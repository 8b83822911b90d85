/* style: lines of which more is printed than a head and their bytes (print_line.c): matches marked
 * or alone, columns, replacements, long lines cut.
 */
#include "trawl/style.h"

#include <stdio.h>
#include <stdlib.h>

#include "trawl/escape.h"
#include "trawl/json.h"
#include "trawl/print.h"
#include "trawl/utf8.h"

/* A line, or with -o a match, to be printed. */
struct piece {
    const uint8_t *bytes;
    uint64_t count;                /* with the line end */
    uint64_t content;              /* without it */
    const struct line_span *spans; /* that are marked */
    uint64_t span_count;
    uint64_t match_count; /* of the whole line, for those who do not see it */
    bool selected;
    bool is_match; /* of -o */
};

/* ---- Texts ------------------------------------------------------------------------------------
 */

static void print_bytes(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count,
                        const char *color)
{
    if (bytes_count == 0)
        return;
    print_color_start(scan, color);
    if (scan->settings->style.escapes)
        escape_print(scan->output, bytes, bytes_count, scan->settings->line_end == '\0');
    else
        output_bytes(scan->output, bytes, (size_t)bytes_count);
    print_color_end(scan, color);
}

/* The part [begin, end) of a piece, its spans marked. */
static void print_part(struct text_scan *scan, const struct piece *piece, uint64_t begin,
                       uint64_t end)
{
    const struct settings *settings = scan->settings;
    const struct colors *colors = &settings->colors;
    bool is_greps = !settings->style.on;
    const char *line_color = !colors->on                          ? ""
                             : is_greps && piece->is_match        ? ""
                             : piece->selected != colors->reverse ? colors->selected_line
                                                                  : colors->context_line;
    const char *match_color = !colors->on       ? ""
                              : piece->selected ? colors->selected_match
                                                : colors->context_match;
    uint64_t at = begin, content = end < piece->content ? end : piece->content;

    for (uint64_t i = 0; i < piece->span_count && *match_color != '\0'; i++) {
        uint64_t from = piece->spans[i].begin, to = piece->spans[i].end;

        from = from > at ? from : at;
        to = to < content ? to : content;
        if (from >= to)
            continue;
        if (is_greps) { /* the match's colour ends the line's */
            print_color_start(scan, line_color);
            output_bytes(scan->output, piece->bytes + at, (size_t)(from - at));
        } else {
            print_bytes(scan, piece->bytes + at, from - at, line_color);
        }
        print_bytes(scan, piece->bytes + from, to - from, match_color);
        at = to;
    }
    if (content > at && piece->bytes[content - 1] == '\r')
        content--;
    if (content > at) {
        print_bytes(scan, piece->bytes + at, content - at, line_color);
        at = content;
    }
    output_bytes(scan->output, piece->bytes + at, (size_t)(end - at)); /* the line end */
}

/* Where a piece begins that is printed from `begin` on. */
static uint64_t trimmed(const struct text_scan *scan, const struct piece *piece, uint64_t begin)
{
    static const char blanks[6] = {' ', '\t', '\n', '\v', '\f', '\r'};

    size_t count =
        sizeof blanks - scan->settings->crlf; /* there the last one may be of a line end */

    if (scan->settings->trim)
        while (begin < piece->content && memchr(blanks, piece->bytes[begin], count) != NULL)
            begin++;
    return begin;
}

/* Around the first match of a line that is too long: as many characters before it as after. */
static void print_around_match(struct text_scan *scan, const struct piece *piece,
                               uint64_t characters)
{
    uint64_t begin = piece->spans[0].begin, end = piece->spans[0].end, before, rest = 0;
    char text[64];

    end = begin + utf8_skip(piece->bytes + begin, end - begin, characters);
    for (uint64_t i = begin; i < end; i++)
        rest += (piece->bytes[i] & 0xc0) != 0x80;
    rest = characters > rest ? characters - rest : 0;
    for (before = rest / 2; before > 0 && begin > 0; before--) {
        uint64_t floor = begin > 4 ? begin - 4 : 0, at = begin - 1;
        uint32_t code_point;

        while (at > floor && (piece->bytes[at] & 0xc0) == 0x80)
            at--;
        if (at + utf8_character(piece->bytes + at, begin - at, &code_point) != begin)
            at = begin - 1;
        begin = at;
    }
    end += utf8_skip(piece->bytes + end, piece->content - end, rest - rest / 2 + before);
    (void)snprintf(text, sizeof text, "[%llu bytes ...] ", (unsigned long long)begin);
    if (begin > 0)
        output_text(scan->output, text);
    print_part(scan, piece, begin, end);
    (void)snprintf(text, sizeof text, " [... %llu bytes]",
                   (unsigned long long)(piece->content - end));
    if (end < piece->content)
        output_text(scan->output, text);
}

/* With -o ripgrep 13 compares places in the line with places in the match, and so do we. */
static void print_beginning(struct text_scan *scan, const struct piece *piece, uint64_t characters)
{
    const struct line_span *spans = piece->is_match ? scan->style.spans : piece->spans;
    uint64_t span_count = piece->is_match ? scan->style.span_count : piece->span_count;
    uint64_t end = utf8_skip(piece->bytes, piece->content, characters), more = 0;
    uint64_t begin = trimmed(scan, piece, 0);
    char text[64];

    if (begin < end)
        print_part(scan, piece, begin, end);
    if (piece->span_count == 0) {
        output_text(scan->output, " [... omitted end of long line]");
        return;
    }
    for (uint64_t i = 0; i < span_count; i++)
        more += spans[i].begin >= end && spans[i].begin < piece->content;
    (void)snprintf(text, sizeof text, " [... %llu more match%s]", (unsigned long long)more,
                   more == 1 ? "" : "es");
    output_text(scan->output, text);
}

static void print_too_long(struct text_scan *scan, const struct piece *piece)
{
    const struct settings *settings = scan->settings;
    char text[64];

    if (settings->preview == PREVIEW_MATCH && piece->span_count > 0) {
        print_around_match(scan, piece, settings->max_columns);
    } else if (settings->preview != PREVIEW_NONE) {
        print_beginning(scan, piece, settings->max_columns);
    } else if (piece->match_count > 0 && !piece->is_match) {
        (void)snprintf(text, sizeof text, "[Omitted long line with %llu matches]",
                       (unsigned long long)piece->match_count);
        output_text(scan->output, text);
    } else {
        output_text(scan->output, piece->selected ? "[Omitted long matching line]"
                                                  : "[Omitted long context line]");
    }
    output_byte(scan->output, scan->settings->line_end);
}

/* With what stands before it; column 0: none. */
static void print_piece(struct text_scan *scan, const struct piece *piece, uint64_t line_number,
                        uint64_t column, uint64_t offset)
{
    struct line_head head = {line_number, column, offset, piece->content, piece->selected};
    uint64_t max_columns = scan->settings->max_columns;

    print_head(scan, &head);
    /* The line end counts, but not after a replacement, as in ripgrep 13. */
    if (max_columns > 0 &&
        (piece->bytes == scan->style.replaced ? piece->content : piece->count) > max_columns) {
        print_too_long(scan, piece);
        return;
    }
    print_part(scan, piece, trimmed(scan, piece, 0), piece->count);
    if (piece->content == piece->count)
        output_byte(scan->output, scan->settings->line_end);
}

/* ---- Matches ----------------------------------------------------------------------------------
 */

bool style_find_spans(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end)
{
    struct style_state *style = &scan->style;
    uint64_t line = view->begin + begin, content = view->begin + end;
    uint64_t index = print_first_match_at(view, line), from = line;
    bool each = scan->settings->overlapping && scan->settings->report == REPORT_ONLY_MATCHING;
    struct trawl_match match;
    uint64_t group;

    style->span_count = 0;
    while (print_next_match(scan, view, line, content, from, &index, &match)) {
        if (style->span_count == style->span_capacity) {
            struct line_span *spans = scan_grow(scan, style->spans, &style->span_capacity,
                                                style->span_count + 1, sizeof *spans);

            if (spans == NULL)
                return false;
            style->spans = spans;
        }
        if (scan->settings->crlf && scan->settings->whole_lines && match.end > match.begin &&
            view->bytes[match.end - 1 - view->begin] == '\r')
            match.end--; /* which patterns.c added */
        group = index - 1;
        while (!each && group > 0 && view->matches[group - 1].begin == match.begin)
            group--;
        style->spans[style->span_count++] =
            (struct line_span){match.begin - line, match.end - line, group,         index - group,
                               match.end,          match.distance,   match.reversed};
        from = each ? match.begin : match.end;
    }
    return true;
}

static bool put(struct text_scan *scan, const void *bytes, uint64_t bytes_count)
{
    struct style_state *style = &scan->style;
    uint8_t *replaced = scan_grow(scan, style->replaced, &style->replaced_capacity,
                                  style->replaced_count + bytes_count + 1, 1);

    if (replaced == NULL)
        return false;
    style->replaced = replaced;
    memcpy(style->replaced + style->replaced_count, bytes, (size_t)bytes_count);
    style->replaced_count += bytes_count;
    return true;
}

static size_t name_bytes(const char *text)
{
    return strspn(text, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/* --replacements: the line of the first string that the match is. */
static bool put_line(struct text_scan *scan, const struct view *view, const struct line_span *span)
{
    const struct trawl_pattern *line;

    if (!number_set_at(scan, view->matches + span->group, span->group_count, span->text_end))
        return false;
    line = &scan->job->patterns->replacements[scan->numbers.list[0] - 1];
    return put(scan, line->bytes, line->bytes_count);
}

/* --replace: what stands for the match. */
static bool put_replacement(struct text_scan *scan, const uint8_t *match, uint64_t match_bytes)
{
    const char *text = scan->settings->replace;

    while (*text != '\0') {
        size_t plain = strcspn(text, "$"), name = 0, skip = 0;

        if (!put(scan, text, plain))
            return false;
        text += plain;
        if (*text == '\0')
            break;
        if (text[1] == '{' && strchr(text, '}') != NULL) {
            name = strcspn(text + 2, "}");
            skip = name > 0 ? name + 3 : 0;
        } else {
            name = name_bytes(text + 1);
            skip = name > 0 ? name + 1 : 0;
        }
        if (skip > 0) {
            if (name == 1 && text[text[1] == '{' ? 2 : 1] == '0' && !put(scan, match, match_bytes))
                return false;
            text += skip;
        } else {
            if (!put(scan, "$", 1))
                return false;
            text += text[1] == '$' ? 2 : 1;
        }
    }
    return true;
}

/* Exchange the matches of a line for what stands for them, and the spans with them. */
static bool replace_spans(struct text_scan *scan, const struct view *view, struct piece *piece)
{
    struct style_state *style = &scan->style;
    uint64_t at = 0, end_bytes = piece->count - piece->content;

    style->replaced_count = 0;
    for (uint64_t i = 0; i < style->span_count; i++) {
        struct line_span *span = &style->spans[i];
        struct line_span old = *span;

        if (old.begin > at && !put(scan, piece->bytes + at, old.begin - at)) /* or they overlap */
            return false;
        span->begin = style->replaced_count;
        if (!(scan->settings->replacements != NULL
                  ? put_line(scan, view, &old)
                  : put_replacement(scan, piece->bytes + old.begin, old.end - old.begin)))
            return false;
        span->end = style->replaced_count;
        at = old.end > at ? old.end : at;
    }
    if (!put(scan, piece->bytes + at, piece->count - at))
        return false;
    piece->bytes = style->replaced;
    piece->count = style->replaced_count;
    piece->content = style->replaced_count - end_bytes;
    return true;
}

/* ---- Lines ------------------------------------------------------------------------------------
 */

/* With -o: each match on its own line; with --pattern-number, on a line for each number. */
static bool print_matches(struct text_scan *scan, const struct view *view, const struct piece *line,
                          uint64_t number, uint64_t offset)
{
    bool column = scan->settings->column, numbered = scan->settings->pattern_number;

    for (uint64_t i = 0; i < line->span_count; i++) {
        const struct line_span *span = &line->spans[i];
        uint64_t bytes_count = span->end - span->begin;
        struct line_span whole = {.begin = 0, .end = bytes_count};
        struct piece piece = {
            line->bytes + span->begin, bytes_count, bytes_count, &whole, 1, 1, line->selected,
            .is_match = true};

        if (!print_is_printable(scan, piece.bytes, bytes_count))
            return false;
        if (numbered &&
            !number_set_at(scan, view->matches + span->group, span->group_count, span->text_end))
            return false;
        for (uint64_t k = 0; k < (numbered ? scan->numbers.count : 1); k++) {
            scan->shown_numbers = numbered ? scan->numbers.list + k : NULL;
            scan->shown_count = numbered;
            scan->shown_distance = span->distance;
            print_piece(scan, &piece, number, column ? span->begin + 1 : 0, offset + span->begin);
        }
        scan->shown_count = 0;
    }
    return true;
}

/* With --vimgrep: the line once for each match. */
static void print_for_each_match(struct text_scan *scan, const struct piece *line, uint64_t number,
                                 uint64_t offset)
{
    bool column = scan->settings->column;

    for (uint64_t i = 0; i < line->span_count; i++) {
        struct piece piece = *line;

        if (scan->settings->preview == PREVIEW_NONE) {
            piece.spans = line->spans + i;
            piece.span_count = 1;
        }
        scan->shown_distance = line->spans[i].distance;
        print_piece(scan, &piece, number, column ? line->spans[i].begin + 1 : 0,
                    offset + line->spans[i].begin);
    }
}

/* Of a line of context too, the matches: under -v it has some. */
static bool print_json(struct text_scan *scan, const struct view *view, uint64_t begin,
                       uint64_t end, bool selected)
{
    struct json_line line = {
        view->bytes + begin, end - begin, NULL, 0, print_line_number(scan, view, begin),
        view->begin + begin, selected};

    if (!style_find_spans(scan, view, begin, print_content_end(scan, view, begin, end)))
        return false;
    line.spans = scan->style.spans;
    line.span_count = scan->style.span_count;
    json_line(scan, &line);
    scan->printed_end = view->begin + end;
    return true;
}

/* Of the matches that begin in [begin, end) of the text. */
static uint32_t least_distance(const struct view *view, uint64_t begin, uint64_t end)
{
    uint32_t least = DISTANCE_NONE;

    for (uint64_t i = print_first_match_at(view, begin);
         i < view->match_count && view->matches[i].begin < end; i++)
        if (view->matches[i].distance < least)
            least = view->matches[i].distance;
    return least;
}

bool style_line(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator)
{
    const struct settings *settings = scan->settings;
    uint64_t content = print_content_end(scan, view, begin, end);
    uint64_t offset = view->begin + begin, number = print_line_number(scan, view, begin);
    bool selected = separator == ':', matching = selected != settings->invert;
    bool only_matching = settings->report == REPORT_ONLY_MATCHING;
    struct piece line = {view->bytes + begin, end - begin, content - begin, .selected = selected};

    if (settings->json)
        return print_json(scan, view, begin, end, selected);
    scan->style.span_count = 0;
    if (matching && settings->style.each_match && !style_find_spans(scan, view, begin, content))
        return false;
    if (!only_matching && !print_is_printable(scan, line.bytes, line.content))
        return false;
    if ((settings->replace != NULL || settings->replacements != NULL) &&
        scan->style.span_count > 0 && !replace_spans(scan, view, &line))
        return false;
    line.spans = scan->style.spans;
    line.span_count = line.match_count = scan->style.span_count;
    scan->shown_count = 0;
    scan->shown_distance = settings->shows_distance && matching
                               ? least_distance(view, offset, view->begin + end)
                               : DISTANCE_NONE;
    if (settings->pattern_number && !only_matching && selected &&
        !print_show_numbers(scan, view, begin, end))
        return false;
    if (only_matching && (matching || !settings->passthru)) {
        if (matching && !print_matches(scan, view, &line, number, offset))
            return false;
    } else if (settings->vimgrep && line.span_count > 0) {
        print_for_each_match(scan, &line, number, offset);
    } else {
        print_piece(scan, &line, number,
                    settings->column && line.span_count > 0 ? line.spans[0].begin + 1 : 0, offset);
    }
    scan->printed_end = view->begin + end;
    return true;
}
