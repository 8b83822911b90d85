/* checked: 64-bit arithmetic that detects overflow; minima and maxima. */
#ifndef TRAWL_BASE_CHECKED_H
#define TRAWL_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool checked_add(uint64_t a, uint64_t b, uint64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool checked_multiply(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline uint64_t saturating_add(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return checked_add(a, b, &sum) ? sum : UINT64_MAX;
}

static inline uint64_t saturating_multiply(uint64_t a, uint64_t b)
{
    uint64_t product;

    return checked_multiply(a, b, &product) ? product : UINT64_MAX;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* fmin and fmax would need libm, which the library does not link. */
static inline double min_double(double a, double b)
{
    return a < b ? a : b;
}

static inline double max_double(double a, double b)
{
    return a > b ? a : b;
}

static inline uint32_t log2_ceiling(uint64_t value)
{
    return value <= 1 ? 0 : 64u - (uint32_t)__builtin_clzll(value - 1);
}

#endif
