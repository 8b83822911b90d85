/* reach: finds matches with bitmaps of positions (reach.h). */
#include "regex/reach.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/reach_parts.h"

uint64_t reach_window_chars = 2048;

/* If a match does not end in a window, the next window has twice as many characters, as long as its
 * bitmaps have at most BITS_MAX bits. */
#define BITS_MAX (UINT64_C(1) << 22)
/* Of a word of a bitmap, at most FEW characters are looked up one by one. */
#define FEW 8u

void reach_release(struct reach_window *window)
{
    memory_release(window->bits, window->capacity, sizeof *window->bits);
    memory_release(window->offsets, window->offset_capacity, sizeof *window->offsets);
    memory_release(window->symbols, window->symbol_capacity, 1);
    *window = (struct reach_window){.of = NULL};
}

/* ---- Bitmaps ------------------------------------------------------------------------------ */

/* Bitmaps that are not of a part: a repetition's set, the characters of words, and, beyond these,
 * for each part the positions that a match reaches. */
enum { RUNS, WORDS, FORWARD };

static uint64_t *bitmap(const struct reach_window *window, uint32_t index)
{
    return window->bits + (uint64_t)index * window->stride;
}

static uint64_t *other_bitmap(const struct reach_window *window, uint32_t index)
{
    return bitmap(window, window->of->count + index);
}

static bool has_bit(const uint64_t *bits, uint64_t index)
{
    return (bits[index / 64] >> index % 64 & 1) != 0;
}

static void set_bit(uint64_t *bits, uint64_t index)
{
    bits[index / 64] |= UINT64_C(1) << index % 64;
}

/* Returns word `i` of bits that are moved down by `by`. `stride` words can be read. */
static uint64_t moved_down(const uint64_t *bits, uint32_t stride, uint64_t i, uint64_t by)
{
    const uint64_t word = i + by / 64, low = by % 64;
    uint64_t moved = word < stride ? bits[word] >> low : 0;

    if (low > 0 && word + 1 < stride)
        moved |= bits[word + 1] << (64 - low);
    return moved;
}

/* Likewise of (bits & mask), moved up. */
static uint64_t moved_up(const uint64_t *bits, const uint64_t *mask, uint64_t i, uint64_t by)
{
    const uint64_t words = by / 64, low = by % 64;
    uint64_t moved = i >= words ? (bits[i - words] & mask[i - words]) << low : 0;

    if (low > 0 && i > words)
        moved |= (bits[i - words - 1] & mask[i - words - 1]) >> (64 - low);
    return moved;
}

/* Words [low, high] of a bitmap. */
struct range {
    uint64_t low, high;
};

/* Moves bits by `by` characters, back or forward, where all of these are in `runs`: the positions
 * from which `by` characters of the set follow. With `keeps`, the bits also stay where they are. */
static void move_bits(uint64_t *bits, const uint64_t *runs, struct range range, uint32_t stride,
                      uint64_t by, bool keeps, bool forward)
{
    for (uint64_t k = range.low; k <= range.high; k++) {
        const uint64_t i = forward ? range.high - (k - range.low) : k;
        const uint64_t moved =
            forward ? moved_up(bits, runs, i, by) : moved_down(bits, stride, i, by) & runs[i];

        bits[i] = keeps ? bits[i] | moved : moved;
    }
}

/* Returns the characters 64 * i to 64 * i + 63 of the window that are in the set, of those in
 * `wanted`. */
static uint64_t word_of_set(const struct reach_window *window, uint32_t set, uint64_t i,
                            uint64_t wanted)
{
    const uint64_t *members = window->of->members;
    const uint8_t *symbols = window->symbols + 64 * i;
    uint64_t word = 0, left = wanted;

    for (uint32_t k = 0; k < FEW && left != 0; k++, left &= left - 1)
        word |= (members[symbols[__builtin_ctzll(left)]] >> set & 1) != 0 ? left & -left : 0;
    for (uint32_t k = 0; k < 64 && left != 0; k++)
        word |= (members[symbols[k]] >> set & 1) << k;
    return word & wanted;
}

/* Moves bits over `min` to `max` characters of a set. Moving them by 0 or 1, then by 0 or 2, 0
 * or 4, and so on to 2^(n-1), moves them by all counts below 2^n. */
static void move_over(const struct reach_window *window, const struct reach_part *part,
                      uint64_t *bits, bool forward)
{
    const uint32_t stride = window->stride;
    const uint64_t more = min_u64(part->max - part->min, window->chars);
    const uint64_t min = min_u64(part->min, UINT64_C(64) * stride);
    const uint64_t words = (min + more) / 64 + 1; /* bits move by at most this many words */
    struct range range = {0, stride - 1};
    uint64_t *runs = other_bitmap(window, RUNS), all = 1;

    while (range.low < stride && bits[range.low] == 0)
        range.low++;
    if (range.low == stride)
        return;
    while (bits[range.high] == 0)
        range.high--;
    if (forward)
        range.high = min_u64(range.high + words, stride - 1);
    else
        range.low -= min_u64(words, range.low);
    if (part->max == 1 && part->min == 1 && !forward) {
        for (uint64_t i = range.low; i <= range.high; i++) {
            const uint64_t moved = moved_down(bits, stride, i, 1);

            bits[i] = moved != 0 ? word_of_set(window, part->set, i, moved) : 0;
        }
        return;
    }
    for (uint64_t i = range.low; i <= range.high; i++)
        runs[i] = word_of_set(window, part->set, i, UINT64_MAX);
    while (2 * all - 1 <= more)
        all *= 2;
    for (uint64_t by = 1; by < all || by <= min; by *= 2) {
        if ((min & by) != 0)
            move_bits(bits, runs, range, stride, by, false, forward);
        if (by < all)
            move_bits(bits, runs, range, stride, by, true, forward);
        if (by < all && ((more - (all - 1)) & by) != 0)
            move_bits(bits, runs, range, stride, by, true, forward);
        for (uint64_t i = range.low; i <= range.high; i++)
            runs[i] &= moved_down(runs, (uint32_t)range.high + 1, i, by);
    }
}

/* ---- Windows ------------------------------------------------------------------------------ */

/* Reads the characters from window->begin, at most `chars`. Returns false if it cannot decide
 * about one. */
static bool read_chars(struct reach_window *window, uint64_t chars)
{
    const struct reach *reach = window->of;
    const uint8_t *text = window->text;
    const uint64_t begin = window->begin, to = window->to;
    uint32_t *offsets = window->offsets;
    uint8_t *symbols = window->symbols;
    uint64_t at = begin, near = 0;
    uint32_t n = 0;
    bool known = true;

    while (at < to && n < chars) {
        uint32_t symbol = reach->of_byte[text[at]];

        offsets[n] = (uint32_t)(at - begin);
        if (symbol == SYMBOL_LONG)
            symbol = reach_symbol(reach, text, &at, window->count, false, &near);
        else
            at++;
        known &= symbol != SYMBOL_ELSE;
        symbols[n++] = (uint8_t)symbol;
    }
    window->chars = n;
    offsets[n] = (uint32_t)(at - begin);
    window->is_last = at == to;
    window->stride = n / 64 + 2;
    memset(symbols + n, SYMBOL_END, UINT64_C(64) * window->stride - n);
    return known && at <= to;
}

/* Fills the bitmap of the characters that belong to words: bit i is the character before position
 * i. Returns false if it cannot decide about one. */
static bool note_words(struct reach_window *window)
{
    const struct reach *reach = window->of;
    const uint64_t end = window->begin + window->offsets[window->chars];
    uint64_t *words = other_bitmap(window, WORDS), at = window->begin, near = 0;
    uint32_t symbol = reach_symbol(reach, window->text, &at, window->count, true, &near);
    bool known = symbol != SYMBOL_ELSE;

    memset(words, 0, window->stride * sizeof *words);
    words[0] = (reach->members[symbol] & reach->words) != 0;
    for (uint64_t i = 0; i < window->chars; i++)
        if ((reach->members[window->symbols[i]] & reach->words) != 0)
            set_bit(words, i + 1);
    at = end;
    symbol = reach_symbol(reach, window->text, &at, window->count, false, &near);
    if ((reach->members[symbol] & reach->words) != 0)
        set_bit(words, window->chars + UINT64_C(1));
    return known && (symbol != SYMBOL_ELSE || !window->is_last);
}

/* Returns word `i` of the positions at which an assertion is true. */
static uint64_t edge_word(const struct reach_window *window, const struct reach_part *part,
                          uint64_t i)
{
    const uint64_t *words = other_bitmap(window, WORDS);
    uint64_t found = 0;

    if (part->set < EDGE_BEGIN) {
        const uint64_t before = words[i], after = moved_down(words, window->stride, i, 1);

        for (uint32_t kind = 0; kind < 4; kind++)
            if ((part->set >> kind & 1) != 0)
                found |= ((kind & 1) != 0 ? before : ~before) & ((kind & 2) != 0 ? after : ~after);
        return found;
    }
    if (part->set == EDGE_BEGIN)
        found = window->begin == 0 && i == 0;
    else if (i == window->chars / 64 &&
             window->begin + window->offsets[window->chars] == window->count)
        found = UINT64_C(1) << window->chars % 64;
    for (uint64_t at = 64 * i; part->by_lines && at <= window->chars && at < 64 * i + 64; at++) {
        const uint64_t offset = window->begin + window->offsets[at];
        const bool begins = part->set == EDGE_BEGIN;

        if (offset != (begins ? 0 : window->count) && window->text[offset - begins] == '\n')
            found |= UINT64_C(1) << at % 64;
    }
    return found;
}

/* Returns the first position from which characters of the part's set reach the window's end, but
 * fewer than the part needs: the next window may have the others. */
static uint32_t ending(const struct reach_window *window, const struct reach_part *part)
{
    const uint64_t *members = window->of->members;
    uint32_t at = window->chars;

    while (part->kind == REACH_CHARS && !window->is_last && at > 0 &&
           window->chars - at + 1 < part->min &&
           (members[window->symbols[at - 1]] >> part->set & 1) != 0)
        at--;
    return at;
}

/* Fills the bitmap of a part, if those of the parts after it are filled. */
static void fill_part(const struct reach_window *window, uint32_t index)
{
    const struct reach_part *part = &window->of->parts[index];
    const uint64_t *next = bitmap(window, part->next), *other = bitmap(window, part->other);
    const uint32_t stride = window->stride;
    uint64_t *bits = bitmap(window, index);

    if (part->kind == REACH_ACCEPT)
        memset(bits, window->is_whole ? 0 : 0xff, stride * sizeof *bits);
    else
        memcpy(bits, next, stride * sizeof *bits);
    /* if every position is an end, so is each that fewer characters reach */
    if (part->kind == REACH_CHARS &&
        (part->min > 0 || part->next != REACH_ACCEPT || window->is_whole))
        move_over(window, part, bits, false);
    for (uint64_t i = 0; part->kind == REACH_FORK && i < stride; i++)
        bits[i] |= other[i];
    for (uint64_t i = 0; part->kind == REACH_EDGE && i < stride; i++)
        bits[i] &= edge_word(window, part, i);
    bits[window->chars / 64] &= (UINT64_C(2) << window->chars % 64) - 1;
    memset(bits + window->chars / 64 + 1, 0, (stride - window->chars / 64 - 1) * sizeof *bits);
    if (!window->is_last || part->kind == REACH_ACCEPT)
        for (uint64_t at = ending(window, part); at <= window->chars; at++)
            set_bit(bits, at);
}

/* Fills a window of at most `chars` characters. Returns false if memory cannot be allocated or
 * if it cannot decide. */
static bool fill(const struct reach *reach, struct reach_window *window, uint64_t begin,
                 uint64_t chars)
{
    const uint64_t bitmaps = (reach->longest ? 2 * reach->count : reach->count) + FORWARD;

    chars = min_u64(chars, window->to - begin);
    window->of = NULL;
    window->begin = begin;
    window->stride = (uint32_t)(chars / 64) + 2;
    if (MEMORY_ROOM(window->bits, window->capacity, bitmaps * window->stride, NULL) != TRAWL_OK ||
        MEMORY_ROOM(window->offsets, window->offset_capacity, chars + 1, NULL) != TRAWL_OK ||
        MEMORY_ROOM(window->symbols, window->symbol_capacity, UINT64_C(64) * window->stride,
                    NULL) != TRAWL_OK)
        return false;
    window->of = reach;
    if (!read_chars(window, chars) || (reach->by_words && !note_words(window))) {
        window->of = NULL;
        return false;
    }
    for (uint32_t i = 0; i < reach->count; i++)
        fill_part(window, i);
    return true;
}

/* ---- Matches ------------------------------------------------------------------------------ */

/* Returns the count of characters that a match at `at` prefers for the part. */
static uint32_t prefer(const struct reach_window *window, const struct reach_part *part,
                       uint32_t at)
{
    const uint64_t *members = window->of->members, *next = bitmap(window, part->next);
    const uint32_t max = (uint32_t)min_u64(part->max, window->chars - at);
    uint32_t found = max;

    for (uint32_t count = 0;; count++) {
        if (count >= part->min && has_bit(next, at + count))
            found = count;
        if ((part->is_lazy && count >= part->min && found == count) || count == max ||
            (members[window->symbols[at + count]] >> part->set & 1) == 0)
            return found;
    }
}

/* Follows the match that begins at `at`. Returns its end; UINT32_MAX if it reaches the end of a
 * window that is not the last. */
static uint32_t follow(const struct reach_window *window, uint32_t at)
{
    const struct reach *reach = window->of;
    const struct reach_part *part = &reach->parts[reach->first];

    while (part->kind != REACH_ACCEPT && (window->is_last || at < window->chars)) {
        uint32_t next = part->next;

        if (part->kind == REACH_CHARS)
            at += prefer(window, part, at);
        else if (part->kind == REACH_FORK && !has_bit(bitmap(window, next), at))
            next = part->other;
        part = &reach->parts[next];
    }
    return window->is_last || at < window->chars ? at : UINT32_MAX;
}

/* Returns the end of the longest match that begins at `at`, like follow. */
static uint32_t follow_longest(const struct reach_window *window, uint32_t at)
{
    const struct reach *reach = window->of;
    uint64_t *parts = other_bitmap(window, FORWARD);
    const uint64_t stride = window->stride;
    uint32_t end = window->chars;

    memset(parts, 0, reach->count * stride * sizeof *parts);
    set_bit(parts + reach->first * stride, at);
    for (uint32_t index = reach->first; index > 0; index--) {
        const struct reach_part *part = &reach->parts[index];
        uint64_t *bits = parts + index * stride;

        for (uint64_t k = ending(window, part); k <= window->chars && !window->is_last; k++)
            if (has_bit(bits, k))
                return UINT32_MAX;
        if (part->kind == REACH_CHARS)
            move_over(window, part, bits, true);
        for (uint64_t i = 0; i < stride; i++) {
            if (part->kind == REACH_EDGE)
                bits[i] &= edge_word(window, part, i);
            parts[part->next * stride + i] |= bits[i];
            if (part->kind == REACH_FORK)
                parts[part->other * stride + i] |= bits[i];
        }
    }
    while (!has_bit(parts, end) || !has_bit(bitmap(window, 0), end))
        end--;
    return window->is_last || end < window->chars ? end : UINT32_MAX;
}

/* Returns the position of the first match that begins at or after `offset`; the window's end if
 * there is none. */
static uint32_t first_begin(const struct reach_window *window, uint64_t offset)
{
    const uint64_t *bits = bitmap(window, window->of->first);
    uint32_t low = 0, high = window->chars;
    uint64_t word;

    while (low < high) { /* the first position at or after `offset` */
        const uint32_t middle = (low + high) / 2;

        if (window->begin + window->offsets[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (word = bits[low / 64] & UINT64_MAX << low % 64;
         word == 0 && low / 64 < window->chars / 64;)
        word = bits[(low = (low / 64 + 1) * 64) / 64];
    return word != 0 ? low / 64 * 64 + (uint32_t)__builtin_ctzll(word) : window->chars;
}

int reach_match(const struct reach *reach, struct reach_window *window, const uint8_t *text,
                uint64_t count, uint64_t from, uint64_t until, uint64_t to,
                enum regex_anchor anchor, struct regex_span *span)
{
    const bool is_whole = anchor == REGEX_WHOLE;
    uint64_t chars = reach_window_chars;

    if (window->gave_up == reach)
        return -1;
    if (to - from < reach->shortest) {
        window->next = to;
        return 0;
    }
    for (bool is_valid = window->of == reach && window->text == text && window->count == count &&
                         window->to == to && !window->is_whole && anchor == REGEX_ANYWHERE &&
                         from >= window->begin &&
                         from <= window->begin + window->offsets[window->chars];
         from <= until; is_valid = false) {
        uint64_t begin;
        uint32_t at, end;

        window->text = text;
        window->count = count;
        window->to = to;
        window->is_whole = is_whole;
        if (!is_valid && !fill(reach, window, from, chars))
            return -1;
        at = first_begin(window, from);
        begin = window->next = window->begin + window->offsets[at];
        if (!has_bit(bitmap(window, reach->first), at) || begin > until ||
            (anchor != REGEX_ANYWHERE && at > 0))
            return 0;
        end = at == window->chars ? UINT32_MAX
              : reach->longest    ? follow_longest(window, at)
                                  : follow(window, at);
        if (end != UINT32_MAX) {
            if (span != NULL)
                *span = (struct regex_span){begin, window->begin + window->offsets[end]};
            return 1;
        }
        chars = at > 0 ? reach_window_chars : 2 * chars;
        if (chars * reach->count > BITS_MAX) {
            window->gave_up = reach;
            return -1;
        }
        from = begin;
    }
    return 0;
}
