/* utf8: UTF-8 as Unicode defines it, whatever the locale. */
#include "trawl/utf8.h"

#include <string.h>

size_t utf8_character(const uint8_t *bytes, uint64_t bytes_count, uint32_t *code_point)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t point = bytes[0];
    size_t length = point < 0x80 ? 1 : point < 0xc2 ? 0 : point < 0xe0 ? 2 : point < 0xf0 ? 3 : 4;

    if (length == 0 || point > 0xf4 || length > bytes_count)
        return 0;
    if (length > 1)
        point &= 0x7fu >> length;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (bytes[i] & 0x3fu);
    }
    if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        return 0;
    *code_point = point;
    return length;
}

bool utf8_is_valid(const uint8_t *bytes, uint64_t bytes_count)
{
    uint64_t at = 0;
    uint32_t code_point;

    while (at < bytes_count) {
        uint64_t word;
        size_t length;

        if (bytes_count - at >= sizeof word) {
            memcpy(&word, bytes + at, sizeof word);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof word;
                continue;
            }
        }
        length = bytes[at] < 0x80 ? 1 : utf8_character(bytes + at, bytes_count - at, &code_point);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

uint64_t utf8_skip(const uint8_t *bytes, uint64_t bytes_count, uint64_t count)
{
    uint64_t at = 0;
    uint32_t code_point;

    for (; count > 0 && at < bytes_count; count--) {
        size_t length = utf8_character(bytes + at, bytes_count - at, &code_point);

        at += length > 0 ? length : 1;
    }
    return at;
}
