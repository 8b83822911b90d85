/* grams_avx2: compiles grams_impl.h with AVX2. */
#include "approximate/grams_impl.h"

const struct grams_ops approx_grams_avx2 = {"avx2", grams_scan};
