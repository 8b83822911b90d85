/* find_avx512: finds candidates with the AVX-512 of Skylake. Grams use 32-byte vectors: comparisons
 * of 64-byte vectors write to mask registers, which only one port of the processor can do, and that
 * costs more than the wider vectors save. */
#define VARIANT avx512
#include "cpu/find_avx512_impl.h"

#define GRAM_BYTES 32

#include "cpu/find_impl.h"

const struct find_ops find_avx512 = FIND_OPS(NULL);
