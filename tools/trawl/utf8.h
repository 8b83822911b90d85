/* utf8: UTF-8 as Unicode defines it, whatever the locale: for JSON, previews and escapes. */
#ifndef TRAWL_UTF8_H
#define TRAWL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_BYTES_MAX 4u

/* How many bytes the character at bytes[0] has, 1 to 4; 0: it is not one, or it is cut off. */
size_t utf8_character(const uint8_t *bytes, uint64_t bytes_count, uint32_t *code_point);

bool utf8_is_valid(const uint8_t *bytes, uint64_t bytes_count);

/* Where the first `count` characters end; a byte that belongs to no character counts as one. */
uint64_t utf8_skip(const uint8_t *bytes, uint64_t bytes_count, uint64_t count);

/* How many bytes at the end are the last character, or the beginning of one that is cut off. 0: the
 * last byte is one of ASCII, or belongs to no character. */
uint64_t utf8_last(const uint8_t *bytes, uint64_t bytes_count);

#endif
