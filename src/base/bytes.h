/* bytes: counting a byte value. */
#ifndef TRAWL_BASE_BYTES_H
#define TRAWL_BASE_BYTES_H

#include <stdint.h>

/* How many of the bytes equal `value`. */
uint64_t bytes_count_value(const uint8_t *bytes, uint64_t count, uint8_t value);

#endif
