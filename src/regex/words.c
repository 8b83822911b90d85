/* words: see words.h. */
#include "regex/words.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

/* Code points that is_word is asked about; beyond these, Unicode has no letters, digits or marks
 * but the marks of WORDS_MARKS. */
#define WORDS_END 0x40000u
#define WORDS_MARKS 0xe0100u
#define WORDS_MARKS_END 0xe01f0u
/* Room for "\x{12345}-\x{12345}" if every other character is excluded. */
#define NO_WORDS_BYTES ((WORDS_END + WORDS_MARKS_END - WORDS_MARKS) / 2 * 20 + 64)
#define NO_ASCII_WORD "(?-i:[^0-9A-Za-z_])"

/* ---- Characters ---------------------------------------------------------------------------- */

static void no_words_free(void *text)
{
    memory_release(text, NO_WORDS_BYTES, 1);
}

/* Writes the class of all characters that are part of no word: the function that attachment_want
 * calls. The class excludes word characters, and halves of pairs, which UTF-8 does not have. */
static enum trawl_status no_words_make(const void *from, void **object, struct trawl_error *error)
{
    const struct trawl_plan *plan = (const struct trawl_plan *)from;
    const uint32_t end = (plan->flags & TRAWL_SINGLE_BYTE) != 0 ? 0x100 : WORDS_MARKS_END;
    bool excluded = false;
    char *to;

    TRAWL_TRY(memory_allocate(NO_WORDS_BYTES, 1, object, error)); /* few of its pages are used */
    to = stpcpy((char *)*object, NO_ASCII_WORD) - strlen("])");
    for (uint32_t at = 0x80; at <= end; at++) {
        const bool is =
            at < end && at != WORDS_END &&
            ((at >= 0xd800 && at < 0xe000) || plan->utf8.is_word(plan->utf8.context, at));

        if (is != excluded)
            to += sprintf(to, is ? "\\x{%x}-" : "\\x{%x}", is ? at : at - 1);
        excluded = is;
        if (at == WORDS_END)
            at = WORDS_MARKS - 1;
    }
    memcpy(to, "])", sizeof "])");
    return TRAWL_OK;
}

uint64_t words_step(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                    uint64_t at)
{
    uint64_t taken = 0;
    uint32_t code_point;

    if (expressions->plan->expressions.characters && at < count)
        taken = plan_utf8_decode(text + at, count - at, &code_point);
    return at + (taken > 0 ? taken : 1);
}

/* Returns the offset of the first byte that is no ASCII, at `from` or later; `count` if there is
 * none. */
static uint64_t ascii_end(const uint8_t *bytes, uint64_t from, uint64_t count)
{
    uint64_t word;

    for (; count - from >= sizeof word; from += sizeof word) {
        memcpy(&word, bytes + from, sizeof word);
        if ((word & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    while (from < count && bytes[from] < 0x80)
        from++;
    return from;
}

/* Returns the offset of the first byte that is part of no character, at `from` or later; `count` if
 * there is none. */
static uint64_t valid_end(const uint8_t *bytes, uint64_t from, uint64_t count)
{
    uint64_t taken = 1;

    for (uint32_t code_point; taken > 0; from += taken) {
        from = ascii_end(bytes, from, count);
        taken = plan_utf8_decode(bytes + from, count - from, &code_point);
    }
    return from;
}

/* Copies the line, with '\n' for each byte that is part of no character, `first` and others. */
static enum trawl_status copy_line(struct words *words, struct judged line, uint64_t first,
                                   struct trawl_error *error)
{
    void *memory = words->copy;

    if (line.count > words->capacity) {
        TRAWL_TRY(memory_grow(words->capacity, line.count, 1, &memory, error));
        words->copy = (uint8_t *)memory;
        words->capacity = line.count;
    }
    memcpy(words->copy, line.bytes, (size_t)line.count);
    for (uint64_t at = first; at < line.count; at = valid_end(line.bytes, at + 1, line.count))
        words->copy[at] = '\n';
    words->bytes = words->copy;
    words->part_end = first;
    return TRAWL_OK;
}

enum trawl_status words_begin(const struct expressions *expressions, struct judged line,
                              struct trawl_error *error)
{
    const struct trawl_plan *plan = expressions->plan;
    struct words *words = line.words;
    const void *object;
    uint64_t at;

    if ((plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) != TRAWL_WHOLE_WORD)
        return TRAWL_OK;
    words->others = NO_ASCII_WORD;
    words->wide = false;
    words->bytes = line.bytes;
    words->part_begin = 0;
    words->part_end = line.count;
    at = ascii_end(line.bytes, 0, line.count);
    if (at == line.count)
        return TRAWL_OK;
    if (plan->utf8_is_set) {
        TRAWL_TRY(attachment_want(&plan->attached[PLAN_NO_WORDS], plan, no_words_make,
                                  no_words_free, &object, error));
        words->others = (const char *)object;
        words->wide = true;
    }
    if (!plan->expressions.characters ||
        (plan->utf8_is_set && (plan->flags & TRAWL_STRICT_WORD) != 0))
        return TRAWL_OK;
    at = valid_end(line.bytes, at, line.count);
    return at < line.count ? copy_line(words, line, at, error) : TRAWL_OK;
}

void words_release(struct words *words)
{
    memory_release(words->copy, words->capacity, 1);
    *words = (struct words){.copy = NULL};
}

/* ---- Matches ------------------------------------------------------------------------------- */

/* Returns whether the byte is part of no character, in a line where a match may begin beside such a
 * byte. */
static bool is_cut(struct judged line, uint64_t at)
{
    return line.words->bytes[at] != line.bytes[at];
}

/* Returns the end of the part that begins at `from` or earlier. */
static uint64_t part_end(struct judged line, uint64_t from)
{
    struct words *words = line.words;

    if (words->bytes == line.bytes)
        return line.count;
    if (from < words->part_begin || from > words->part_end) {
        words->part_begin = words->part_end = from;
        while (words->part_end < line.count && !is_cut(line, words->part_end))
            words->part_end++;
    }
    return words->part_end;
}

/* Returns the begin of the character that ends at `at`; `at` if no character does. */
static uint64_t step_back(const struct expressions *expressions, struct judged line, uint64_t at)
{
    uint64_t back = 1;
    uint32_t code_point;

    if (at == 0 || is_cut(line, at - 1))
        return at;
    if (!expressions->plan->expressions.characters)
        return at - 1;
    while (back < 4 && back < at && (line.bytes[at - back] & 0xc0) == 0x80)
        back++;
    return plan_utf8_decode(line.bytes + (at - back), back, &code_point) == back ? at - back : at;
}

/* Finds a match by one of the two programs. */
static int match_bordered(const struct expressions *expressions, const struct regex *regex,
                          struct judged line, enum regex_border border, uint64_t from, uint64_t to,
                          struct regex_span *spans, uint32_t span_count)
{
    const struct regex_ops *ops = expressions->ops;
    const struct regex *bordered =
        ops->bordered(regex, border, line.words->others, line.words->wide);

    if (bordered == NULL)
        return -1;
    if (!ops->is_ready(bordered))
        return WORDS_LARGE;
    return ops->match(bordered, line.words->bytes, line.count, from, to,
                      border == REGEX_BORDER_AT ? REGEX_AT_FROM : REGEX_ANYWHERE, spans,
                      span_count);
}

/* Moves span->end to the end of the match: span->end, or the end of the character before. The last
 * character is of no word. It belongs to the match only if the match ends where the part ends, at
 * `to`. */
static int find_end(const struct expressions *expressions, const struct regex *regex,
                    struct judged line, uint64_t to, struct regex_span *span)
{
    const uint64_t begin = span->begin, last = step_back(expressions, line, span->end);
    const enum regex_anchor anchor =
        expressions->plan->expressions.syntax == TRAWL_PERL ? REGEX_AT_FROM : REGEX_WHOLE;
    struct regex_span spans[2] = {{0, 0}, {begin, last}};
    int found = 1;

    if (span->end == to &&
        (to == begin || !plan_accepts_begin(expressions->plan, line.words->bytes, to, 0)))
        return 1;
    if (span->end == to) {
        found = expressions->ops->match(regex, line.words->bytes, line.count, begin, to, anchor,
                                        spans, 1);
        if (found > 0 && spans[0].end == to)
            return 1;
        /* The first alternative may end at neither place, between no word borders. */
        if (found > 0 && spans[0].end != last)
            found = match_bordered(expressions, regex, line, REGEX_BORDER_AT, begin, to, spans, 2);
        if (found < 0)
            return found;
    }
    span->end = spans[1].end;
    return 1;
}

/* Finds the first match that begins and ends in [from, to), a part of the line. */
static int match_part(const struct expressions *expressions, const struct regex *regex,
                      struct judged line, uint64_t from, uint64_t to, struct regex_span *span)
{
    const bool is_border = from == 0 || is_cut(line, from - 1);
    const uint64_t back = step_back(expressions, line, from);
    int found = 0;

    if (span == NULL) { /* where any match will do, RE2 stops early, but not at REGEX_AT_FROM */
        found = match_bordered(expressions, regex, line, REGEX_BORDER_AFTER, back, to, NULL, 0);
        return found == 0 && is_border
                   ? match_bordered(expressions, regex, line, REGEX_BORDER_AT, from, to, NULL, 0)
                   : found;
    }
    if (is_border)
        found = match_bordered(expressions, regex, line, REGEX_BORDER_AT, from, to, span, 1);
    if (found == 0) {
        found = match_bordered(expressions, regex, line, REGEX_BORDER_AFTER, back, to, span, 1);
        if (found > 0)
            span->begin = words_step(expressions, line.bytes, line.count, span->begin);
    }
    return found > 0 ? find_end(expressions, regex, line, to, span) : found;
}

int words_match(const struct expressions *expressions, const struct regex *regex,
                struct judged line, uint64_t from, bool empty, struct regex_span *span)
{
    while (from <= line.count) {
        const uint64_t to = part_end(line, from);
        const int found = match_part(expressions, regex, line, from, to, span);

        if (found < 0 || (found > 0 && (empty || span->end > span->begin)))
            return found;
        if (engine_call_is_over(line.call))
            return WORDS_CANCELLED;
        from = found > 0 ? words_step(expressions, line.bytes, line.count, span->begin) : to + 1;
    }
    return 0;
}
