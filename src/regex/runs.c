/* runs: finds where runs of characters may begin (runs.h). */
#include "regex/runs.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "plan/analyse.h"
#include "regex/prices.def"

#define PARTS 3u /* the bytes of a character that are looked at */
#define SLOTS 8u /* of a group of tables */
#define SEQUENCES_MAX 32u
/* positions that are found together */
#define TILE_WORDS 64u

struct runs {
    /* the first bytes of the class's characters, of all characters of several bytes, and of those
     * of three or four */
    struct plan_nibbles begins, beyond, longs;
    uint32_t stride; /* bytes of each of the class's characters; 0: their lengths differ */
    uint32_t count;  /* least length of a run: in characters, or in bytes if their lengths differ */
    char name[sizeof((struct trawl_way *)0)->what];
};

/* Encodings of characters: each of their first bytes has one of the low and of the high halves. */
struct encodings {
    uint16_t low[PARTS], high[PARTS];
};

/* The characters of a class. */
struct characters {
    bool has_sequences; /* the following are wanted */
    struct encodings sequences[SEQUENCES_MAX + 1];
    uint32_t count;
    uint32_t shortest, longest; /* of a character, in bytes */
    bool begins[256];           /* bytes with which one begins */
};

struct runs_maker {
    const struct regex_options *options;
    const struct syntax_node *set; /* the best so far, `times` times; NULL: none */
    uint32_t times;
    /* the group in whose first alternative runs are looked for, which all others must have; NULL:
     * in none */
    const struct syntax_node *group;
    double rate; /* of the positions that probably pass */
    struct byte_rates rates;
};

/* ---- Classes ------------------------------------------------------------------------------ */

/* Returns how many of 16 bits are set. */
static uint32_t count_of(uint32_t bits)
{
    bits -= bits >> 1 & 0x5555;
    bits = (bits & 0x3333) + (bits >> 2 & 0x3333);
    bits = (bits + (bits >> 4)) & 0x0f0f;
    return (bits + (bits >> 8)) & 31;
}

/* Returns how many encodings the tables take for the same. Most bytes of most texts are ASCII. */
static uint32_t size_of(const struct encodings *sequence)
{
    uint32_t size = 15 * count_of(sequence->high[0] & 0xff) + count_of(sequence->high[0]);

    size *= count_of(sequence->low[0]);
    for (uint32_t i = 1; i < PARTS; i++)
        size *= count_of(sequence->low[i]) * count_of(sequence->high[i]);
    return size;
}

static struct encodings join(const struct encodings *a, const struct encodings *b)
{
    struct encodings joined;

    for (uint32_t i = 0; i < PARTS; i++) {
        joined.low[i] = a->low[i] | b->low[i];
        joined.high[i] = a->high[i] | b->high[i];
    }
    return joined;
}

/* Joins the two sequences, of which the second is at most `far` after the first, that together let
 * the fewest others pass. */
static void join_best(struct characters *chars, uint32_t far)
{
    uint32_t first = 0, second = 1, min = UINT32_MAX, sizes[SEQUENCES_MAX + 1];

    for (uint32_t i = 0; i < chars->count; i++)
        sizes[i] = size_of(&chars->sequences[i]);
    for (uint32_t i = 0; i + 1 < chars->count; i++)
        for (uint32_t k = i + 1; k < chars->count && k - i <= far; k++) {
            const struct encodings both = join(&chars->sequences[i], &chars->sequences[k]);
            const uint32_t size = size_of(&both), apart = sizes[i] + sizes[k];
            const uint32_t more = size > apart ? size - apart : 0;

            if (more < min) {
                min = more;
                first = i;
                second = k;
            }
        }
    chars->sequences[first] = join(&chars->sequences[first], &chars->sequences[second]);
    chars->count--;
    memmove(&chars->sequences[second], &chars->sequences[second + 1],
            (chars->count - second) * sizeof *chars->sequences);
}

/* Adds the encodings whose byte i is in [from[i], to[i]]. */
static void add_bytes(struct characters *chars, const uint32_t from[PARTS],
                      const uint32_t to[PARTS])
{
    struct encodings *sequence = &chars->sequences[chars->count];

    for (uint32_t byte = from[0]; byte <= to[0]; byte++)
        chars->begins[byte] = true;
    if (!chars->has_sequences)
        return;
    memset(sequence, 0, sizeof *sequence);
    for (uint32_t i = 0; i < PARTS; i++)
        for (uint32_t byte = from[i]; byte <= to[i]; byte++) {
            sequence->low[i] |= (uint16_t)(1u << (byte & 15));
            sequence->high[i] |= (uint16_t)(1u << (byte >> 4));
        }
    if (++chars->count > SEQUENCES_MAX)
        join_best(chars, 1);
}

/* Adds bytes, or characters of one byte: those of a row of 16 at a time, as no table can tell more
 * rows apart than it has slots. */
static void add_ascii(struct characters *chars, uint32_t first, uint32_t last)
{
    for (uint32_t at = first; at <= last; at = (at | 15) + 1) {
        const uint32_t from[PARTS] = {at, 0, 0},
                       to[PARTS] = {(uint32_t)min_u64(last, at | 15), 255, 255};

        add_bytes(chars, from, to);
    }
}

/* Adds characters that have `count` bytes. Takes encodings that are too long for characters, and
 * code points that are too large, if all from the first or to the last one are there: so there are
 * fewer sequences. */
static void add_long(struct characters *chars, uint32_t first, uint32_t last, uint32_t count)
{
    static const uint32_t leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const uint32_t bits = 6 * (count - 1), max = (1u << bits) - 1, more = max >> 6;

    first = first == 0x800 || first == 0x10000 ? 0 : first;
    last |= last == 0x10ffff ? max : 0;
    chars->shortest = (uint32_t)min_u64(chars->shortest, count);
    chars->longest = (uint32_t)max_u64(chars->longest, count);
    while (first <= last) {
        uint32_t from[PARTS] = {leads[count] + (first >> bits), 0x80, 0x80};
        uint32_t to[PARTS] = {from[0], 0xbf, 0xbf}, end = (uint32_t)min_u64(last, first | max);

        if ((first & max) == 0 && end == (first | max)) { /* all that begin with some bytes */
            end = ((last + 1) & ~max) - 1;
            to[0] = leads[count] + (end >> bits);
        } else if ((first & more) == 0 && end >= (first | more)) { /* ... with two */
            end = ((end + 1) & ~more) - 1;
            from[1] += first >> (bits - 6) & 63;
            to[1] = 0x80 + (end >> (bits - 6) & 63);
        } else {
            end = (uint32_t)min_u64(end, first | more);
            from[1] = to[1] = from[1] + (first >> (bits - 6) & 63);
            from[2] += first >> (bits - 12) & 63;
            to[2] = 0x80 + (end >> (bits - 12) & 63);
        }
        if (count == 2) {
            from[2] = 0;
            to[2] = 0xff;
        }
        add_bytes(chars, from, to);
        first = end + 1;
    }
}

static void class_of(const struct runs_maker *maker, const struct syntax_node *set,
                     bool has_sequences, struct characters *chars)
{
    static const uint32_t begins[] = {0, 0, 0x80, 0x800, 0x10000, 0x110000};

    memset(chars, 0, sizeof *chars);
    chars->has_sequences = has_sequences;
    chars->shortest = 4;
    for (uint32_t i = 0; i < set->set_count; i++) {
        const struct code_range *range = &set->set[i];
        const uint32_t ascii = maker->options->bytes ? 0xff : 0x7f;

        if (range->first <= ascii) {
            add_ascii(chars, range->first, (uint32_t)min_u64(range->last, ascii));
            chars->shortest = 1;
            chars->longest = (uint32_t)max_u64(chars->longest, 1);
        }
        for (uint32_t count = 2; count <= 4 && !maker->options->bytes; count++)
            if (range->first < begins[count + 1] && range->last >= begins[count])
                add_long(chars, (uint32_t)max_u64(range->first, begins[count]),
                         (uint32_t)min_u64(range->last, begins[count + 1] - 1), count);
    }
}

static double rate_of(const struct runs_maker *maker, const bool bytes[256])
{
    double rate = 0;

    for (uint32_t byte = 0; byte < 256; byte++)
        rate += bytes[byte] ? maker->rates.rate[byte] : 0;
    return rate;
}

/* ---- The rarest run ----------------------------------------------------------------------- */

/* Returns what the node consists of: groups of one item are that item. */
static const struct syntax_node *content_of(const struct syntax_node *node)
{
    while (node->kind == SYNTAX_GROUP && node->count == 1 && node->items[0]->count == 1)
        node = node->items[0]->items[0];
    return node;
}

/* Returns true if both are a character or class, of the same characters. */
static bool same_set(const struct syntax_node *a, const struct syntax_node *b)
{
    b = content_of(b);
    return (b->kind == SYNTAX_CHAR || b->kind == SYNTAX_SET) && a->set_count == b->set_count &&
           memcmp(a->set, b->set, a->set_count * sizeof *a->set) == 0;
}

/* Returns how many characters of the set each match of the node has in a row. */
static uint64_t times_in(const struct syntax_node *node, const struct syntax_node *set)
{
    const bool is_group = node->kind == SYNTAX_GROUP;
    uint64_t best = is_group ? RUN_MAX : 0, now = 0;

    if (node->kind == SYNTAX_REPEAT)
        return same_set(set, node->items[0]) ? node->min
               : node->min > 0               ? times_in(node->items[0], set)
                                             : 0;
    for (uint32_t i = 0; i < node->count && (is_group || node->kind == SYNTAX_LIST); i++) {
        const struct syntax_node *item = node->items[i];
        const uint64_t times = times_in(item, set);
        const bool goes_on = same_set(set, item->kind == SYNTAX_REPEAT ? item->items[0] : item);

        now = times + (goes_on ? now : 0);
        best = is_group ? min_u64(best, times) : max_u64(best, now);
        now = goes_on ? now : 0;
    }
    return node->count > 0 ? best : same_set(set, node);
}

/* Takes a class `times` times in a row instead of the best, if it is probably rarer. */
static void consider(struct runs_maker *maker, const struct syntax_node *set, uint32_t times)
{
    double rate, begin;
    struct characters chars;

    if (maker->group != NULL)
        times = (uint32_t)min_u64(times, times_in(maker->group, set));
    if (times == 0 || set->set_count == 0)
        return;
    class_of(maker, set, false, &chars);
    begin = rate = rate_of(maker, chars.begins);
    for (uint32_t i = 1; i < times && i < RUN_MAX; i++) /* characters of a class come together */
        rate *= max_double(begin, RUN_RATE);
    if (rate >= maker->rate)
        return;
    maker->rate = rate;
    maker->set = set;
    maker->times = times;
}

/* Considers what each match of the node has in a row. */
static void walk(struct runs_maker *maker, const struct syntax_node *node)
{
    const struct syntax_node *set = NULL;
    uint64_t times = 0;

    if ((node->kind == SYNTAX_REPEAT && node->min > 0) ||
        (node->kind == SYNTAX_GROUP && node->count == 1))
        walk(maker, node->items[0]);
    else if (node->kind == SYNTAX_GROUP && node->count > 1 && maker->group == NULL) {
        maker->group = node;
        walk(maker, node->items[0]);
        maker->group = NULL;
    }
    for (uint32_t i = 0; node->kind == SYNTAX_LIST && i < node->count; i++) {
        const struct syntax_node *item = node->items[i];
        const bool repeats = item->kind == SYNTAX_REPEAT;
        const struct syntax_node *one = content_of(repeats ? item->items[0] : item);
        const bool is_set = one->kind == SYNTAX_CHAR || one->kind == SYNTAX_SET;

        if (set == NULL || !same_set(set, one)) {
            set = is_set ? one : NULL;
            times = 0;
        } /* otherwise the run goes on, as in \d\d+ */
        times += repeats ? item->min : 1;
        if (set != NULL)
            consider(maker, set, (uint32_t)min_u64(times, RUN_MAX));
        else
            walk(maker, item);
    }
}

/* ---- Looks -------------------------------------------------------------------------------- */

static void make_tables(struct characters *chars, struct plan_nibbles *nibbles)
{
    while (chars->count > 2 * SLOTS)
        join_best(chars, UINT32_MAX);
    nibbles->groups = chars->count > SLOTS ? 2 : 1;
    nibbles->bytes = (uint32_t)min_u64(max_u64(chars->longest, 1), PARTS);
    nibbles->whole = true;
    for (uint32_t j = 0; j < nibbles->bytes; j++) {
        nibbles->at[j] = (uint8_t)j;
        for (uint32_t i = 0; i < chars->count; i++) {
            const uint8_t bit = (uint8_t)(1u << i % SLOTS);

            for (uint32_t value = 0; value < PLAN_NIBBLE_LOWS; value++)
                if ((chars->sequences[i].low[j] >> value % 16 & 1) != 0)
                    nibbles->low[i / SLOTS][j][value] |= bit;
            for (uint32_t value = 0; value < 16; value++)
                if ((chars->sequences[i].high[j] >> value & 1) != 0)
                    nibbles->high[i / SLOTS][j][value] |= bit;
        }
    }
}

enum trawl_status runs_make(const struct syntax_node *root, const struct regex_options *options,
                            struct runs **out, struct trawl_error *error)
{
    struct runs_maker maker = {.options = options, .rate = RUN_RATE_MAX};
    struct characters chars, beyond = {.has_sequences = true}, longs = beyond;
    struct runs *runs;
    uint64_t at;

    *out = NULL;
    if (root->may_be_empty)
        return TRAWL_OK;
    analyse_rates(NULL, 0, NULL, 0, false, &maker.rates);
    walk(&maker, root);
    if (maker.set == NULL)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_ZEROED(runs, 1, error));
    class_of(&maker, maker.set, true, &chars);
    make_tables(&chars, &runs->begins);
    add_ascii(&beyond, 0x80, 0xff);
    make_tables(&beyond, &runs->beyond);
    add_ascii(&longs, 0xe0, 0xff);
    make_tables(&longs, &runs->longs);
    at = bytes_show((const uint8_t *)maker.set->bytes, maker.set->bytes_count, runs->name,
                    sizeof runs->name - sizeof "{99}");
    if (maker.times > 1)
        (void)snprintf(runs->name + at, sizeof runs->name - at, "{%u}", maker.times);
    runs->stride = chars.shortest == chars.longest ? chars.longest : 0;
    if (runs->stride > 0)
        runs->count = (uint32_t)min_u64(maker.times, (RUN_MAX - 1) / runs->stride + 1);
    else
        runs->count =
            maker.times > 1 ? (uint32_t)min_u64(maker.times * chars.shortest, RUN_MAX) : 1;
    *out = runs;
    return TRAWL_OK;
}

void runs_free(struct runs *runs)
{
    memory_release(runs, 1, sizeof *runs);
}

/* ---- Searching ---------------------------------------------------------------------------- */

/* find_ops.nibbles in plain C, for tables that test both halves of each byte. */
static void find_plain(const uint8_t *text, uint64_t words, const struct plan_nibbles *nibbles,
                       struct find_tile *tile)
{
    memset(tile->mask, 0, words * sizeof *tile->mask);
    for (uint64_t i = 0; i < 64 * words; i++)
        for (uint32_t g = 0; g < nibbles->groups; g++) {
            uint8_t slots = 0xff;

            for (uint32_t j = 0; j < nibbles->bytes && slots != 0; j++)
                slots &=
                    nibbles->low[g][j][text[i + j] & 15] & nibbles->high[g][j][text[i + j] >> 4];
            tile->mask[i / 64] |= (uint64_t)(slots != 0) << i % 64;
        }
}

static void find_bytes(const struct find_ops *find, const uint8_t *text, uint64_t words,
                       const struct plan_nibbles *nibbles, struct find_tile *tile)
{
    (find->nibbles != NULL ? find->nibbles : find_plain)(text, words, nibbles, tile);
}

/* Returns the 64 bits from bit `at`, 1 to 63, of a word and the next on. */
static uint64_t bits_from(const uint64_t words[2], uint32_t at)
{
    return words[0] >> at | words[1] << (64 - at);
}

/* Sets the bits of all bytes of the characters that begin where *begins has bits. Clears those bits
 * of *begins after which no other such character begins. */
static void cover(const struct runs *runs, const struct find_ops *find, const uint8_t *text,
                  uint64_t words, struct find_tile *begins, struct find_tile *covered)
{
    struct find_tile longs;
    uint64_t *mask = begins->mask, carried = 0;

    find_bytes(find, text, words + 1, &runs->beyond, covered);
    find_bytes(find, text, words + 1, &runs->longs, &longs);
    for (uint64_t w = 0; w <= words; w++) {
        const uint64_t two = mask[w] & covered->mask[w], three = two & longs.mask[w];
        const uint64_t one = mask[w] & ~two;

        covered->mask[w] = mask[w] | two << 1 | three << 2 | three << 3 | carried;
        carried = two >> 63 | three >> 62 | three >> 61;
        if (w < words)
            mask[w] = (one & bits_from(mask + w, 1)) | (two & ~three & bits_from(mask + w, 2)) |
                      (three & (bits_from(mask + w, 3) | bits_from(mask + w, 4)));
    }
}

/* Fills the tile with the positions where runs begin. */
static void find_runs(const struct runs *runs, const struct find_ops *find, const uint8_t *text,
                      uint64_t words, struct find_tile *tile)
{
    struct find_tile covered;
    const uint64_t *mask = runs->stride > 0 ? tile->mask : covered.mask;
    const uint32_t stride = runs->stride > 0 ? runs->stride : 1;

    find_bytes(find, text, words + 1, &runs->begins, tile);
    if (runs->count > 1 && runs->stride == 0)
        cover(runs, find, text, words, tile, &covered);
    for (uint64_t w = 0; w < words && runs->count > 1; w++) {
        uint64_t bits[2] = {mask[w], mask[w + 1]};

        for (uint32_t have = 1, by; have < runs->count && tile->mask[w] != 0; have += by) {
            by = (uint32_t)min_u64(have, runs->count - have);
            bits[0] &= bits_from(bits, by * stride);
            bits[1] &= bits[1] >> by * stride;
        }
        tile->mask[w] &= bits[0];
    }
}

/* Finds the positions from `begin` on. */
static void fill(const struct runs *runs, const struct find_ops *find,
                 const struct engine_chunk *chunk, uint64_t begin, uint64_t to,
                 struct runs_found *found)
{
    const uint64_t positions = min_u64(to - begin, 64 * TILE_WORDS), words = (positions + 63) / 64;
    const uint64_t needed = 64 * (words + 1) + PARTS + FIND_LOAD_SLACK;
    uint8_t copy[64 * (TILE_WORDS + 1) + PARTS + FIND_LOAD_SLACK];
    const uint8_t *text = chunk->bytes + begin;

    if (chunk->owned + chunk->readable - begin < needed) {
        const uint64_t count = min_u64(chunk->owned - begin, needed);

        memcpy(copy, text, count);
        memset(copy + count, 0, needed - count);
        text = copy;
    }
    find_runs(runs, find, text, words, &found->tile);
    tile_cut(&found->tile, words, positions);
    found->begin = begin;
    found->end = begin + positions;
}

const char *runs_name(const struct runs *runs)
{
    return runs->name;
}

uint64_t runs_next(const struct runs *runs, const struct find_ops *find,
                   const struct engine_chunk *chunk, uint64_t from, uint64_t to,
                   struct runs_found *found)
{
    while (from < to) {
        if (from >= found->end || from < found->begin)
            fill(runs, find, chunk, from, to, found);
        for (uint64_t w = (from - found->begin) / 64; 64 * w < found->end - found->begin; w++) {
            const uint64_t at = found->begin + 64 * w;
            const uint64_t bits =
                found->tile.mask[w] & (from > at ? UINT64_MAX << (from - at) : UINT64_MAX);

            if (bits != 0)
                return at + (uint64_t)__builtin_ctzll(bits);
        }
        from = found->end;
    }
    return to;
}
