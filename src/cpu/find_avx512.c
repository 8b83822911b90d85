/* find_avx512: candidate bitmaps with AVX-512 as of Skylake. Grams with 32-byte vectors: comparing
 * into mask registers, which one port does, costs more than it saves. */
#define VARIANT avx512
#include "cpu/find_avx512_impl.h"

#define HAS_GRAM_VECTORS
#include "cpu/find_vector32.h"

#include "cpu/find_impl.h"

const struct find_ops find_avx512 = FIND_OPS;
