/* style: prints lines that need more than a prefix and their own bytes: with coloured matches,
 * columns or replacements, or shortened. */
#include "trawl/print/style.h"

#include <inttypes.h>
#include <string.h>

#include "trawl/print/count.h"
#include "trawl/print/excerpt.h"
#include "trawl/print/json.h"
#include "trawl/print/print.h"
#include "trawl/print/piece.h"
#include "trawl/print/occurrences.h"

static void put_bytes(struct text_scan *scan, const struct piece *piece, uint64_t begin,
                      uint64_t end)
{
    uint64_t count;

    if (piece->bytes != NULL && !piece->replaced) {
        output_bytes(scan->output, piece->bytes + piece->at + begin, (size_t)(end - begin));
        return;
    }
    for (; begin < end && scan->output->error == 0; begin += count) {
        const uint8_t *bytes = piece_bytes(scan, piece, begin, &count);

        if (bytes == NULL)
            return;
        count = count < end - begin ? count : end - begin;
        output_bytes(scan->output, bytes, (size_t)count);
    }
}

static void print_bytes(struct text_scan *scan, const struct piece *piece, uint64_t begin,
                        uint64_t end, const char *color)
{
    if (begin == end)
        return;
    print_color_start(scan, color);
    put_bytes(scan, piece, begin, end);
    print_color_end(scan, color);
}

/* Prints a part of a piece with coloured matches as ripgrep does: touching matches share one colour
 * sequence, and the rest of a line with a match may have a colour, too. */
static void print_marked(struct text_scan *scan, const struct piece *piece, uint64_t at,
                         uint64_t end)
{
    const struct colors *colors = &scan->settings->colors;
    const char *rest = piece->selected ? colors->highlight : "";
    uint64_t content = end < piece->content ? end : piece->content;

    if (content == piece->content && content > at && end > piece->content && scan->settings->crlf &&
        piece_byte_at(scan, piece, content - 1) == '\r')
        content--;
    print_color_start(scan, rest);
    for (uint64_t i = 0; i < piece->span_count; i++) {
        uint64_t from = piece->spans[i].begin, to = piece->spans[i].end;

        for (; i + 1 < piece->span_count && piece->spans[i + 1].begin <= to; i++)
            to = piece->spans[i + 1].end > to ? piece->spans[i + 1].end : to;
        from = from > at ? from : at;
        to = to < content ? to : content;
        if (from >= to)
            continue;
        put_bytes(scan, piece, at, from);
        print_color_start(scan, colors->selected_match);
        put_bytes(scan, piece, from, to);
        print_color_end(scan, *rest == '\0' ? colors->selected_match : "");
        print_color_start(scan, rest);
        at = to;
    }
    if (at < content)
        put_bytes(scan, piece, at, content);
    print_color_end(scan, rest);
    if (end > piece->content && scan->status == TRAWL_OK)
        print_terminator(scan->output, scan->settings, scan->settings->line_end);
}

/* Prints the part [begin, end) of a piece in the line's colour, with coloured matches, up to the
 * end of the piece's content. Returns the offset of the first byte without colour. */
static uint64_t print_colored(struct text_scan *scan, const struct piece *piece, uint64_t begin,
                              uint64_t end)
{
    const struct colors *colors = &scan->settings->colors;
    bool is_greps = !scan->settings->style.on;
    const char *line_color = is_greps && piece->is_match          ? ""
                             : piece->selected != colors->reverse ? colors->selected_line
                                                                  : colors->context_line;
    const char *match_color = piece->selected ? colors->selected_match : colors->context_match;
    uint64_t at = begin, content = end < piece->content ? end : piece->content;

    for (uint64_t i = 0; i < piece->span_count && *match_color != '\0'; i++) {
        uint64_t from = piece->spans[i].begin, to = piece->spans[i].end;

        from = from > at ? from : at;
        to = to < content ? to : content;
        if (from >= to)
            continue;
        if (is_greps) { /* in grep, the match's colour ends the line's colour */
            print_color_start(scan, line_color);
            put_bytes(scan, piece, at, from);
        } else {
            print_bytes(scan, piece, at, from, line_color);
        }
        print_bytes(scan, piece, from, to, match_color);
        at = to;
    }
    if (*line_color != '\0' && content > at) {
        content -= piece_byte_at(scan, piece, content - 1) == '\r';
        print_bytes(scan, piece, at, content, line_color);
        at = content;
    }
    return at;
}

/* Returns true if the piece's matches are printed in a colour. */
static bool is_marked(const struct text_scan *scan, const struct piece *piece)
{
    const struct colors *colors = &scan->settings->colors;

    return colors->on && piece->span_count > 0 &&
           *(piece->selected ? colors->selected_match : colors->context_match) != '\0';
}

/* Prints the part [begin, end) of a piece, with coloured matches. */
static void print_span(struct text_scan *scan, const struct piece *piece, uint64_t begin,
                       uint64_t end)
{
    const struct settings *settings = scan->settings;
    const struct colors *colors = &settings->colors;

    if (colors->on && settings->is_tg && piece->match_count > 0 &&
        *(piece->selected ? colors->selected_match : colors->context_match) != '\0') {
        print_marked(scan, piece, begin, end);
        return;
    }
    if (colors->on)
        begin = print_colored(scan, piece, begin, end);
    put_bytes(scan, piece, begin, end < piece->content ? end : piece->content);
    if (end > piece->content &&
        scan->status == TRAWL_OK) /* a line that cannot be read is truncated, without line end */
        output_byte(scan->output, settings->line_end);
}

/* Returns `begin`; with --trim, the offset after the white space at `begin`. */
static uint64_t trimmed(struct text_scan *scan, const struct piece *piece, uint64_t begin)
{
    static const char blanks[6] = {' ', '\t', '\n', '\v', '\f', '\r'};

    size_t count =
        /* with --crlf the '\r' may belong to the line end, so it is not a blank */
        sizeof blanks - scan->settings->crlf;

    if (scan->settings->style.trim && !(piece->is_match && scan->whole.bytes != NULL))
        for (; begin < piece->content; begin++) {
            const uint8_t byte = piece_byte_at(scan, piece, begin);

            if (byte == scan->settings->line_end || memchr(blanks, byte, count) == NULL)
                break;
        }
    return begin;
}

/* Prints the start of a line that is too long. With -o, reproduces ripgrep 13's count of further
 * matches, which is odd: it compares offsets in the line with offsets in the match. */
static void print_beginning(struct text_scan *scan, const struct piece *piece, uint64_t characters)
{
    const struct line_span *spans = piece->is_match ? scan->style.spans : piece->spans;
    uint64_t span_count = piece->is_match ? scan->style.span_count : piece->span_count;
    /* only with --vimgrep, the line end counts as a character that may be in a match */
    uint64_t limit = scan->settings->style.vimgrep ? piece->count : piece->content;
    /* with --multiline, spans count from the block's start */
    uint64_t base = piece->is_match && scan->whole.bytes != NULL ? piece->at : 0;
    uint64_t begin = trimmed(scan, piece, 0), more = 0;
    uint64_t end = piece_skip_characters(scan, piece, begin, limit, characters);
    /* as in ripgrep, blanks that --trim removes still count here, unless matches are coloured */
    uint64_t counted = is_marked(scan, piece) || scan->whole.bytes != NULL
                           ? end
                           : piece_skip_characters(scan, piece, 0, limit, characters);
    uint64_t shown = piece_skip_characters(scan, piece, begin, piece->count, characters);

    /* without the line end: the line's own or, as in ripgrep, one that a replacement ends in */
    if (shown > piece->content)
        shown = piece->content;
    else if (begin < shown)
        shown -= piece_byte_at(scan, piece, shown - 1) == scan->settings->line_end;
    if (begin < shown)
        print_span(scan, piece, begin, shown);
    if (piece->match_count == 0) {
        output_text(scan->output, " [... omitted end of long line]");
        return;
    }
    for (uint64_t i = 0; i < span_count; i++)
        more += spans[i].begin >= base + counted && spans[i].begin < base + piece->count;
    output_format(scan->output, " [... %" PRIu64 " more match%s]", more, more == 1 ? "" : "es");
}

/* Prints the start of a line that exceeds --max-columns, or a message instead of it. */
static void print_too_long(struct text_scan *scan, const struct piece *piece)
{
    const struct settings *settings = scan->settings;

    if (settings->style.preview) {
        print_beginning(scan, piece, settings->style.max_columns);
    } else if (piece->match_count > 0 && !piece->is_match) {
        output_format(scan->output, "[Omitted long line with %" PRIu64 " matches]",
                      piece->match_count);
    } else {
        output_text(scan->output, piece->selected ? "[Omitted long matching line]"
                                                  : "[Omitted long context line]");
    }
    print_terminator(scan->output, settings, settings->line_end);
}

static bool is_too_long(struct text_scan *scan, const struct piece *piece)
{
    const uint64_t max = scan->settings->style.max_columns;

    if (max == 0)
        return false;
    /* as in ripgrep, blanks that --trim removes count as columns only if matches are coloured */
    if (is_marked(scan, piece) && scan->whole.bytes == NULL)
        return piece->count > max;
    return piece->count - trimmed(scan, piece, 0) > max;
}

/* Prints a piece with its head. column 0: the piece has no match. */
static void print_with_head(struct text_scan *scan, const struct piece *piece, uint64_t line_number,
                            uint64_t column, uint64_t offset)
{
    const struct settings *settings = scan->settings;
    const struct colors *colors = &settings->colors;
    struct piece own = *piece;
    uint64_t begin;

    if (own.replaced && own.content == own.count && own.content > 0 &&
        piece_byte_at(scan, &own, own.content - 1) == settings->line_end) {
        own.content--; /* as in ripgrep, the replacement itself ends the line */
        piece = &own;
    }
    begin = settings->style.trim ? trimmed(scan, piece, 0) : 0;
    scan->shown.head =
        (struct line_head){line_number, column, offset, piece->content, piece->selected};
    print_head(scan);
    if (piece->is_match && !piece->replaced && piece->bytes != NULL && begin < piece->count &&
        settings->style.max_columns == 0 &&
        (!colors->on ||
         (settings->is_tg && *colors->highlight == '\0' && *colors->selected_match != '\0'))) {
        /* prints the same as the general case below, but saves a tenth of the work of -o where
         * matches are dense, and a fifth with colours */
        print_color_start(scan, colors->selected_match);
        output_bytes(scan->output, piece->bytes + piece->at + begin, piece->count - begin);
        print_color_end(scan, colors->selected_match);
        print_terminator(scan->output, settings, settings->line_end);
        return;
    }
    if (settings->style.max_columns > 0 && is_too_long(scan, piece)) {
        print_too_long(scan, piece);
        return;
    }
    print_span(scan, piece, begin, piece->count);
    if (piece->content == piece->count && scan->status == TRAWL_OK)
        print_terminator(scan->output, settings, settings->line_end);
}

/* For -o: prints a piece on a separate line. The piece is a match, or the part of a match in one
 * line. `group` has the matches with the same start. With --pattern-number, prints the piece once
 * for each number of a string in `group`. */
static bool print_match(struct text_scan *scan, struct piece *piece, const struct line_span *span,
                        const struct trawl_match *group, uint64_t number)
{
    bool numbered = scan->settings->heads.pattern_number;
    const struct line_span whole = {.begin = 0, .end = piece->count};

    piece->content = piece->count;
    piece->spans = &whole;
    piece->span_count = piece->match_count = 1;
    piece->is_match = true;
    if (!piece_is_printable(scan, piece) ||
        (numbered && !number_set_at(scan, group, span->group_count, piece->offset + span->to)))
        return false;
    scan->shown.distance = span->distance;
    if (!numbered)
        print_with_head(scan, piece, number, span->begin + 1, piece->offset + span->begin);
    for (uint64_t i = 0; numbered && i < scan->numbers.count; i++) {
        scan->shown.numbers = scan->numbers.list + i;
        scan->shown.number_count = 1;
        print_with_head(scan, piece, number, span->begin + 1, piece->offset + span->begin);
    }
    scan->shown.number_count = 0;
    return true;
}

/* Returns the part [begin, end) of the line as a piece. */
static struct piece part_of(const struct piece *line, uint64_t begin, uint64_t end)
{
    struct piece piece = *line;

    piece.at += begin;
    piece.count = end - begin;
    return piece;
}

/* For --pattern-number: collects the numbers of the matches of an excerpt. */
static bool show_numbers(struct text_scan *scan, const struct view *view, const struct piece *line,
                         const struct excerpt *excerpt)
{
    if (!number_set_of_spans(scan, view->matches, line->spans + excerpt->first,
                             excerpt->past - excerpt->first, line->offset))
        return false;
    scan->shown.numbers = scan->numbers.list;
    scan->shown.number_count = scan->numbers.count;
    return true;
}

/* For --around: prints the excerpts of the line. */
static bool print_excerpts(struct text_scan *scan, const struct view *view,
                           const struct piece *line, uint64_t number)
{
    const uint64_t limit = excerpt_limit(scan, line);
    struct excerpt excerpt = {.past = 0};

    while (excerpt_next(scan, line, limit, &excerpt)) {
        const struct line_span *spans = line->spans + excerpt.first;
        struct piece piece = part_of(line, excerpt.begin, excerpt.end);
        uint32_t min = DISTANCE_NONE;

        piece.content = piece.count;
        piece.span_count = piece.match_count = excerpt.past - excerpt.first;
        if (!SCAN_GROW(scan, scan->style.inside, scan->style.inside_capacity, piece.span_count))
            return false;
        for (uint64_t i = 0; i < piece.span_count; i++) {
            scan->style.inside[i] = spans[i];
            scan->style.inside[i].begin -= excerpt.begin;
            scan->style.inside[i].end -= excerpt.begin;
            min = spans[i].distance < min ? spans[i].distance : min;
        }
        piece.spans = scan->style.inside;
        scan->shown.distance = scan->settings->shows_distance ? min : DISTANCE_NONE;
        if (!piece_is_printable(scan, &piece) ||
            (scan->settings->heads.pattern_number && !show_numbers(scan, view, line, &excerpt)))
            return false;
        print_with_head(scan, &piece, number, spans->begin + 1,
                        line->offset + line->at + spans->begin);
        scan->shown.number_count = 0;
    }
    return scan->status == TRAWL_OK;
}

bool style_match(struct text_scan *scan, const struct trawl_window *window,
                 const struct trawl_match *match, const struct trawl_match *group,
                 uint64_t group_count)
{
    const uint64_t count = match->end - match->begin;
    const struct line_span span = {.to = count, .group_count = group_count};
    struct piece piece = {.bytes = window->bytes + (match->begin - window->begin),
                          .offset = match->begin,
                          .count = count,
                          .selected = true};
    uint64_t number = 0;

    if (scan->settings->heads.line_number)
        number = line_number_at(scan, window->bytes, window->begin, match->begin);
    return print_match(scan, &piece, &span, group, number);
}

/* For -o: prints each match of the line. */
static bool print_matches(struct text_scan *scan, const struct view *view, const struct piece *line,
                          uint64_t number)
{
    if (scan->settings->style.excerpts)
        return print_excerpts(scan, view, line, number);
    for (uint64_t i = 0; i < line->span_count; i++) {
        const struct line_span *span = &line->spans[i];
        struct piece piece = part_of(line, span->begin, span->end);

        if (!print_match(scan, &piece, span, view->matches + span->group, number))
            return false;
    }
    return true;
}

/* For --vimgrep: prints the line once for each match. */
static void print_for_each_match(struct text_scan *scan, const struct piece *line, uint64_t number)
{
    const struct colors *colors = &scan->settings->colors;
    bool marked = colors->on && *colors->selected_match != '\0';

    for (uint64_t i = 0; i < line->span_count; i++) {
        struct piece piece = *line;

        if (marked || !scan->settings->style.preview) {
            piece.spans = line->spans + i;
            piece.span_count = 1;
        }
        scan->shown.distance = line->spans[i].distance;
        print_with_head(scan, &piece, number, line->spans[i].begin + 1,
                        line->offset + line->spans[i].begin);
    }
}

/* Turns a block with replaced matches into a piece whose bytes are in memory. */
static bool write_out(struct text_scan *scan, struct piece *block)
{
    uint8_t *bytes;
    uint64_t count;

    if (!SCAN_GROW(scan, scan->nulls.zapped, scan->nulls.zapped_capacity, block->count + 1))
        return false;
    bytes = scan->nulls.zapped;
    for (uint64_t at = 0; at < block->count; at += count) {
        const uint8_t *part = piece_bytes(scan, block, at, &count);

        memcpy(bytes + at, part, (size_t)count);
    }
    block->bytes = bytes;
    block->replaced = false;
    return true;
}

/* Returns the line of the block that begins at `at`, without matches. */
static struct piece line_of(const struct text_scan *scan, const struct piece *block, uint64_t at)
{
    const uint8_t *end =
        memchr(block->bytes + at, scan->settings->line_end, (size_t)(block->count - at));
    struct piece line = *block;

    line.at = at;
    line.count = end != NULL ? (uint64_t)(end - block->bytes) + 1 - at : block->count - at;
    line.content = line.count - (end != NULL);
    line.span_count = 0;
    return line;
}

/* Adds to the line's matches the part of `span` that is in the line. */
static void add_cut(struct text_scan *scan, struct piece *line, const struct line_span *span)
{
    const uint64_t at = line->at, past = at + line->count;
    struct line_span *cut;

    if (!SCAN_GROW(scan, scan->style.cut, scan->style.cut_capacity, line->span_count + 1))
        return;
    cut = scan->style.cut + line->span_count++;
    *cut = *span;
    cut->begin = span->begin > at ? span->begin - at : 0;
    cut->end = (span->end < past ? span->end : past) - at;
    line->spans = scan->style.cut;
}

/* Returns where the line's content ends: before the line end, and with --crlf also before the
 * carriage return there. */
static uint64_t shown_end(const struct text_scan *scan, const struct piece *line)
{
    const bool has_return = scan->settings->crlf && line->content > 0 &&
                            line->bytes[line->at + line->content - 1] == '\r';

    return line->content - has_return;
}

/* For -o: prints the parts of the matches that lie in this line. As in ripgrep, each part is
 * printed with the start of its match. With --hex, as without wildcards, prints each occurrence
 * that begins in this line: all of it, or with context its first line. */
static void print_parts(struct text_scan *scan, const struct view *view, const struct piece *block,
                        const struct piece *line, uint64_t first, uint64_t number)
{
    uint64_t at = trimmed(scan, line, 0), shown = shown_end(scan, line);

    for (uint64_t i = 0; i < line->span_count; i++) {
        const struct line_span *span = &block->spans[first + i];
        uint64_t begin = line->spans[i].begin > at ? line->spans[i].begin : at;
        uint64_t end = line->spans[i].end < shown ? line->spans[i].end : shown;

        struct piece piece;

        if (scan->settings->wild && span->begin < line->at)
            continue;
        if (scan->settings->wild && !settings_have_context(scan->settings))
            end = span->end - line->at;
        if (begin >= end)
            continue;
        piece = part_of(line, begin, end);
        if (!print_match(scan, &piece, span, view->matches + span->group, number))
            return;
        at = end;
    }
}

/* For --around: prints the excerpts of the parts of matches that lie in this line. */
static void print_part_excerpts(struct text_scan *scan, const struct view *view, struct piece *line,
                                uint64_t number)
{
    const uint64_t shown = shown_end(scan, line), cut_count = line->span_count;
    struct line_span *cut = scan->style.cut;

    line->span_count = 0;
    for (uint64_t i = 0; i < cut_count; i++) {
        cut[i].end = cut[i].end < shown ? cut[i].end : shown;
        if (cut[i].begin < cut[i].end)
            cut[line->span_count++] = cut[i];
    }
    (void)print_excerpts(scan, view, line, number);
}

/* For --vimgrep: prints for each match the line in which it begins. As in ripgrep, if that line is
 * too long to be printed, also prints the next lines of the match, up to the first that is not too
 * long. */
static void print_begins(struct text_scan *scan, const struct piece *block, uint64_t number)
{
    struct piece line = line_of(scan, block, 0);

    for (uint64_t i = 0; i < block->span_count && scan->status == TRAWL_OK; i++) {
        const struct line_span *span = &block->spans[i];
        uint64_t here;

        if (span->begin >= block->count)
            return;
        for (; line.at + line.count <= span->begin; number += number > 0)
            line = line_of(scan, block, line.at + line.count);
        here = number;
        for (struct piece one = line;; one = line_of(scan, block, one.at + one.count)) {
            struct piece shown = one;

            if (span->end <= one.at || one.at == block->count)
                break;
            shown.count = shown.content = shown_end(scan, &one); /* the line end does not count */
            add_cut(scan, &shown, span);
            print_with_head(scan, &shown, here, span->begin > one.at ? span->begin - one.at + 1 : 1,
                            block->offset + one.at);
            here += here > 0;
            if (!is_too_long(scan, &shown))
                break;
        }
    }
}

/* Prints a block: the lines that adjacent matches of --multiline touch. */
static bool print_block(struct text_scan *scan, const struct view *view, struct piece *block,
                        uint64_t number)
{
    const struct settings *settings = scan->settings;
    uint64_t first = 0;

    if (block->replaced && !write_out(scan, block))
        return false;
    if (settings->style.vimgrep && block->span_count > 0 && !settings_print_matches(settings)) {
        print_begins(scan, block, number);
        return scan->status == TRAWL_OK;
    }
    for (uint64_t at = 0; at < block->count && scan->status == TRAWL_OK; number += number > 0) {
        struct piece line = line_of(scan, block, at);

        while (first < block->span_count && block->spans[first].end <= at)
            first++;
        for (uint64_t i = first; i < block->span_count && block->spans[i].begin < at + line.count;
             i++)
            add_cut(scan, &line, &block->spans[i]);
        if (settings->style.excerpts && line.span_count > 0)
            print_part_excerpts(scan, view, &line, number);
        else if (settings_print_matches(settings) && block->span_count > 0)
            print_parts(scan, view, block, &line, first, number);
        else
            print_with_head(scan, &line, number,
                            block->span_count > 0 ? block->spans[0].begin + 1 : 0,
                            block->offset + at);
        at += line.count;
    }
    return scan->status == TRAWL_OK;
}

/* Returns where the content of the lines ends. In a block (lines that adjacent matches of
 * --multiline touch), all bytes count as content, because matches may contain line ends. */
static uint64_t content_end(struct text_scan *scan, const struct view *view, uint64_t begin,
                            uint64_t end, bool is_block)
{
    return is_block && scan->whole.bytes != NULL && !scan->settings->invert
               ? end
               : print_content_end(scan, view, begin, end);
}

/* Prints a line as JSON. Under -v, a line of context has matches, too. */
static bool print_json(struct text_scan *scan, const struct view *view, uint64_t begin,
                       uint64_t end, bool selected)
{
    uint64_t content = content_end(scan, view, begin, end, selected), lines = 1;
    struct piece line = {.bytes = view->bytes != NULL ? view->bytes + begin : NULL,
                         .offset = view->begin + begin,
                         .line_bytes = end - begin,
                         .count = end - begin,
                         .content = content - begin,
                         .selected = selected};

    scan->style.span_count = 0;
    if (((selected || scan->settings->invert) &&
         !occurrences_of_line(scan, view, begin, content)) ||
        (scan->settings->replace != NULL && scan->style.span_count > 0 &&
         !piece_replace(scan, view, &line)))
        return false;
    line.spans = scan->style.spans;
    line.span_count = scan->style.span_count;
    /* a block of several lines (content_end), or a line without line end: count the lines */
    if (content == end && line.bytes != NULL)
        lines = count_byte(line.bytes, end - begin, scan->settings->line_end) +
                (line.bytes[end - begin - 1] != scan->settings->line_end);
    json_line(scan, &line, view->matches, print_line_number(scan, view, begin), lines);
    scan->lines.printed_end = view->begin + end;
    return scan->status == TRAWL_OK;
}

/* Returns the smallest distance of the matches in the line [begin, end) of the text. */
static uint32_t min_distance(const struct text_scan *scan, const struct view *view, uint64_t begin,
                             uint64_t end)
{
    uint32_t min = DISTANCE_NONE;

    for (uint64_t i = print_first_match_at(view, begin);
         i < view->match_count && view->matches[i].begin < end; i++)
        if (view->matches[i].distance < min &&
            (!scan->rules.check_whole_line ||
             (view->matches[i].begin == begin && view->matches[i].end == end)))
            min = view->matches[i].distance;
    return min;
}

bool style_line(struct text_scan *scan, const struct view *view, uint64_t begin, uint64_t end,
                char separator)
{
    const struct settings *settings = scan->settings;
    uint64_t offset = view->begin + begin, number = print_line_number(scan, view, begin);
    bool selected = separator == ':', matching = selected != settings->invert;
    bool is_block = scan->whole.bytes != NULL && selected && matching;
    uint64_t content = content_end(scan, view, begin, end, is_block);
    bool only_matching = settings_print_matches(settings);
    struct piece line = {.bytes = view->bytes != NULL ? view->bytes + begin : NULL,
                         .offset = offset,
                         .line_bytes = end - begin,
                         .count = end - begin,
                         .content = content - begin,
                         .selected = selected};

    if (settings->json)
        return print_json(scan, view, begin, end, selected);
    scan->style.span_count = 0;
    if (matching && settings->style.each_match && !occurrences_of_line(scan, view, begin, content))
        return false;
    if (!only_matching && !piece_is_printable(scan, &line))
        return false;
    if (settings->replace != NULL && scan->style.span_count > 0 &&
        !piece_replace(scan, view, &line))
        return false;
    line.spans = scan->style.spans;
    line.span_count = line.match_count = scan->style.span_count;
    scan->shown.number_count = 0;
    scan->shown.distance = settings->shows_distance && matching
                               ? min_distance(scan, view, offset, view->begin + content)
                               : DISTANCE_NONE;
    if (settings->heads.pattern_number && !only_matching && selected &&
        !print_show_numbers(scan, view, begin, end))
        return false;
    if (is_block) {
        if (!print_block(scan, view, &line, number))
            return false;
    } else if (only_matching &&
               (settings->is_tg ? line.span_count > 0 : matching || !settings->passthru)) {
        if (!print_matches(scan, view, &line, number))
            return false;
    } else if (settings->style.vimgrep && line.span_count > 0) {
        print_for_each_match(scan, &line, number);
    } else {
        print_with_head(scan, &line, number, line.span_count > 0 ? line.spans[0].begin + 1 : 0,
                        offset);
    }
    scan->lines.printed_end = view->begin + end;
    return scan->status == TRAWL_OK;
}
