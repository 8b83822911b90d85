/* grams_portable: compiles grams_impl.h for any machine. */
#include "approximate/grams_impl.h"

const struct grams_ops approx_grams_portable = {"portable", grams_scan};
