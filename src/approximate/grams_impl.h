/* grams_impl: implements the `grams` member of struct filter_ops with the vector types of the C
 * compiler. Each instruction set's file (filter_*.c) includes this one. */
#ifndef TRAWL_APPROXIMATE_GRAMS_IMPL_H
#define TRAWL_APPROXIMATE_GRAMS_IMPL_H

#include <string.h>

#include "approximate/grams.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

typedef uint32_t lanes __attribute__((vector_size(4 * GRAMS_LANES)));
typedef int32_t signed_lanes __attribute__((vector_size(4 * GRAMS_LANES)));
typedef uint32_t loose_lanes __attribute__((vector_size(4 * GRAMS_LANES), aligned(4), may_alias));

/* Returns the bits of 32 offsets, beginning at `at`. */
static inline uint32_t bits_at(const uint64_t *bits, uint32_t at)
{
    uint64_t word;

    memcpy(&word, (const uint8_t *)(const void *)bits + at / 8, sizeof word);
    return (uint32_t)(word >> at % 8);
}

/* Returns true if some lane is 0. */
static inline bool any_lane_zero(const lanes *value)
{
#if defined(__AVX2__)
    __m256i zero = _mm256_cmpeq_epi32((__m256i)*value, _mm256_setzero_si256());

    return _mm256_testz_si256(zero, zero) == 0;
#else
    bool found = false;

    for (uint32_t i = 0; i < GRAMS_LANES; i++)
        found |= (*value)[i] == 0;
    return found;
#endif
}

/* Returns the index in approx_grams.heads for the gram made of the piece's symbols in `high` and
 * `low`. The head there is the index of the first entry of the gram's list. */
static inline uint64_t gram_of(const struct grams_piece *piece, uint32_t high, uint32_t low)
{
    const uint32_t mask = (1u << piece->gram_symbols) - 1;

    return piece->heads +
           ((high >> piece->symbol & mask) << piece->gram_symbols | (low >> piece->symbol & mask));
}

/* ---- Mismatches ---------------------------------------------------------------------------- */

/* Copies of the members of struct approx_grams that compare_begins reads: five arrays with a word
 * for each entry of the grams' lists, and errors_max. */
struct entries {
    const uint32_t *high;
    const uint32_t *low;
    const uint32_t *care;
    const uint32_t *exact;
    const uint32_t *literal;
    uint32_t errors_max;
};

/* Counts the set bits of each lane. */
static inline void count_bits(const lanes *bits, lanes *count)
{
#if defined(__AVX2__)
    const __m256i of_nibble =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i low = _mm256_and_si256((__m256i)*bits, nibble);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16((__m256i)*bits, 4), nibble);
    __m256i bytes =
        _mm256_add_epi8(_mm256_shuffle_epi8(of_nibble, low), _mm256_shuffle_epi8(of_nibble, high));

    *count = (lanes)_mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)),
                                      _mm256_set1_epi16(1));
#else
    lanes sum = *bits - (*bits >> 1 & 0x55555555u);

    sum = (sum & 0x33333333u) + (sum >> 2 & 0x33333333u);
    sum = (sum + (sum >> 4)) & 0x0f0f0f0fu;
    *count = (sum * 0x01010101u) >> 24;
#endif
}

/* Compares the literals of a list, entries [entry, end), with the codes at an offset, and writes
 * those that may occur there. Even an empty list takes one round of the loop, like any list of at
 * most GRAMS_LANES entries, so the loop's end is seldom mispredicted. */
static inline uint64_t compare_begins(const struct entries *entries, uint32_t high, uint32_t low,
                                      uint32_t none, uint32_t entry, uint32_t end, uint32_t offset,
                                      uint64_t *found)
{
    const signed_lanes number = {0, 1, 2, 3, 4, 5, 6, 7};
    uint64_t count = 0;

    do {
        lanes differ = ((*(const loose_lanes *)(entries->high + entry) ^ high) |
                        (*(const loose_lanes *)(entries->low + entry) ^ low) | none) &
                       *(const loose_lanes *)(entries->care + entry);
        lanes bits, failed;

        count_bits(&differ, &bits);
        failed = (lanes)((signed_lanes)bits > (int32_t)entries->errors_max) |
                 (lanes)(number >= (int32_t)(end - entry)) |
                 (differ & *(const loose_lanes *)(entries->exact + entry));
        if (any_lane_zero(&failed))
            for (uint32_t i = 0; i < GRAMS_LANES; i++)
                if (failed[i] == 0)
                    found[count++] = (uint64_t)entries->literal[entry + i] << 32 | offset;
        entry += GRAMS_LANES;
    } while (entry < end);
    return count;
}

#define STARTS 512u /* maximum number of starts whose exact parts are compared at a time */

/* Returns a bit for each of the 32 starts at `at`, set if the text has the group's exact part. */
static inline uint32_t exact_part_bits(const struct grams_stretch *stretch,
                                       const struct grams_group *group, uint32_t at)
{
    uint32_t stands = UINT32_MAX;

    for (uint32_t care = group->care; care != 0; care &= care - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(care);

        stands &= ~((bits_at(stretch->bits[GRAMS_HIGH], at + i) ^ (0 - (group->high >> i & 1))) |
                    (bits_at(stretch->bits[GRAMS_LOW], at + i) ^ (0 - (group->low >> i & 1))) |
                    bits_at(stretch->bits[GRAMS_NONE], at + i));
    }
    return stands;
}

/* Writes the bits of [stretch->offset, end) at which the text has the group's exact part to
 * `starts`, and returns how many there are. Writes four at a time, since a loop that ends with the
 * last set bit of a word is often mispredicted; there is room for three more. */
static inline uint32_t group_starts(const struct grams_stretch *stretch,
                                    const struct grams_group *group, uint32_t end, uint32_t *starts)
{
    uint32_t count = 0;

    for (uint32_t at = stretch->offset; at < end; at += 32) {
        uint64_t stands = exact_part_bits(stretch, group, at);
        uint32_t *next = starts + count;

        if (end - at < 32)
            stands &= (1u << (end - at)) - 1;
        count += (uint32_t)__builtin_popcountll(stands);
        do {
            for (uint32_t i = 0; i < 4; i++, stands &= stands - 1)
                *next++ = at + (uint32_t)__builtin_ctzll(stands | UINT64_C(1) << 32);
        } while (stands != 0);
    }
    return count;
}

/* For each start at which the text has a group's exact part, and for each piece of the group,
 * compares the literals on the list of the gram at the piece's symbols. */
static uint64_t scan_begins(const struct approx_grams *grams, struct grams_stretch *stretch,
                            uint64_t *found, uint64_t room)
{
    const uint64_t room_for_one = (uint64_t)grams->piece_count * grams->list_max + GRAMS_LANES;
    const struct entries entries = {grams->high,  grams->low,     grams->care,
                                    grams->exact, grams->literal, grams->errors_max};
    const uint32_t *const all_heads = grams->heads;
    uint32_t starts[STARTS + 3];
    uint64_t count = 0;

    while (stretch->offset < stretch->end) {
        const struct grams_group *group = &grams->groups[stretch->group];
        const uint32_t first = stretch->group > 0 ? group[-1].piece_end : 0;
        const uint32_t last = group->piece_end;
        const uint32_t end =
            stretch->end - stretch->offset > STARTS ? stretch->offset + STARTS : stretch->end;
        const uint32_t start_count = group_starts(stretch, group, end, starts);

        for (uint32_t i = 0; i < start_count; i++) {
            const uint32_t high = bits_at(stretch->bits[GRAMS_HIGH], starts[i]);
            const uint32_t low = bits_at(stretch->bits[GRAMS_LOW], starts[i]);
            const uint32_t none = bits_at(stretch->bits[GRAMS_NONE], starts[i]);

            if (room - count < room_for_one) {
                stretch->offset = starts[i];
                return count;
            }
            for (uint32_t j = first; j < last; j++) {
                const uint32_t *heads = all_heads + gram_of(&grams->pieces[j], high, low);

                count += compare_begins(&entries, high, low, none, heads[0], heads[1], starts[i],
                                        found + count);
            }
        }
        stretch->offset = end;
        if (end == stretch->end && stretch->group + 1 < grams->group_count) {
            stretch->group++;
            stretch->offset = GRAMS_BITS_BEFORE;
        }
    }
    return count;
}

/* ---- Edits --------------------------------------------------------------------------------- */

/* Literals that wait for comparison, with the offsets at which they may begin. */
struct waiting {
    uint64_t found[GRAMS_LANES];
    uint32_t count;
};

/* The text that each lane compares with its literal: codes from errors_max offsets before the
 * literal, 32 offsets per word. */
#define TEXT_WORDS 3u

struct lanes_text {
    lanes high[TEXT_WORDS];
    lanes low[TEXT_WORDS];
    lanes none[TEXT_WORDS];
};

static inline void lanes_read(const struct approx_grams *grams, const struct grams_stretch *stretch,
                              const struct waiting *waiting, struct lanes_text *text,
                              lanes masks[5])
{
    for (uint32_t i = 0; i < GRAMS_LANES; i++) {
        uint64_t found = waiting->found[i < waiting->count ? i : 0];
        uint32_t begin = (uint32_t)found - grams->errors_max;

        for (uint32_t j = 0; j < 5; j++)
            masks[j][i] = grams->masks[found >> 32][j];
        for (uint32_t j = 0; j < TEXT_WORDS; j++) {
            text->high[j][i] = bits_at(stretch->bits[GRAMS_HIGH], begin + 32 * j);
            text->low[j][i] = bits_at(stretch->bits[GRAMS_LOW], begin + 32 * j);
            text->none[j][i] = bits_at(stretch->bits[GRAMS_NONE], begin + 32 * j);
        }
    }
}

/* Sets a lane of *near to a value other than 0 if a span of the lane's text is within errors_max
 * edits of the lane's literal. The span may end up to n + 2 * errors_max offsets after the text's
 * start, where n is the number of symbols of the longest of the literals. Computes columns of
 * Sellers' table (Myers 1999). */
static inline void lanes_compare(const struct approx_grams *grams, const struct lanes_text *text,
                                 const lanes masks[5], lanes *near)
{
    const lanes zeros = {0};
    const lanes last = masks[4] ^ masks[4] >> 1;
    lanes more = masks[4], less = zeros, distance = zeros;
    uint32_t symbols = 0;

    *near = zeros;
    for (uint32_t i = 0; i < GRAMS_LANES; i++) {
        distance[i] = (uint32_t)__builtin_popcount(masks[4][i]);
        symbols = distance[i] > symbols ? distance[i] : symbols;
    }
    for (uint32_t step = 0; step < symbols + 2 * grams->errors_max; step++) {
        uint32_t word = step / 32, bit = step % 32;
        lanes high = zeros - (text->high[word] >> bit & 1);
        lanes low = zeros - (text->low[word] >> bit & 1);
        lanes none = zeros - (text->none[word] >> bit & 1);
        lanes equal = ((high & ((low & masks[3]) | (~low & masks[2]))) |
                       (~high & ((low & masks[1]) | (~low & masks[0])))) &
                      ~none;
        lanes carried = equal | less;
        lanes zero = (((carried & more) + more) ^ more) | carried;
        lanes below = more & zero, above = less | ~(more | zero);

        distance -= (lanes)((above & last) != 0) - (lanes)((below & last) != 0);
        *near |= (lanes)(distance <= grams->errors_max);
        above <<= 1;
        less = above & zero;
        more = below << 1 | ~(above | zero);
    }
}

/* Compares the waiting literals, and writes those that may occur. */
static inline uint64_t compare_ends(const struct approx_grams *grams,
                                    const struct grams_stretch *stretch, struct waiting *waiting,
                                    uint64_t *found)
{
    struct lanes_text text;
    lanes masks[5], near;
    uint64_t count = 0;

    lanes_read(grams, stretch, waiting, &text, masks);
    lanes_compare(grams, &text, masks, &near);
    for (uint32_t i = 0; i < waiting->count; i++)
        if (near[i] != 0)
            found[count++] = waiting->found[i];
    waiting->count = 0;
    return count;
}

/* Like scan_begins, for edits. */
static uint64_t scan_ends(const struct approx_grams *grams, struct grams_stretch *stretch,
                          uint64_t *found, uint64_t room)
{
    const uint64_t room_for_one = (uint64_t)grams->piece_count * grams->list_max + GRAMS_LANES;
    struct waiting waiting = {{0}, 0};
    uint64_t count = 0;

    for (; stretch->offset < stretch->end && room - count >= room_for_one; stretch->offset++) {
        const uint32_t high = bits_at(stretch->bits[GRAMS_HIGH], stretch->offset);
        const uint32_t low = bits_at(stretch->bits[GRAMS_LOW], stretch->offset);

        for (uint32_t j = 0; j < grams->piece_count; j++) {
            const uint32_t *heads = grams->heads + gram_of(&grams->pieces[j], high, low);

            for (uint32_t entry = heads[0]; entry < heads[1]; entry++) {
                waiting.found[waiting.count++] =
                    (uint64_t)grams->literal[entry] << 32 | stretch->offset;
                if (waiting.count == GRAMS_LANES)
                    count += compare_ends(grams, stretch, &waiting, found + count);
            }
        }
    }
    return count + (waiting.count > 0 ? compare_ends(grams, stretch, &waiting, found + count) : 0);
}

static uint64_t grams_scan(const struct approx_grams *grams, struct grams_stretch *stretch,
                           uint64_t *found, uint64_t room)
{
    return (grams->edits ? scan_ends : scan_begins)(grams, stretch, found, room);
}

#endif
