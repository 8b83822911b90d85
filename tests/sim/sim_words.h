/* sim_words: words of 1, 2, 4 or 8 bytes, and atomic operations on words. */
#ifndef TRAWL_TESTS_SIM_WORDS_H
#define TRAWL_TESTS_SIM_WORDS_H

#include "cuda/kernels/simt.h"

static inline uint64_t sim_word_get(const void *p, uint32_t bytes)
{
    if (bytes == 1)
        return *(const uint8_t *)p;
    if (bytes == 2)
        return *(const uint16_t *)p;
    return bytes == 4 ? *(const uint32_t *)p : *(const uint64_t *)p;
}

static inline void sim_word_put(void *p, uint32_t bytes, uint64_t value)
{
    if (bytes == 1)
        *(uint8_t *)p = (uint8_t)value;
    else if (bytes == 2)
        *(uint16_t *)p = (uint16_t)value;
    else if (bytes == 4)
        *(uint32_t *)p = (uint32_t)value;
    else
        *(uint64_t *)p = value;
}

/* Returns the word's new value after an atomic of this kind. */
static inline uint64_t sim_word_after(uint64_t old, uint64_t value, int kind)
{
    if (kind == SIM_ATOMIC_ADD || kind == SIM_ATOMIC_OR)
        return kind == SIM_ATOMIC_ADD ? old + value : old | value;
    if (kind == SIM_ATOMIC_EXCHANGE)
        return value;
    return (old > value) == (kind == SIM_ATOMIC_MAX) ? old : value; /* the kind is MAX or MIN */
}

#endif
