/* grams_avx512: see grams_impl.h. */
#include "approximate/grams_impl.h"

const struct grams_ops approx_grams_avx512 = {"avx512", grams_scan};
