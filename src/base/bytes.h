/* bytes: counting and finding byte values. */
#ifndef TRAWL_BASE_BYTES_H
#define TRAWL_BASE_BYTES_H

#include <stdint.h>

/* How many of the bytes equal `value`. */
uint64_t bytes_count_value(const uint8_t *bytes, uint64_t count, uint8_t value);

/* The first byte that equals either value, `count` if there is none. */
uint64_t bytes_find_either(const uint8_t *bytes, uint64_t count, uint8_t value, uint8_t other);

#endif
