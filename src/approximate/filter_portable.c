/* filter_portable: the filter by 16-byte vectors, which the compiler translates for any machine.
 * The reference for the other variants. */
#define VECTOR_BYTES 16

#include "approximate/filter_vector.h"

#include "approximate/filter_impl.h"

const struct filter_ops approx_filter_portable = FILTER_OPS("portable");
