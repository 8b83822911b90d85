/* utf8: UTF-8 as Unicode defines it, in any locale. */
#ifndef TRAWL_UTF8_H
#define TRAWL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_BYTES_MAX 4u

/* Returns the length of the character at bytes[0], 1 to 4; 0: invalid, or truncated. */
size_t utf8_character(const uint8_t *bytes, uint64_t bytes_count, uint32_t *code_point);

/* Writes the character, 1 to 4 bytes, and returns the number of bytes. */
size_t utf8_write(uint32_t code_point, uint8_t *bytes);

bool utf8_is_valid(const uint8_t *bytes, uint64_t bytes_count);

/* Returns the length of the last character at the end of the bytes, which may be truncated. 0: the
 * last byte is ASCII, or belongs to no character. */
uint64_t utf8_last(const uint8_t *bytes, uint64_t bytes_count);

#endif
