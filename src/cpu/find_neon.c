/* find_neon: computes bitmaps of candidates with 16-byte vectors on arm64. */
#define VECTOR_BYTES 16
#include "cpu/lookups.h"

#include "cpu/find.h"

#define VARIANT neon

#include "cpu/find_nibbles.h"

#define GRAM_BYTES 16
#include "cpu/find_impl.h"

const struct find_ops find_neon = FIND_OPS(NULL);
