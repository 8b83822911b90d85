/* find_trigrams: finds candidates with trigrams (struct find_trigrams), in 32-byte vectors. A
 * gather looks up eight samples; loading their entries one by one into a buffer took 1.6 times as
 * long (Xeon, family 6, model 207). */
#ifndef TRAWL_CPU_FIND_TRIGRAMS_H
#define TRAWL_CPU_FIND_TRIGRAMS_H

#include "cpu/find.h"

/* What 16 samples say about 32 starts: a byte of slots for each start. In `first`, they are the
 * first samples of the starts, which begin one byte before them; in `second`, they are the second
 * samples of starts that begin two bytes earlier. */
struct trigram_slots {
    __m256i first, second;
};

/* Returns the entries of the eight samples at text, text + 4, ... */
static inline __m256i trigram_entries(const uint8_t *text, const struct find_trigrams *trigrams)
{
    const __m256i factors =
        _mm256_set1_epi32((int32_t)(FIND_TRIGRAM_FIRST | FIND_TRIGRAM_THIRD << 16));
    __m256i four = _mm256_or_si256(load32(text), _mm256_set1_epi8((char)trigrams->fold));
    __m256i hash = _mm256_and_si256(_mm256_madd_epi16(four, factors),
                                    _mm256_set1_epi32((1 << FIND_TRIGRAM_BITS) - 1));

    return _mm256_i32gather_epi32((const int *)(const void *)trigrams->slots, hash, 4);
}

static inline struct trigram_slots trigram_slots(const uint8_t *text,
                                                 const struct find_trigrams *trigrams)
{
    __m256i even = trigram_entries(text, trigrams), odd = trigram_entries(text + 2, trigrams);
    struct trigram_slots slots = {
        _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), 0xaa),
        _mm256_blend_epi16(_mm256_srli_epi32(even, 16), odd, 0xaa),
    };

    return slots;
}

/* Returns the starts of `now` whose two samples share a slot. `next` are the samples that follow
 * `now` in the text. */
static inline uint32_t trigram_begins(struct trigram_slots now, struct trigram_slots next)
{
    __m256i across = _mm256_permute2x128_si256(now.second, next.second, 0x21);
    __m256i both = _mm256_and_si256(now.first, _mm256_alignr_epi8(across, now.second, 2));

    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(both, _mm256_setzero_si256()));
}

static void FIND_NAME(trigrams)(const uint8_t *text, uint64_t word_count,
                                const struct find_trigrams *trigrams, struct find_tile *tile)
{
    struct trigram_slots low = trigram_slots(text + 1, trigrams);
    uint32_t hot_count = 0;

    TRAWL_ASSERT(word_count > 0 && word_count <= FIND_TILE_WORDS);
    for (uint64_t w = 0; w < word_count; w++) {
        const uint8_t *samples = text + 64 * w + 1;
        struct trigram_slots high = trigram_slots(samples + 32, trigrams);
        struct trigram_slots next = trigram_slots(samples + 64, trigrams);
        uint64_t bits = trigram_begins(low, high) | (uint64_t)trigram_begins(high, next) << 32;

        __builtin_prefetch(samples + FIND_AHEAD_BYTES);
        low = next;
        tile->mask[w] = bits;
        tile->hot[hot_count] = (uint16_t)w;
        hot_count += bits != 0;
    }
    tile->is_dense = false;
    tile->hot_count = hot_count;
}

#endif
