/* filter_vector: types of vectors of VECTOR_BYTES bytes, which the including file defines. */
#ifndef TRAWL_APPROXIMATE_FILTER_VECTOR_H
#define TRAWL_APPROXIMATE_FILTER_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#define VECTOR_WORDS (VECTOR_BYTES / 8u)
#define BLOCK_VECTORS (64u / VECTOR_BYTES) /* number of vectors for the bytes of 64 offsets */
#define WINDOWS (2 * VECTOR_WORDS)

#define INLINE static inline __attribute__((always_inline))

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES)));
typedef uint8_t bytes_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef int8_t signed_vector __attribute__((vector_size(VECTOR_BYTES)));

#endif
