/* utf8: UTF-8 as Unicode defines it, whatever the locale: for JSON, previews and escapes. */
#ifndef TRAWL_UTF8_H
#define TRAWL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes the character at bytes[0] has, 1 to 4; 0: it is not one, or it is cut off. */
size_t utf8_character(const uint8_t *bytes, uint64_t bytes_count, uint32_t *code_point);

bool utf8_is_valid(const uint8_t *bytes, uint64_t bytes_count);

/* Where the first `count` characters end; a byte that belongs to no character counts as one. */
uint64_t utf8_skip(const uint8_t *bytes, uint64_t bytes_count, uint64_t count);

#endif
