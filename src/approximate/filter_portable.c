/* filter_portable: implements struct filter_ops with 16-byte vectors, which the compiler translates
 * for any machine. Used where no other variant can run. */
#define VECTOR_BYTES 16
#include "approximate/filter_impl.h"
#include "approximate/grams_impl.h"

const struct filter_ops approx_filter_portable = FILTER_OPS;
