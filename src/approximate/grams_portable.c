/* grams_portable: see grams_impl.h. */
#include "approximate/grams_impl.h"

const struct grams_ops approx_grams_portable = {"portable", grams_scan};
