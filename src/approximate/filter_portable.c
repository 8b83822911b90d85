/* filter_portable: with what compilers make of 16-byte vectors. The reference. */
#define VECTOR_BYTES 16

#include "approximate/filter_vector.h"

#include "approximate/filter_impl.h"

const struct filter_ops approx_filter_portable = FILTER_OPS("portable");
