/* utf8: UTF-8 as Unicode defines it, in any locale. */
#include "trawl/text/utf8.h"

#include <string.h>

size_t utf8_character(const uint8_t *bytes, uint64_t bytes_count, uint32_t *code_point)
{
    static const uint32_t min[5] = {0, 0, 0x80, 0x800, 0x10000};
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
    if (point < min[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        return 0;
    *code_point = point;
    return length;
}

size_t utf8_write(uint32_t code_point, uint8_t *bytes)
{
    const size_t more = code_point < 0x80      ? 0
                        : code_point < 0x800   ? 1
                        : code_point < 0x10000 ? 2
                                               : 3;
    static const uint8_t marks[] = {0, 0xc0, 0xe0, 0xf0};

    bytes[0] = (uint8_t)(marks[more] | code_point >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        bytes[i] = (uint8_t)(0x80 | (code_point >> 6 * (more - i) & 0x3f));
    return more + 1;
}

#define BLOCK sizeof(byte_vector)
#define BLOCK_BEFORE 3u /* bytes before a block that the block's check reads */

typedef uint8_t byte_vector __attribute__((vector_size(16)));
typedef int8_t signed_vector __attribute__((vector_size(16)));

static byte_vector load_vector(const uint8_t *bytes)
{
    byte_vector loaded;

    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

static bool has_bit(byte_vector bytes, uint64_t bits)
{
    uint64_t words[2];

    memcpy(words, &bytes, sizeof words);
    return ((words[0] | words[1]) & bits) != 0;
}

/* Returns a mask of the bytes in x that may not follow the byte before them, assuming that no
 * character has more than two bytes. `one` has the byte before each byte of x. */
static byte_vector bad_pairs(byte_vector x, byte_vector one)
{
    byte_vector follows = (byte_vector)((signed_vector)x < -64);

    return (follows ^ (byte_vector)((one & 0xe0) == 0xc0)) | (byte_vector)((x & 0xfe) == 0xc0) |
           (byte_vector)((x & 0xe0) == 0xe0);
}

/* Returns true if two blocks, with at least three bytes before them, are valid, and no character of
 * more than two bytes begins in them or in the three bytes before. Most blocks of European text are
 * such, and this check costs a third of block_is_valid. */
static bool pairs_are_valid(const uint8_t *bytes)
{
    byte_vector x = load_vector(bytes), y = load_vector(bytes + BLOCK);
    byte_vector three = load_vector(bytes - 3);

    return !has_bit(x | y | three, UINT64_C(0x8080808080808080)) ||
           !has_bit(bad_pairs(x, load_vector(bytes - 1)) |
                        bad_pairs(y, load_vector(bytes + BLOCK - 1)) |
                        (byte_vector)((three & 0xe0) == 0xe0),
                    UINT64_MAX);
}

/* Returns true if each byte of a block, after at least three bytes, may follow the bytes before. */
static bool block_is_valid(const uint8_t *bytes)
{
    byte_vector x = load_vector(bytes), one = load_vector(bytes - 1);
    byte_vector two = load_vector(bytes - 2), three = load_vector(bytes - 3);
    byte_vector follows = (byte_vector)((x & 0xc0) == 0x80);
    byte_vector asked =
        (byte_vector)(one >= 0xc0) | (byte_vector)(two >= 0xe0) | (byte_vector)(three >= 0xf0);
    byte_vector bad = follows ^ asked;

    bad |= (byte_vector)(x >= 0xc0) & ((byte_vector)(x < 0xc2) | (byte_vector)(x > 0xf4));
    /* An overlong form, a surrogate, or a code point beyond the last. */
    bad |= (byte_vector)(one == 0xe0) & (byte_vector)(x < 0xa0);
    bad |= (byte_vector)(one == 0xed) & (byte_vector)(x >= 0xa0);
    bad |= (byte_vector)(one == 0xf0) & (byte_vector)(x < 0x90);
    bad |= (byte_vector)(one == 0xf4) & (byte_vector)(x >= 0x90);
    return !has_bit(bad, UINT64_MAX);
}

/* Returns true if two blocks, after at least three bytes, are valid. */
static bool blocks_are_valid(const uint8_t *bytes)
{
    return pairs_are_valid(bytes) || (block_is_valid(bytes) && block_is_valid(bytes + BLOCK));
}

/* Returns true if a text of any length is valid. Not inline: the array `padded` makes the compiler
 * add the stack protector's check.
 */
static __attribute__((noinline)) bool text_is_valid(const uint8_t *bytes, uint64_t bytes_count)
{
    uint8_t padded[BLOCK_BEFORE + 3 * BLOCK] = {0}; /* the first bytes, with zeros on either side */

    if (bytes_count >= BLOCK_BEFORE + 2 * BLOCK)
        memcpy(padded + BLOCK_BEFORE, bytes, 2 * BLOCK);
    else if (bytes_count > 0)
        memcpy(padded + BLOCK_BEFORE, bytes, (size_t)bytes_count);
    if (!blocks_are_valid(padded + BLOCK_BEFORE))
        return false;
    if (bytes_count < BLOCK_BEFORE + 2 * BLOCK)
        return bytes_count < 2 * BLOCK || block_is_valid(padded + BLOCK_BEFORE + 2 * BLOCK);
    for (uint64_t at = 2 * BLOCK; at + 2 * BLOCK < bytes_count; at += 2 * BLOCK)
        if (!blocks_are_valid(bytes + at))
            return false;
    if (!blocks_are_valid(bytes + bytes_count - 2 * BLOCK)) /* this may check some bytes again */
        return false;
    /* The last character must not be truncated. */
    return bytes[bytes_count - 1] < 0xc0 && bytes[bytes_count - 2] < 0xe0 &&
           bytes[bytes_count - 3] < 0xf0;
}

bool utf8_is_valid(const uint8_t *bytes, uint64_t bytes_count)
{
    uint8_t all = 0;

    if (bytes_count > 8) /* most matches are short, and in ASCII */
        return text_is_valid(bytes, bytes_count);
    for (uint64_t i = 0; i < bytes_count; i++)
        all |= bytes[i];
    return all < 0x80 || text_is_valid(bytes, bytes_count);
}

uint64_t utf8_last(const uint8_t *bytes, uint64_t bytes_count)
{
    for (uint64_t count = 1; count <= UTF8_BYTES_MAX && count <= bytes_count; count++) {
        uint8_t byte = bytes[bytes_count - count];

        if (byte >= 0xc0)
            return count;
        if (byte < 0x80)
            return 0;
    }
    return 0;
}
