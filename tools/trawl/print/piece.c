/* piece: delivers the bytes of a line to print, with the replacements that --replace makes. */
#include "trawl/print/piece.h"

#include <string.h>

#include "trawl/print/excerpt.h"
#include "trawl/print/print.h"
#include "trawl/print/reread.h"
#include "trawl/text/sizes.h"
#include "trawl/text/calls.h"
#include "trawl/text/utf8.h"

/* A replaced line is put together in blocks of this size, or, if it is printed for each match, as a
 * whole up to REPLACED_LINE_BYTES. */
#define REPLACED_BLOCK_BYTES SIZE_OR_SMALL(4096u, 32u)
#define REPLACED_LINE_BYTES SIZE_OR_SMALL(UINT64_C(64) << 20, 100u)
/* bytes before and after a line that an assertion may look at, as in ripgrep */
#define AROUND_BYTES 128u
/* a line that is not in memory as a whole is read backwards in parts of this size */
#define BACK_SIZES 1024u, 8u
#define BACK_BYTES SIZE_OR_SMALL(BACK_SIZES)
#define GROUPS_MAX 100u /* limit for the groups of an expression that --replace can name */

/* Returns bytes of the piece's line from `at`. *count is the number of bytes that are wanted, and
 * is set to the number available. */
static const uint8_t *line_bytes(struct text_scan *scan, const struct piece *piece, uint64_t at,
                                 uint64_t *count)
{
    return piece->bytes != NULL ? piece->bytes + at : reread_some(scan, piece->offset + at, count);
}

/* Returns the offset of a part in a replacement. `match_bytes` is the length of the replaced
 * match. */
static uint64_t replace_part_offset(const struct replace_part *part, uint64_t match_bytes)
{
    return part->bytes_before + part->matches_before * match_bytes;
}

/* Returns bytes of the replacement of a match starting at `at`, and sets *count to the number. */
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

        if (replace_part_offset(&parts[middle], match_bytes) <= at)
            low = middle;
        else
            high = middle;
    }
    at -= replace_part_offset(&parts[low], match_bytes);
    if (parts[low].bytes == NULL) {
        *count = match_bytes - at;
        return line_bytes(scan, piece, span->from + at, count);
    }
    *count = parts[low + 1].bytes_before - parts[low].bytes_before - at;
    return (const uint8_t *)parts[low].bytes + at;
}

/* Returns the number of spans that begin at `at` or before. */
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

/* Returns bytes of a replaced line from `at`, as many as are contiguous in memory, and sets *count
 * to their number. NULL: the text cannot be read. */
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

/* Like replaced_bytes, but first collects short parts in a block. */
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
        uint64_t room = style->block_capacity - style->block_count;

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

const uint8_t *piece_bytes(struct text_scan *scan, const struct piece *piece, uint64_t at,
                           uint64_t *count)
{
    uint64_t max = piece->count - at;
    const uint8_t *bytes;

    *count = max;
    bytes = piece->replaced ? replaced_block(scan, piece, piece->at + at, count)
                            : line_bytes(scan, piece, piece->at + at, count);
    *count = *count < max ? *count : max;
    return bytes;
}

uint8_t piece_byte_at(struct text_scan *scan, const struct piece *piece, uint64_t at)
{
    uint64_t count;
    const uint8_t *bytes = piece_bytes(scan, piece, at, &count);

    return bytes != NULL ? *bytes : '\0';
}

/* Returns the bytes of a piece that is in memory as a whole, else NULL. */
static const uint8_t *bytes_of(const struct piece *piece)
{
    return piece->bytes != NULL && !piece->replaced ? piece->bytes + piece->at : NULL;
}

/* Reads the character at `at`, up to `end`. Returns the number of its bytes, which is 1 for an
 * invalid byte. */
static uint64_t character_at(struct text_scan *scan, const struct piece *piece, uint64_t at,
                             uint64_t end, uint8_t character[UTF8_BYTES_MAX])
{
    uint64_t count = 0;
    uint32_t code_point;
    size_t length;

    for (; count < UTF8_BYTES_MAX && at + count < end; count++)
        character[count] = piece_byte_at(scan, piece, at + count);
    length = utf8_character(character, count, &code_point);
    return length > 0 ? length : 1;
}

/* Like piece_bytes, up to `end`, but never ends inside a character: one that straddles two blocks
 * is copied to `character`. */
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

#define ASCII_BYTES 8u

/* Returns true if bytes[0, ASCII_BYTES) are characters of one byte. */
static bool are_ascii(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return (word & UINT64_C(0x8080808080808080)) == 0;
}

/* Passes up to `characters` characters from `at` on, which begin before `end`. Returns the offset
 * after them, and adds their number to *passed. */
static uint64_t pass(struct text_scan *scan, const struct piece *piece, uint64_t at, uint64_t end,
                     uint64_t characters, uint64_t *passed)
{
    const uint64_t max = *passed + characters;
    uint8_t character[UTF8_BYTES_MAX];
    uint32_t code_point;
    uint64_t count, i;

    while (*passed < max && at < end) {
        const uint8_t *bytes = piece_bytes(scan, piece, at, &count);

        if (bytes == NULL)
            break;
        count = count < end - at ? count : end - at;
        for (i = 0;
             count - i >= ASCII_BYTES && max - *passed >= ASCII_BYTES && are_ascii(bytes + i);
             i += ASCII_BYTES)
            *passed += ASCII_BYTES;
        for (; i < count && *passed < max; ++*passed) {
            size_t length = bytes[i] < 0x80 ? 1 : utf8_character(bytes + i, count - i, &code_point);

            if (length == 0 && count - i < UTF8_BYTES_MAX && at + count < end) {
                /* the character goes on in bytes that are not here; reading them moves `bytes` */
                i += character_at(scan, piece, at + i, end, character);
                ++*passed;
                break;
            }
            i += length > 0 ? length : 1;
        }
        at += i;
    }
    return at;
}

uint64_t piece_skip_characters(struct text_scan *scan, const struct piece *piece, uint64_t at,
                               uint64_t end, uint64_t characters)
{
    uint64_t passed = 0;

    return pass(scan, piece, at, end, characters, &passed);
}

uint64_t piece_count_characters(struct text_scan *scan, const struct piece *piece, uint64_t at,
                                uint64_t end)
{
    uint64_t passed = 0;

    (void)pass(scan, piece, at, end, UINT64_MAX, &passed);
    return passed;
}

/* Copies the piece's bytes [begin, end) to `to`, zeros where the text cannot be read. */
static void copy_bytes(struct text_scan *scan, const struct piece *piece, uint64_t begin,
                       uint64_t end, uint8_t *to)
{
    uint64_t count;

    memset(to, 0, (size_t)(end - begin));
    for (; begin < end; begin += count, to += count) {
        const uint8_t *bytes = piece_bytes(scan, piece, begin, &count);

        if (bytes == NULL)
            return;
        count = count < end - begin ? count : end - begin;
        memcpy(to, bytes, (size_t)count);
    }
}

/* Returns the length of the character that ends at bytes[at], of which bytes[0, at) are known. */
static uint64_t character_before(const uint8_t *bytes, uint64_t at)
{
    uint64_t back = 1;
    uint32_t code_point;

    if (bytes[at - 1] < 0x80)
        return 1;
    while (back < UTF8_BYTES_MAX && back < at && (bytes[at - back] & 0xc0) == 0x80)
        back++;
    return utf8_character(bytes + (at - back), back, &code_point) == back ? back : 1;
}

uint64_t piece_back_characters(struct text_scan *scan, const struct piece *piece, uint64_t at,
                               uint64_t characters)
{
    uint8_t copy[SIZE_ROOM(BACK_SIZES)];
    const uint8_t *all = bytes_of(piece);

    while (characters > 0 && at > 0 && scan->status == TRAWL_OK) {
        const uint64_t low = all != NULL || at < BACK_BYTES ? 0 : at - BACK_BYTES;
        /* below, a character may begin before the copy */
        const uint64_t min = low > 0 ? low + UTF8_BYTES_MAX - 1 : 0;
        const uint8_t *bytes = all != NULL ? all : copy;

        if (all == NULL)
            copy_bytes(scan, piece, low, at, copy);
        for (; characters >= ASCII_BYTES && at >= min + ASCII_BYTES &&
               are_ascii(bytes + (at - ASCII_BYTES - low));
             characters -= ASCII_BYTES)
            at -= ASCII_BYTES;
        for (; characters > 0 && at > min; characters--)
            at -= character_before(bytes, at - low);
    }
    return at;
}

bool piece_parts_are_printable(struct text_scan *scan, const struct piece *piece)
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

/* Adds a part of --replace's value: bytes, or the match if `bytes` is NULL. */
static bool add_part(struct text_scan *scan, const char *bytes, uint64_t bytes_count)
{
    struct style_state *style = &scan->style;
    struct replace_part *parts;

    if (!SCAN_GROW(scan, style->parts, style->part_capacity, style->part_count + 2))
        return false;
    parts = style->parts + style->part_count;
    if (style->part_count++ == 0)
        parts[0].bytes_before = parts[0].matches_before = 0;
    parts[0].bytes = bytes;
    parts[0].name = NULL;
    parts[1].bytes_before = parts[0].bytes_before + bytes_count;
    parts[1].matches_before = parts[0].matches_before + (bytes == NULL);
    return true;
}

static size_t name_bytes(const char *text)
{
    return strspn(text, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/* Parses --replace's value into scan->style.parts. Returns false if the scan has failed. */
static bool read_parts(struct text_scan *scan)
{
    const char *text = scan->settings->replace;

    while (*text != '\0') {
        size_t plain = strcspn(text, "$"), name, skipped = 0, at;

        if (plain > 0 && !add_part(scan, text, plain))
            return false;
        text += plain;
        if (*text == '\0')
            break;
        at = text[1] == '{' ? 2 : 1;
        name = name_bytes(text + at);
        if (name > 0 && (at == 1 || text[at + name] == '}'))
            skipped = name + 2 * at - 1;
        if (skipped == 0) {
            if (!add_part(scan, text, 1))
                return false;
            skipped = text[1] == '$' ? 2 : 1;
        } else if (strspn(text + at, "0") == name) {
            if (!add_part(scan, NULL, 0))
                return false;
        } else if (scan->settings->expressions) {
            if (!add_part(scan, "", 0))
                return false;
            scan->style.parts[scan->style.part_count - 1].name = text + at;
            scan->style.parts[scan->style.part_count - 1].name_bytes = name;
            /* $1 to $9 are among the first groups; others may be anywhere */
            if (name > 1 || text[at] > '9')
                scan->style.groups_max = GROUPS_MAX;
            else if (scan->style.groups_max < 10)
                scan->style.groups_max = 10;
        }
        text += skipped;
    }
    return true;
}

static bool append_replacement(struct text_scan *scan, const void *bytes, uint64_t count)
{
    struct style_state *style = &scan->style;

    if (!SCAN_GROW(scan, style->text_bytes, style->text_bytes_capacity,
                   style->text_bytes_count + count))
        return false;
    if (count > 0)
        memcpy(style->text_bytes + style->text_bytes_count, bytes, (size_t)count);
    style->text_bytes_count += count;
    return true;
}

/* Returns the number of the expression's group that a part of --replace names. Numbers count the
 * groups of all expressions, as if they were joined; GROUPS_MAX: the group is another expression's.
 */
static uint64_t group_of(const struct text_scan *scan, uint64_t expression,
                         const struct replace_part *part)
{
    uint64_t number = 0;

    for (uint64_t i = 0; i < part->name_bytes; i++) {
        if (part->name[i] < '0' || part->name[i] > '9' || number > GROUPS_MAX)
            return describe_group(scan->plan, expression, part->name, part->name_bytes).group;
        number = 10 * number + (uint64_t)(part->name[i] - '0');
    }
    for (uint64_t i = 0; i < expression && number > 0; i++) {
        const uint64_t groups = describe_plan(scan->plan, i).group_count;

        number = number > groups ? number - groups : GROUPS_MAX;
        if (number == GROUPS_MAX)
            break;
    }
    return number;
}

/* A line of a text, and bytes around it at which assertions may look. */
struct replaced_line {
    const uint8_t *text;
    uint64_t count;
    uint64_t line; /* offset of the line in `text` */
};

/* Returns the line as an expression reads it; NULL: the scan has failed. */
static struct trawl_line *open_line(struct text_scan *scan, const struct replaced_line *around,
                                    uint64_t expression)
{
    struct style_state *style = &scan->style;
    const uint64_t capacity = style->line_capacity;
    enum trawl_status status = TRAWL_OK;
    struct replace_line *line;

    if (expression >= capacity) {
        if (!SCAN_GROW(scan, style->lines, style->line_capacity, expression + 1))
            return NULL;
        memset(style->lines + capacity, 0,
               (size_t)(style->line_capacity - capacity) * sizeof *style->lines);
    }
    line = &style->lines[expression];
    if (line->opened == NULL)
        status = trawl_line_open(scan->plan, expression, around->text, around->count,
                                 scan->job->searcher, &line->opened, &scan->error);
    else if (line->number != style->line_number)
        status = trawl_line_move(line->opened, around->text, around->count, &scan->error);
    line->number = style->line_number;
    if (status != TRAWL_OK)
        scan_fail(scan, status);
    return status == TRAWL_OK ? line->opened : NULL;
}

/* Appends the replacement of a match, in which groups of an expression are filled in. */
static bool write_text(struct text_scan *scan, const struct replaced_line *around,
                       const struct line_span *span, uint64_t expression)
{
    const uint8_t *text = around->text;
    struct trawl_range groups[GROUPS_MAX];
    const struct trawl_range match = {around->line + span->from, around->line + span->to};
    const uint64_t groups_max = scan->style.groups_max;

    if (groups_max > 0) {
        struct trawl_line *line = open_line(scan, around, expression);
        const enum trawl_status status =
            line == NULL ? scan->status
                         : trawl_line_groups(line, match, groups, groups_max, &scan->error);

        if (status != TRAWL_OK) {
            scan_fail(scan, status);
            return false;
        }
    }
    groups[0] = match; /* the whole match, even if only a part of it is in this line */
    for (uint64_t i = 0; i < scan->style.part_count; i++) {
        const struct replace_part *part = &scan->style.parts[i];
        const char *bytes = part->bytes;
        uint64_t length = bytes == NULL ? 0 : part[1].bytes_before - part->bytes_before, group = 0;

        if (part->name != NULL)
            group = group_of(scan, expression, part);
        if ((bytes == NULL || part->name != NULL) && (group == 0 || group < groups_max) &&
            groups[group].begin != UINT64_MAX) {
            bytes = (const char *)text + groups[group].begin;
            length = groups[group].end - groups[group].begin;
        }
        if (!append_replacement(scan, bytes, length))
            return false;
    }
    return true;
}

/* Returns the start of the character that contains byte `at` of the whole text; the text's end if
 * `at` lies beyond it. */
static uint64_t character_begin(const struct text_scan *scan, uint64_t at)
{
    const struct whole_text *whole = &scan->whole;
    uint64_t back = 0;

    while (at < whole->count && back < UTF8_BYTES_MAX - 1 && back < at &&
           (whole->bytes[at - back] & 0xc0) == 0x80)
        back++;
    return at < whole->count ? at - back : whole->count;
}

/* Writes the replacement of each match in a line (scan->style.spans), and makes the match's span
 * point to it. `content` is the number of the line's bytes without line end, `offset` the line's
 * offset in the text. False: the scan has failed. */
static bool write_replacements(struct text_scan *scan, const struct view *view, const uint8_t *line,
                               uint64_t content, uint64_t offset)
{
    struct style_state *style = &scan->style;
    uint64_t at = 0, before = 0, after = 0;
    struct replaced_line around = {.count = 0};
    struct trawl_pattern *texts;
    bool good = true;

    if (!SCAN_GROW(scan, style->texts, style->text_capacity, style->span_count + 1) ||
        !SCAN_GROW(scan, style->text_bytes, style->text_bytes_capacity, 1))
        return false;
    texts = style->texts;
    style->text_bytes_count = 0;
    if (scan->settings->crlf && content > 0 && line[content - 1] == '\r')
        content--;
    if (scan->whole.bytes != NULL && !scan->settings->invert) {
        line = scan->whole.bytes + offset;
        before = offset - character_begin(scan, offset < AROUND_BYTES ? 0 : offset - AROUND_BYTES);
        after = character_begin(scan, offset + content + AROUND_BYTES) - (offset + content);
    }
    around = (struct replaced_line){line - before, before + content + after, before};
    style->line_number++;
    for (uint64_t i = 0; good && i < style->span_count; i++) {
        const struct line_span *span = &style->spans[i];

        good = write_text(scan, &around, span,
                          view->match_count > 0 ? view->matches[span->group].pattern_index : 0);
        texts[i].bytes_count = style->text_bytes_count - at;
        at = style->text_bytes_count;
    }
    at = 0;
    for (uint64_t i = 0; i < style->span_count; at += texts[i++].bytes_count) {
        texts[i].bytes = style->text_bytes + at;
        style->spans[i].text = &texts[i];
    }
    return good;
}

static uint64_t replacement_length(const struct style_state *style, const struct line_span *span)
{
    if (span->text != NULL)
        return span->text->bytes_count;
    return style->part_count == 0
               ? 0
               : replace_part_offset(&style->parts[style->part_count], span->to - span->from);
}

bool piece_replace(struct text_scan *scan, const struct view *view, struct piece *piece)
{
    struct style_state *style = &scan->style;
    uint64_t at = 0, printed = 0, room = REPLACED_BLOCK_BYTES;

    if (style->part_count == 0 && !read_parts(scan))
        return false;
    if (scan->settings->expressions || scan->settings->json) {
        uint64_t content = piece->content;
        const uint8_t *line = piece->bytes != NULL
                                  ? piece->bytes
                                  : reread_range(scan, piece->offset, piece->offset + content);

        if (line == NULL || !write_replacements(scan, view, line, content, piece->offset))
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
    if (scan->settings->style.vimgrep && style->span_count > 1 && printed > room)
        room = printed < REPLACED_LINE_BYTES ? printed : REPLACED_LINE_BYTES;
    if (!SCAN_GROW(scan, style->block, style->block_capacity, room))
        return false;
    piece->content += printed - piece->count;
    piece->count = style->replaced_end = printed;
    piece->replaced = true;
    style->block_count = 0;
    return true;
}

/* ---- excerpt.h: the part of a line that --around prints ------------------------------------ */

uint64_t excerpt_limit(struct text_scan *scan, const struct piece *line)
{
    return line->content - (scan->settings->crlf && line->content > 0 &&
                            piece_byte_at(scan, line, line->content - 1) == '\r');
}

bool excerpt_next(struct text_scan *scan, const struct piece *line, uint64_t limit,
                  struct excerpt *excerpt)
{
    const struct style *style = &scan->settings->style;
    const struct line_span *span, *past;
    const uint64_t before = style->around_before, after = style->around_after;
    uint64_t end; /* where the matches so far end; the excerpt ends `after` characters later */

    if (excerpt->past >= line->span_count) /* line->spans may be NULL */
        return false;
    span = line->spans + excerpt->past;
    past = line->spans + line->span_count;
    excerpt->first = excerpt->past;
    end = span->end;
    excerpt->begin = piece_back_characters(scan, line, span->begin, before);
    excerpt->end = piece_skip_characters(scan, line, end, limit, after);
    for (span++; span < past && !style->vimgrep; span++) {
        if (span->begin >= excerpt->end) {
            if (before == 0 || excerpt->end == 0 ||
                piece_skip_characters(scan, line, excerpt->end, span->begin, before - 1) <
                    span->begin)
                break;
            end = span->end;
            excerpt->end = piece_skip_characters(scan, line, end, limit, after);
        } else if (span->end > end) {
            /* moves the excerpt's end as far as the matches' end, so no character is passed twice
             */
            excerpt->end =
                piece_skip_characters(scan, line, excerpt->end, limit,
                                      piece_count_characters(scan, line, end, span->end));
            end = span->end;
        }
    }
    excerpt->past = (uint64_t)(span - line->spans);
    return scan->status == TRAWL_OK;
}
