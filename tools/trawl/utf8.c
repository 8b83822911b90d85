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

#define BLOCK_BEFORE 3u /* bytes that a block looks at before its own */

typedef uint8_t byte_vector __attribute__((vector_size(16)));

static byte_vector load_vector(const uint8_t *bytes)
{
    byte_vector loaded;

    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

/* Of 16 bytes that follow three others: is each what those before it ask for? */
static bool block_is_valid(const uint8_t *bytes)
{
    byte_vector x = load_vector(bytes), one = load_vector(bytes - 1);
    byte_vector two = load_vector(bytes - 2), three = load_vector(bytes - 3);
    byte_vector follows = (byte_vector)((x & 0xc0) == 0x80);
    byte_vector asked =
        (byte_vector)(one >= 0xc0) | (byte_vector)(two >= 0xe0) | (byte_vector)(three >= 0xf0);
    byte_vector bad = follows ^ asked;
    uint64_t words[2];

    bad |= (byte_vector)(x >= 0xc0) & ((byte_vector)(x < 0xc2) | (byte_vector)(x > 0xf4));
    /* Too long a form, a surrogate, beyond the last code point. */
    bad |= (byte_vector)(one == 0xe0) & (byte_vector)(x < 0xa0);
    bad |= (byte_vector)(one == 0xed) & (byte_vector)(x >= 0xa0);
    bad |= (byte_vector)(one == 0xf0) & (byte_vector)(x < 0x90);
    bad |= (byte_vector)(one == 0xf4) & (byte_vector)(x >= 0x90);
    memcpy(words, &bad, sizeof words);
    return (words[0] | words[1]) == 0;
}

/* A block at the bytes' begin or end, with zeros beside it. */
static bool padded_is_valid(const uint8_t *bytes, uint64_t bytes_count, uint64_t at)
{
    uint8_t padded[BLOCK_BEFORE + sizeof(byte_vector)] = {0};
    size_t before = at < BLOCK_BEFORE ? (size_t)at : BLOCK_BEFORE;
    size_t count =
        bytes_count - at < sizeof(byte_vector) ? (size_t)(bytes_count - at) : sizeof(byte_vector);

    memcpy(padded + BLOCK_BEFORE - before, bytes + at - before, before + count);
    return block_is_valid(padded + BLOCK_BEFORE);
}

bool utf8_is_valid(const uint8_t *bytes, uint64_t bytes_count)
{
    for (uint64_t at = 0; at < bytes_count; at += sizeof(byte_vector)) {
        bool whole = at >= BLOCK_BEFORE && bytes_count - at >= sizeof(byte_vector);

        if (whole ? !block_is_valid(bytes + at) : !padded_is_valid(bytes, bytes_count, at))
            return false;
    }
    /* The last character is whole, or zeros behind it were wrong, if there were any. */
    for (uint64_t back = 1; back <= BLOCK_BEFORE && back <= bytes_count; back++)
        if (bytes[bytes_count - back] >= (back == 1 ? 0xc0 : back == 2 ? 0xe0 : 0xf0))
            return false;
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
