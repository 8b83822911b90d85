/* filter_avx2: implements struct filter_ops with 32-byte vectors. */
#define VECTOR_BYTES 32
#include "cpu/lookups.h"

#include "approximate/filter_impl.h"
#include "approximate/grams_impl.h"

const struct filter_ops approx_filter_avx2 = FILTER_OPS;
