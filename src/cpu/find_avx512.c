/* find_avx512: bitmaps of candidates by AVX-512 as of Skylake. Grams use 32-byte vectors: with
 * 64-byte vectors, comparisons write to mask registers, which only a single port can do, and this
 * costs more than the wider vectors save. */
#define VARIANT avx512
#include "cpu/find_avx512_impl.h"

#define HAS_GRAM_VECTORS
#include "cpu/find_vector32.h"

#include "cpu/find_impl.h"

const struct find_ops find_avx512 = FIND_OPS_COMMON(stem_keys_vectors);
