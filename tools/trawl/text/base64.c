/* base64: encodes bytes as ASCII, and decodes them (RFC 4648, section 4). */
#include "trawl/text/base64.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(char *digits, const uint8_t *bytes, size_t bytes_count)
{
    for (size_t at = 0; at < bytes_count; at += 3, digits += 4) {
        size_t left = bytes_count - at;
        uint32_t three = (uint32_t)bytes[at] << 16 | (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
                         (left > 2 ? bytes[at + 2] : 0u);

        digits[0] = alphabet[three >> 18];
        digits[1] = alphabet[three >> 12 & 63];
        digits[2] = left > 1 ? alphabet[three >> 6 & 63] : '=';
        digits[3] = left > 2 ? alphabet[three & 63] : '=';
    }
}

bool base64_decode(char *bytes, size_t *bytes_count, const char *digits, size_t digit_count)
{
    uint32_t bits = 0;

    *bytes_count = 0;
    if (digit_count % 4 != 0)
        return false;
    for (int i = 0; i < 2 && digit_count > 0 && digits[digit_count - 1] == '='; i++)
        digit_count--;
    for (size_t i = 0; i < digit_count; i++) {
        const char *digit = memchr(alphabet, digits[i], sizeof alphabet - 1);

        if (digit == NULL)
            return false;
        bits = bits << 6 | (uint32_t)(digit - alphabet);
        if (i % 4 != 0)
            bytes[(*bytes_count)++] = (char)(bits >> (6 - 2 * (i % 4)));
    }
    return true;
}
