/* filter_avx512: implements struct filter_ops with 64-byte vectors, and bitwise operations on three
 * operands. */
#define VECTOR_BYTES 64
#include "cpu/lookups.h"

#define TERNARY(a, b, c, table) \
    ((vector)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), (table)))

#include "approximate/filter_impl.h"
#include "approximate/grams_impl.h"

const struct filter_ops approx_filter_avx512 = FILTER_OPS;
