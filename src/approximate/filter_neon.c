/* filter_neon: implements struct filter_ops with 16-byte vectors and look-ups on arm64. */
#define VECTOR_BYTES 16
#include "cpu/lookups.h"

#include "approximate/filter_impl.h"
#include "approximate/grams_impl.h"

const struct filter_ops approx_filter_neon = FILTER_OPS;
