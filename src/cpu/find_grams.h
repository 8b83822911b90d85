/* find_grams: finds the grams (up to 8 bytes of the pattern) in a block of text. Vectors test
 * whether the block may contain a gram; plain C then finds it.
 *
 * The vectors combine 8 bytes into four, low ^ high << GRAM_MIX_SHIFT, and compare these. The
 * combination needs no multiplication, and loses nothing for A, C, G and T, which differ in bits 1
 * and 2 of a byte. If the text is tested at every 8th position (stride 8), shuffles separate the
 * low and the high halves; with smaller strides, a second load reads the high halves.
 */
#ifndef TRAWL_CPU_FIND_GRAMS_H
#define TRAWL_CPU_FIND_GRAMS_H

#include <string.h>

#include "cpu/find.h"

/* Returns the bits of a block, as defined in find.h, for the grams that begin in the 64 bytes at
 * text - 8. */
static inline uint64_t block_grams(const uint8_t *text, const struct plan_grams *grams,
                                   uint32_t stride)
{
    uint64_t bits = 0;

    for (uint32_t at = 0; at < 64; at += stride) {
        uint64_t gram;

        memcpy(&gram, text + at - PLAN_GRAM_BYTES, sizeof gram);
        gram = (gram | grams->fold) & grams->keep;
        for (uint32_t o = 0; o < stride; o++)
            bits |= (uint64_t)(gram == grams->gram[o]) << (at + stride - 1 - o);
    }
    return bits;
}

typedef uint32_t gram_vector __attribute__((vector_size(GRAM_BYTES)));

/* GRAM_EVERY_SECOND returns every second word of two vectors: the even words if `from` is 0, the
 * odd ones if it is 1. gram_any returns true if any word is not 0. */
#if GRAM_BYTES == 32
#define GRAM_EVERY_SECOND(a, b, from) \
    ((gram_vector)_mm256_shuffle_ps((__m256)(a), (__m256)(b), (from) == 0 ? 0x88 : 0xdd))
#else
#define GRAM_EVERY_SECOND(a, b, from) \
    ((gram_vector){(a)[from], (a)[(from) + 2], (b)[from], (b)[(from) + 2]})
#endif

static inline bool gram_any(gram_vector a)
{
#if GRAM_BYTES == 32
    return _mm256_testz_si256((__m256i)a, (__m256i)a) == 0;
#else
    uint64_t words[2];

    memcpy(words, &a, sizeof words);
    return (words[0] | words[1]) != 0;
#endif
}

struct gram_vectors {
    gram_vector fold, keep;
    gram_vector mixed[PLAN_GRAM_STRIDE_MAX];
};

static inline struct gram_vectors gram_vectors_load(const struct plan_grams *grams)
{
    struct gram_vectors vectors;

    vectors.fold = (gram_vector){0} + (uint32_t)grams->fold;
    vectors.keep = (gram_vector){0} + (uint32_t)(grams->keep >> 32);
    for (uint32_t o = 0; o < PLAN_GRAM_STRIDE_MAX; o++) {
        uint64_t gram = grams->gram[o < grams->stride ? o : 0];

        vectors.mixed[o] =
            (gram_vector){0} + ((uint32_t)gram ^ (uint32_t)(gram >> 32) << GRAM_MIX_SHIFT);
    }
    return vectors;
}

static inline gram_vector gram_load(const uint8_t *text)
{
    gram_vector loaded;

    memcpy(&loaded, text, sizeof loaded);
    return loaded;
}

/* Sets the words of `any` where `mixed` equals one of the first `count` grams in combined form. */
static inline gram_vector gram_vectors_equal(gram_vector any, gram_vector mixed,
                                             const struct gram_vectors *vectors, uint32_t count)
{
    for (uint32_t o = 0; o < count; o++)
        any |= (gram_vector)(mixed == vectors->mixed[o]);
    return any;
}

static inline bool gram_vectors_any(const uint8_t *text, const struct gram_vectors *vectors,
                                    uint32_t stride)
{
    const uint8_t *from = text - PLAN_GRAM_BYTES;
    gram_vector any = {0};

    if (stride == 8) {
        for (uint32_t i = 0; i < 64; i += 2 * (uint32_t)sizeof any) {
            gram_vector a = gram_load(from + i) | vectors->fold;
            gram_vector b = gram_load(from + i + sizeof any) | vectors->fold;
            gram_vector mixed = GRAM_EVERY_SECOND(a, b, 0) ^
                                (GRAM_EVERY_SECOND(a, b, 1) & vectors->keep) << GRAM_MIX_SHIFT;

            any = gram_vectors_equal(any, mixed, vectors, 8);
        }
        return gram_any(any);
    }
    for (uint32_t i = 0; i < 64; i += (uint32_t)sizeof any)
        for (uint32_t u = 0; u < 4; u += stride) {
            gram_vector low = gram_load(from + i + u) | vectors->fold;
            gram_vector high = gram_load(from + i + u + 4) | vectors->fold;
            gram_vector mixed = low ^ (high & vectors->keep) << GRAM_MIX_SHIFT;

            any = gram_vectors_equal(any, mixed, vectors, stride);
        }
    return gram_any(any);
}

#endif
