/* grams_avx2: see grams_impl.h. */
#include "approximate/grams_impl.h"

const struct grams_ops approx_grams_avx2 = {"avx2", grams_scan};
