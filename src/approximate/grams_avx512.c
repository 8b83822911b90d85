/* grams_avx512: compiles grams_impl.h with AVX-512. */
#include "approximate/grams_impl.h"

const struct grams_ops approx_grams_avx512 = {"avx512", grams_scan};
