/* bytes_avx2: counts byte values with AVX2. */
#define VECTOR_BYTES 32u
#define COUNT_VALUE bytes_count_avx2
#include "base/bytes_impl.h"
