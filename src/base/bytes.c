/* bytes: counts and finds byte values, 16 bytes at a time or more, with the compiler's vector
 * types. */
#include "base/bytes.h"

#include <stdio.h>

#include "base/processor.h"

#define VECTOR_BYTES 16u
#define COUNT_VALUE bytes_count_portable
#include "base/bytes_impl.h"

typedef uint8_t byte_vector __attribute__((vector_size(16)));

uint64_t bytes_count_value(const uint8_t *bytes, uint64_t count, uint8_t value, bool *has_null)
{
#if defined(__x86_64__) && !defined(TRAWL_ONLY_PORTABLE)
    if (processor_level() >= PROCESSOR_AVX2)
        return bytes_count_avx2(bytes, count, value, has_null);
#endif
    return bytes_count_portable(bytes, count, value, has_null);
}

/* Returns the index of the first byte 0xff in a vector of bytes 0x00 and 0xff; 16 if there is
 * none. */
static uint64_t first_set(byte_vector equal)
{
    uint64_t halves[2];

    memcpy(halves, &equal, sizeof halves);
    if (halves[0] != 0)
        return (uint64_t)__builtin_ctzll(halves[0]) / 8;
    return halves[1] != 0 ? 8 + (uint64_t)__builtin_ctzll(halves[1]) / 8 : sizeof equal;
}

uint64_t bytes_find_either(const uint8_t *bytes, uint64_t count, uint8_t value, uint8_t other)
{
    byte_vector first, second, text;
    uint64_t i = 0;

    if (value == other) {
        const uint8_t *found = count == 0 ? NULL : memchr(bytes, value, (size_t)count);

        return found == NULL ? count : (uint64_t)(found - bytes);
    }
    memset(&first, value, sizeof first);
    memset(&second, other, sizeof second);
    for (; i + sizeof text <= count; i += sizeof text) {
        uint64_t found;

        memcpy(&text, bytes + i, sizeof text);
        found = first_set((byte_vector)((text == first) | (text == second)));
        if (found < sizeof text)
            return i + found;
    }
    for (; i < count; i++)
        if (bytes[i] == value || bytes[i] == other)
            return i;
    return count;
}

uint64_t bytes_show(const uint8_t *bytes, uint64_t count, char *to, uint64_t room)
{
    uint64_t used = 0;

    for (uint64_t i = 0; i < count && used + 1 < room; i++) {
        const bool is_plain = bytes[i] >= ' ' && bytes[i] != '"' && bytes[i] != 0x7f;

        if (used + sizeof "\\xHH" > room && (bytes[i] & 0xc0) != 0x80)
            break; /* but not within a character */
        used += (uint64_t)snprintf(to + used, room - used, is_plain ? "%c" : "\\x%02x", bytes[i]);
    }
    to[used] = '\0';
    return used;
}

bool bytes_are_ascii(const uint8_t *bytes, uint64_t count)
{
    uint64_t at = 0, word;

    for (; count - at >= sizeof word; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        if ((word & UINT64_C(0x8080808080808080)) != 0)
            return false;
    }
    while (at < count && bytes[at] < 0x80)
        at++;
    return at == count;
}
