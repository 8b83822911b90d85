/* base64: encodes bytes as ASCII, for JSON, and decodes them (RFC 4648, section 4). */
#ifndef TRAWL_BASE64_H
#define TRAWL_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of digits for bytes_count bytes, including padding. */
#define BASE64_DIGITS(bytes_count) (((bytes_count) + 2) / 3 * 4)

/* Writes BASE64_DIGITS(bytes_count) digits, and no NUL. */
void base64_encode(char *digits, const uint8_t *bytes, size_t bytes_count);
/* Writes at most 3 bytes for 4 digits; `bytes` may be equal to `digits`. False: invalid base64. */
bool base64_decode(char *bytes, size_t *bytes_count, const char *digits, size_t digit_count);

#endif
