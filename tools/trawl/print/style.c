/* style: prints lines that need more than a head and bytes (print_line.c): marked matches, columns,
 * replacements, shortened lines.
 */
#include "trawl/print/style.h"

#include <stdio.h>
#include <stdlib.h>

#include "trawl/print/count.h"
#include "trawl/print/json.h"
#include "trawl/print/print.h"
#include "trawl/print/replace.h"
#include "trawl/print/reread.h"
#include "trawl/text/sizes.h"
#include "trawl/print/occurrences.h"
#include "trawl/text/utf8.h"

/* bytes of a replaced line that are composed at a time */
#define REPLACED_BLOCK_BYTES SIZE_OR_SMALL(4096u, 32u)

/* A line to be printed, or with -o a match. A replaced line is composed while being printed, block
 * by block, so that no long line has to be in memory as a whole. */
struct piece {
    const uint8_t *bytes; /* the line's bytes; NULL: read again from text offset `offset` */
    uint64_t offset;
    uint64_t line_bytes;           /* length of the line, with the line end */
    uint64_t at;                   /* offset at which the piece begins in the printed line */
    uint64_t count;                /* printed bytes, with the line end */
    uint64_t content;              /* printed bytes, without the line end */
    const struct line_span *spans; /* matches to mark */
    uint64_t span_count;
    uint64_t match_count; /* matches in the whole line, for messages about lines left out */
    bool replaced;        /* the style's spans have replacements */
    bool selected;
    bool is_match; /* a match of -o */
};

/* ---- Bytes ------------------------------------------------------------------------------------
 */

/* Returns bytes of the piece's line from `at` on. *count: how many bytes are wanted, then how many
 * are there. */
static const uint8_t *line_bytes(struct text_scan *scan, const struct piece *piece, uint64_t at,
                                 uint64_t *count)
{
    return piece->bytes != NULL ? piece->bytes + at : reread_some(scan, piece->offset + at, count);
}

/* Returns where a part begins in the replacement of a match of match_bytes bytes. */
static uint64_t part_begin(const struct replace_part *part, uint64_t match_bytes)
{
    return part->bytes_before + part->matches_before * match_bytes;
}

/* Returns bytes of a span's replacement from `at` on, and their number in *count. */
static const uint8_t *replacement_bytes(struct text_scan *scan, const struct piece *piece,
                                        const struct line_span *span, uint64_t at, uint64_t *count)
{
    const struct replace_part *parts = scan->style.parts;
    uint64_t match_bytes = span->to - span->from, low = 0, high = scan->style.part_count;

    *count = span->end - span->begin - at;
    if (span->text != NULL)
        return (const uint8_t *)span->text->bytes + at;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (part_begin(&parts[middle], match_bytes) <= at)
            low = middle;
        else
            high = middle;
    }
    at -= part_begin(&parts[low], match_bytes);
    if (parts[low].bytes == NULL) {
        *count = match_bytes - at;
        return line_bytes(scan, piece, span->from + at, count);
    }
    *count = parts[low + 1].bytes_before - parts[low].bytes_before - at;
    return (const uint8_t *)parts[low].bytes + at;
}

/* Returns how many spans begin at `at` or before. */
static uint64_t spans_to(const struct text_scan *scan, uint64_t at)
{
    uint64_t low = 0, high = scan->style.span_count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (scan->style.spans[middle].begin <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns bytes of a replaced line from `at` on that are adjacent in memory, and their number in
 * *count. NULL: unreadable. */
static const uint8_t *replaced_bytes(struct text_scan *scan, const struct piece *piece, uint64_t at,
                                     uint64_t *count)
{
    const struct style_state *style = &scan->style;
    const struct line_span *span = style->spans + spans_to(scan, at);

    if (span > style->spans && at < span[-1].end)
        return replacement_bytes(scan, piece, &span[-1], at - span[-1].begin, count);
    if (span < style->spans + style->span_count) {
        *count = span->begin - at;
        return line_bytes(scan, piece, span->from - *count, count);
    }
    *count = style->replaced_end - at;
    return line_bytes(scan, piece, piece->line_bytes - *count, count);
}

/* As replaced_bytes, but collects short parts in a block first. */
static const uint8_t *replaced_block(struct text_scan *scan, const struct piece *piece, uint64_t at,
                                     uint64_t *count)
{
    struct style_state *style = &scan->style;
    uint64_t found;
    const uint8_t *bytes;

    if (at >= style->block_begin && at < style->block_begin + style->block_count) {
        *count = style->block_begin + style->block_count - at;
        return style->block + (at - style->block_begin);
    }
    bytes = replaced_bytes(scan, piece, at, count);
    if (bytes == NULL || *count >= REPLACED_BLOCK_BYTES)
        return bytes;
    style->block_begin = at;
    style->block_count = 0;
    for (found = *count; bytes != NULL; bytes = replaced_bytes(scan, piece, at, &found)) {
        uint64_t room = REPLACED_BLOCK_BYTES - style->block_count;

        found = found < room ? found : room;
        memcpy(style->block + style->block_count, bytes, (size_t)found);
        style->block_count += found;
        at += found;
        if (found == room || at == style->replaced_end)
            break;
    }
    *count = style->block_count;
    return style->block;
}

/* Returns bytes of the piece from `at` on that are adjacent in memory, and their number in *count.
 * NULL: unreadable. */
static const uint8_t *piece_bytes(struct text_scan *scan, const struct piece *piece, uint64_t at,
                                  uint64_t *count)
{
    uint64_t most = piece->count - at;
    const uint8_t *bytes;

    *count = most;
    bytes = piece->replaced ? replaced_block(scan, piece, piece->at + at, count)
                            : line_bytes(scan, piece, piece->at + at, count);
    *count = *count < most ? *count : most;
    return bytes;
}

static uint8_t byte_at(struct text_scan *scan, const struct piece *piece, uint64_t at)
{
    uint64_t count;
    const uint8_t *bytes = piece_bytes(scan, piece, at, &count);

    return bytes != NULL ? *bytes : '\0';
}

/* Reads the character at `at`, which ends at `end` at the latest. Returns the number of its bytes;
 * 1 for an invalid byte. */
static uint64_t character_at(struct text_scan *scan, const struct piece *piece, uint64_t at,
                             uint64_t end, uint8_t character[UTF8_BYTES_MAX])
{
    uint64_t count = 0;
    uint32_t code_point;
    size_t length;

    for (; count < UTF8_BYTES_MAX && at + count < end; count++)
        character[count] = byte_at(scan, piece, at + count);
    length = utf8_character(character, count, &code_point);
    return length > 0 ? length : 1;
}

/* As piece_bytes, up to `end`. Never ends inside a character: a character across two blocks is
 * copied to `character`. */
static const uint8_t *piece_characters(struct text_scan *scan, const struct piece *piece,
                                       uint64_t at, uint64_t end, uint8_t character[UTF8_BYTES_MAX],
                                       uint64_t *count)
{
    const uint8_t *bytes = piece_bytes(scan, piece, at, count);

    if (bytes == NULL || *count >= end - at) {
        *count = *count < end - at ? *count : end - at;
        return bytes;
    }
    *count -= utf8_last(bytes, *count);
    if (*count > 0)
        return bytes;
    *count = character_at(scan, piece, at, end, character);
    return character;
}

/* Returns where `characters` characters from `at` on end. */
static uint64_t skip_characters(struct text_scan *scan, const struct piece *piece, uint64_t at,
                                uint64_t end, uint64_t characters)
{
    uint8_t character[UTF8_BYTES_MAX];

    for (; characters > 0 && at < end; characters--)
        at += character_at(scan, piece, at, end, character);
    return at;
}

/* Returns whether all bytes of the piece may be printed (print_is_printable). */
static bool is_printable(struct text_scan *scan, const struct piece *piece)
{
    uint8_t character[UTF8_BYTES_MAX];
    uint64_t count;

    for (uint64_t at = 0; at < piece->content; at += count) {
        const uint8_t *bytes = piece_characters(scan, piece, at, piece->content, character, &count);

        if (bytes == NULL || !print_is_printable(scan, bytes, count))
            return false;
    }
    return true;
}

/* ---- Texts ------------------------------------------------------------------------------------
 */

static void put_bytes(struct text_scan *scan, const struct piece *piece, uint64_t begin,
                      uint64_t end)
{
    uint64_t count;

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

/* As print_part, in ripgrep's way: matches that touch are marked together, and the rest of a line
 * with a match may be marked, too. */
static void print_marked(struct text_scan *scan, const struct piece *piece, uint64_t at,
                         uint64_t end)
{
    const struct colors *colors = &scan->settings->colors;
    const char *rest = piece->selected ? colors->highlight : "";
    uint64_t content = end < piece->content ? end : piece->content;

    if (content == piece->content && content > at && end > piece->content && scan->settings->crlf &&
        byte_at(scan, piece, content - 1) == '\r')
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

/* Prints the part [begin, end) of a piece, with marked spans. */
static void print_span(struct text_scan *scan, const struct piece *piece, uint64_t begin,
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

    if (settings->is_tg && piece->match_count > 0 && *match_color != '\0') {
        print_marked(scan, piece, begin, end);
        return;
    }
    for (uint64_t i = 0; i < piece->span_count && *match_color != '\0'; i++) {
        uint64_t from = piece->spans[i].begin, to = piece->spans[i].end;

        from = from > at ? from : at;
        to = to < content ? to : content;
        if (from >= to)
            continue;
        if (is_greps) { /* the match's colour ends the line's colour */
            print_color_start(scan, line_color);
            put_bytes(scan, piece, at, from);
        } else {
            print_bytes(scan, piece, at, from, line_color);
        }
        print_bytes(scan, piece, from, to, match_color);
        at = to;
    }
    if (content > at && byte_at(scan, piece, content - 1) == '\r')
        content--;
    if (content > at) {
        print_bytes(scan, piece, at, content, line_color);
        at = content;
    }
    put_bytes(scan, piece, at, end < piece->content ? end : piece->content);
    if (end > piece->content &&
        scan->status == TRAWL_OK) /* a line that cannot be read is cut off */
        output_byte(scan->output, settings->line_end);
}

/* Returns `begin`, after leading blanks if --trim. */
static uint64_t trimmed(struct text_scan *scan, const struct piece *piece, uint64_t begin)
{
    static const char blanks[6] = {' ', '\t', '\n', '\v', '\f', '\r'};

    size_t count =
        sizeof blanks - scan->settings->crlf; /* with --crlf the '\r' may belong to the line end */

    if (scan->settings->style.trim && !(piece->is_match && scan->whole.bytes != NULL))
        while (begin < piece->content && memchr(blanks, byte_at(scan, piece, begin), count) != NULL)
            begin++;
    return begin;
}

/* Returns whether the piece's matches are printed in a colour. */
static bool is_marked(const struct text_scan *scan, const struct piece *piece)
{
    const struct colors *colors = &scan->settings->colors;

    return colors->on && piece->span_count > 0 &&
           *(piece->selected ? colors->selected_match : colors->context_match) != '\0';
}

/* Prints the beginning of a line that is too long. With -o, ripgrep 13 compares offsets in the line
 * with offsets in the match, and so does this function. */
static void print_beginning(struct text_scan *scan, const struct piece *piece, uint64_t characters)
{
    const struct line_span *spans = piece->is_match ? scan->style.spans : piece->spans;
    uint64_t span_count = piece->is_match ? scan->style.span_count : piece->span_count;
    /* only with --vimgrep, the line end counts as a character that may be a match */
    uint64_t limit = scan->settings->style.vimgrep ? piece->count : piece->content;
    /* of --multiline, spans count from the block's begin */
    uint64_t base = piece->is_match && scan->whole.bytes != NULL ? piece->at : 0;
    uint64_t begin = trimmed(scan, piece, 0), more = 0;
    uint64_t end = skip_characters(scan, piece, begin, limit, characters);
    /* as in ripgrep, blanks that --trim removes hide matches if no match is marked */
    uint64_t counted = is_marked(scan, piece) || scan->whole.bytes != NULL
                           ? end
                           : skip_characters(scan, piece, 0, limit, characters);
    uint64_t shown = end < piece->content ? end : piece->content;
    char text[64];

    if (begin < shown)
        print_span(scan, piece, begin, shown);
    if (piece->match_count == 0) {
        output_text(scan->output, " [... omitted end of long line]");
        return;
    }
    for (uint64_t i = 0; i < span_count; i++)
        more += spans[i].begin >= base + counted && spans[i].begin < base + limit;
    (void)snprintf(text, sizeof text, " [... %llu more match%s]", (unsigned long long)more,
                   more == 1 ? "" : "es");
    output_text(scan->output, text);
}

/* Prints a line that exceeds --max-columns: a preview, or how much was left out. */
static void print_too_long(struct text_scan *scan, const struct piece *piece)
{
    const struct settings *settings = scan->settings;
    char text[64];

    if (settings->style.preview) {
        print_beginning(scan, piece, settings->style.max_columns);
    } else if (piece->match_count > 0 && !piece->is_match) {
        (void)snprintf(text, sizeof text, "[Omitted long line with %llu matches]",
                       (unsigned long long)piece->match_count);
        output_text(scan->output, text);
    } else {
        output_text(scan->output, piece->selected ? "[Omitted long matching line]"
                                                  : "[Omitted long context line]");
    }
    print_terminator(scan->output, settings, settings->line_end);
}

static bool is_too_long(struct text_scan *scan, const struct piece *piece)
{
    /* as in ripgrep, blanks that --trim removes count only if matches are marked */
    bool marked = is_marked(scan, piece) && scan->whole.bytes == NULL;
    uint64_t begin = marked ? 0 : trimmed(scan, piece, 0), most = scan->settings->style.max_columns;

    return most > 0 && piece->count - begin > most;
}

/* Prints a piece with its head. column 0: the piece has no match. */
static void print_piece(struct text_scan *scan, const struct piece *piece, uint64_t line_number,
                        uint64_t column, uint64_t offset)
{
    uint64_t begin = trimmed(scan, piece, 0);

    scan->shown.head =
        (struct line_head){line_number, column, offset, piece->content, piece->selected};
    print_head(scan);
    if (is_too_long(scan, piece)) {
        print_too_long(scan, piece);
        return;
    }
    print_span(scan, piece, begin, piece->count);
    if (piece->content == piece->count && scan->status == TRAWL_OK)
        print_terminator(scan->output, scan->settings, scan->settings->line_end);
}

/* ---- Replacements -----------------------------------------------------------------------------
 */

static uint64_t replacement_length(const struct style_state *style, const struct line_span *span)
{
    if (span->text != NULL)
        return span->text->bytes_count;
    return style->part_count == 0
               ? 0
               : part_begin(&style->parts[style->part_count], span->to - span->from);
}

/* Replaces the matches of a line. */
static bool replace_spans(struct text_scan *scan, const struct view *view, struct piece *piece)
{
    struct style_state *style = &scan->style;
    uint64_t at = 0, printed = 0;

    if (style->part_count == 0 && !replace_parts(scan))
        return false;
    if (style->block == NULL)
        style->block = scan_grow(scan, NULL, &style->block_capacity, REPLACED_BLOCK_BYTES, 1);
    if (style->block == NULL)
        return false;
    if (scan->settings->expressions || scan->settings->json) {
        uint64_t content = piece->content;
        const uint8_t *line = piece->bytes != NULL
                                  ? piece->bytes
                                  : reread_range(scan, piece->offset, piece->offset + content);

        if (line == NULL || !replace_texts(scan, view, line, content))
            return false;
    }
    for (uint64_t i = 0; i < style->span_count; i++) {
        struct line_span *span = &style->spans[i];

        printed += span->from > at ? span->from - at : 0; /* 0 if matches overlap */
        span->begin = printed;
        span->end = printed += replacement_length(style, span);
        at = span->to > at ? span->to : at;
    }
    printed += piece->count - at;
    piece->content += printed - piece->count;
    piece->count = style->replaced_end = printed;
    piece->replaced = true;
    style->block_count = 0;
    return true;
}

/* ---- Lines ------------------------------------------------------------------------------------
 */

/* -o: prints each match on its own line; with --pattern-number, on a line for each number. */
static bool print_matches(struct text_scan *scan, const struct view *view, const struct piece *line,
                          uint64_t number)
{
    bool numbered = scan->settings->heads.pattern_number;

    for (uint64_t i = 0; i < line->span_count; i++) {
        const struct line_span *span = &line->spans[i];
        uint64_t bytes_count = span->end - span->begin;
        struct line_span whole = {.begin = 0, .end = bytes_count};
        struct piece piece = *line;

        piece.at = span->begin;
        piece.count = piece.content = bytes_count;
        piece.spans = &whole;
        piece.span_count = piece.match_count = 1;
        piece.is_match = true;
        if (!is_printable(scan, &piece))
            return false;
        if (numbered && !number_set_at(scan, view->matches + span->group, span->group_count,
                                       line->offset + span->to))
            return false;
        for (uint64_t k = 0; k < (numbered ? scan->numbers.count : 1); k++) {
            scan->shown.numbers = numbered ? scan->numbers.list + k : NULL;
            scan->shown.number_count = numbered;
            scan->shown.distance = span->distance;
            print_piece(scan, &piece, number, span->begin + 1, line->offset + span->begin);
        }
        scan->shown.number_count = 0;
    }
    return true;
}

/* --vimgrep: prints the line for each match. */
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
        print_piece(scan, &piece, number, line->spans[i].begin + 1,
                    line->offset + line->spans[i].begin);
    }
}

/* ---- Lines that matches cross ---- */

/* Replaces the piece, a replaced block, by its bytes in memory. */
static bool write_out(struct text_scan *scan, struct piece *block)
{
    uint8_t *bytes =
        scan_grow(scan, scan->nulls.zapped, &scan->nulls.zapped_capacity, block->count + 1, 1);
    uint64_t count;

    if (bytes == NULL)
        return false;
    scan->nulls.zapped = bytes;
    for (uint64_t at = 0; at < block->count; at += count) {
        const uint8_t *part = piece_bytes(scan, block, at, &count);

        memcpy(bytes + at, part, (size_t)count);
    }
    block->bytes = bytes;
    block->replaced = false;
    return true;
}

/* Returns the line of the block that begins at `at`, without spans. */
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

/* Adds the part of the span in the line to the line's spans. */
static void add_cut(struct text_scan *scan, struct piece *line, const struct line_span *span)
{
    const uint64_t at = line->at, past = at + line->count;
    struct line_span *cut = scan_grow(scan, scan->style.cut, &scan->style.cut_capacity,
                                      line->span_count + 1, sizeof *cut);

    if (cut == NULL)
        return;
    scan->style.cut = cut;
    cut += line->span_count++;
    *cut = *span;
    cut->begin = span->begin > at ? span->begin - at : 0;
    cut->end = (span->end < past ? span->end : past) - at;
    line->spans = scan->style.cut;
}

/* Returns where the line's bytes end, before the line end with its carriage return. */
static uint64_t shown_end(const struct text_scan *scan, const struct piece *line)
{
    const bool has_return = scan->settings->crlf && line->content > 0 &&
                            line->bytes[line->at + line->content - 1] == '\r';

    return line->content - has_return;
}

/* -o: prints the parts of the matches in the line, as ripgrep each with the match's begin. */
static void print_parts(struct text_scan *scan, const struct piece *block, const struct piece *line,
                        uint64_t first, uint64_t number)
{
    uint64_t at = trimmed(scan, line, 0), shown = shown_end(scan, line);

    for (uint64_t i = 0; i < line->span_count; i++) {
        const struct line_span *span = &block->spans[first + i];
        uint64_t begin = line->spans[i].begin > at ? line->spans[i].begin : at;
        uint64_t end = line->spans[i].end < shown ? line->spans[i].end : shown;
        struct line_span whole = {.begin = 0, .end = end - begin};
        struct piece piece = *line;

        if (begin >= end)
            continue;
        piece.at += begin;
        piece.count = piece.content = end - begin;
        piece.spans = &whole;
        piece.span_count = piece.match_count = 1;
        piece.is_match = true;
        print_piece(scan, &piece, number, span->begin + 1, block->offset + span->begin);
        at = end;
    }
}

/* --vimgrep: prints for each match the line in which the match begins; and as ripgrep the next line
 * of the match, if the line is too long to be printed. */
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
            print_piece(scan, &shown, here, span->begin > one.at ? span->begin - one.at + 1 : 1,
                        block->offset + one.at);
            here += here > 0;
            if (!is_too_long(scan, &shown))
                break;
        }
    }
}

/* Prints the block of lines that matches touch. */
static bool print_block(struct text_scan *scan, struct piece *block, uint64_t number)
{
    const struct settings *settings = scan->settings;
    uint64_t first = 0;

    if (block->replaced && !write_out(scan, block))
        return false;
    if (settings->style.vimgrep && block->span_count > 0 &&
        settings->report != REPORT_ONLY_MATCHING) {
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
        if (settings->report == REPORT_ONLY_MATCHING && block->span_count > 0)
            print_parts(scan, block, &line, first, number);
        else
            print_piece(scan, &line, number, block->span_count > 0 ? block->spans[0].begin + 1 : 0,
                        block->offset + at);
        at += line.count;
    }
    return scan->status == TRAWL_OK;
}

/* Returns where the line's bytes end. Of a block, in which matches may hold line ends, all bytes
 * count. */
static uint64_t content_end(struct text_scan *scan, const struct view *view, uint64_t begin,
                            uint64_t end, bool is_block)
{
    return is_block && scan->whole.bytes != NULL && !scan->settings->invert
               ? end
               : print_content_end(scan, view, begin, end);
}

/* Prints a line as JSON. A line of context has matches, too, under -v. */
static bool print_json(struct text_scan *scan, const struct view *view, uint64_t begin,
                       uint64_t end, bool selected)
{
    struct json_line line = {view->bytes != NULL ? view->bytes + begin : NULL,
                             end - begin,
                             NULL,
                             0,
                             print_line_number(scan, view, begin),
                             view->begin + begin,
                             selected,
                             1};
    uint64_t content = content_end(scan, view, begin, end, selected);
    struct piece piece = {.bytes = line.bytes,
                          .offset = line.offset,
                          .count = end - begin,
                          .content = content - begin};

    scan->style.span_count = 0;
    if (((selected || scan->settings->invert) &&
         !occurrences_of_line(scan, view, begin, content)) ||
        (scan->settings->replace != NULL && scan->style.span_count > 0 &&
         !replace_spans(scan, view, &piece)))
        return false;
    line.spans = scan->style.spans;
    line.span_count = scan->style.span_count;
    if (content == end && line.bytes != NULL) /* all lines, and the last line without line end */
        line.lines = count_byte(line.bytes, end - begin, scan->settings->line_end) +
                     (line.bytes[end - begin - 1] != scan->settings->line_end);
    json_line(scan, &line);
    scan->lines.printed_end = view->begin + end;
    return scan->status == TRAWL_OK;
}

/* Returns the least distance of the matches that begin in [begin, end) of the text. */
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
    uint64_t offset = view->begin + begin, number = print_line_number(scan, view, begin);
    bool selected = separator == ':', matching = selected != settings->invert;
    bool is_block = scan->whole.bytes != NULL && selected && matching;
    uint64_t content = content_end(scan, view, begin, end, is_block);
    bool only_matching = settings->report == REPORT_ONLY_MATCHING;
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
    if (!only_matching && !is_printable(scan, &line))
        return false;
    if (settings->replace != NULL && scan->style.span_count > 0 &&
        !replace_spans(scan, view, &line))
        return false;
    line.spans = scan->style.spans;
    line.span_count = line.match_count = scan->style.span_count;
    scan->shown.number_count = 0;
    scan->shown.distance = settings->shows_distance && matching
                               ? least_distance(view, offset, view->begin + end)
                               : DISTANCE_NONE;
    if (settings->heads.pattern_number && !only_matching && selected &&
        !print_show_numbers(scan, view, begin, end))
        return false;
    if (is_block) {
        if (!print_block(scan, &line, number))
            return false;
    } else if (only_matching &&
               (settings->is_tg ? line.span_count > 0 : matching || !settings->passthru)) {
        if (matching && !print_matches(scan, view, &line, number))
            return false;
    } else if (settings->style.vimgrep && line.span_count > 0) {
        print_for_each_match(scan, &line, number);
    } else {
        print_piece(scan, &line, number, line.span_count > 0 ? line.spans[0].begin + 1 : 0, offset);
    }
    scan->lines.printed_end = view->begin + end;
    return scan->status == TRAWL_OK;
}
