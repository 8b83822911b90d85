/* blocks: finds the blocks of a bzip2 stream in its compressed bytes. A block may begin at any bit,
 * with a mark of 48 bits. */
#include "text/blocks.h"

#include "base/status.h"

#define BEGIN_MARK UINT64_C(0x314159265359)
#define END_MARK UINT64_C(0x177245385090)
#define MARK_BITS 48u

static uint64_t word_at(const uint8_t *bytes)
{
    uint64_t word = 0;

    for (unsigned i = 0; i < 8; i++)
        word = word << 8 | bytes[i];
    return word;
}

/* Returns the bits [bit, bit + count) as a number; count ≤ 56. */
static uint64_t bits_at(const uint8_t *bytes, uint64_t bit, unsigned count)
{
    return word_at(bytes + bit / 8) << (bit % 8) >> (64 - count);
}

enum blocks_mark blocks_mark_at(const uint8_t *bytes, uint64_t bit, uint32_t *checksum)
{
    uint64_t mark = bits_at(bytes, bit, MARK_BITS);

    *checksum = (uint32_t)bits_at(bytes, bit + MARK_BITS, 32);
    return mark == BEGIN_MARK ? BLOCKS_BEGIN : mark == END_MARK ? BLOCKS_END : BLOCKS_NO_MARK;
}

bool blocks_find(const uint8_t *bytes, uint64_t bytes_count, uint64_t from, uint64_t *at,
                 enum blocks_mark *mark)
{
    /* If a mark begins at bit i of bytes[k], then bytes[k + 2] is one of two values. shifts[v] has
     * bit i set if v is one of the two. */
    uint8_t shifts[256] = {0};
    uint32_t checksum;

    for (unsigned i = 0; i < 8; i++) {
        shifts[BEGIN_MARK >> (24 + i) & 0xff] |= (uint8_t)(1u << i);
        shifts[END_MARK >> (24 + i) & 0xff] |= (uint8_t)(1u << i);
    }
    for (uint64_t i = from / 8; i + BLOCKS_END_BITS / 8 <= bytes_count; i++)
        for (unsigned left = shifts[bytes[i + 2]]; left != 0; left &= left - 1) {
            *at = 8 * i + (unsigned)__builtin_ctz(left);
            *mark = blocks_mark_at(bytes, *at, &checksum);
            if (*at >= from && *mark != BLOCKS_NO_MARK)
                return true;
        }
    return false;
}

static uint32_t rotated(uint32_t sum, uint32_t count)
{
    count %= 32;
    return count == 0 ? sum : sum << count | sum >> (32 - count);
}

uint32_t blocks_add(uint32_t sum, const struct blocks *blocks)
{
    return rotated(sum, blocks->count) ^ blocks->sum;
}

bool blocks_measure(const uint8_t *bytes, uint64_t bytes_count, uint64_t begin, uint64_t min_end,
                    struct blocks *blocks)
{
    enum blocks_mark mark = BLOCKS_BEGIN;
    uint64_t at = begin;
    uint32_t checksum;

    *blocks = (struct blocks){0, 0, 0};
    do {
        (void)blocks_mark_at(bytes, at, &checksum);
        blocks->sum = rotated(blocks->sum, 1) ^ checksum;
        blocks->count++;
        if (!blocks_find(bytes, bytes_count, at + BLOCKS_END_BITS, &at, &mark))
            return false;
    } while (mark == BLOCKS_BEGIN && at < min_end);
    blocks->bits = at - begin;
    return true;
}

static void put_bits(uint8_t *bytes, uint64_t bit, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++, bit++) {
        uint8_t one = (uint8_t)(0x80 >> bit % 8);

        bytes[bit / 8] &= (uint8_t)~one;
        if ((value >> (count - 1 - i) & 1) != 0)
            bytes[bit / 8] |= one;
    }
}

uint64_t blocks_make_stream(uint8_t *bytes, uint64_t begin, const struct blocks *blocks)
{
    const uint8_t *from = bytes + begin / 8;

    for (uint64_t i = 0; i < (blocks->bits + 7) / 8; i++)
        bytes[i] = (uint8_t)((unsigned)from[i] << begin % 8 | from[i + 1] >> (8 - begin % 8));
    put_bits(bytes, blocks->bits, END_MARK, MARK_BITS);
    put_bits(bytes, blocks->bits + MARK_BITS, blocks->sum, 32);
    return (blocks->bits + BLOCKS_END_BITS + 7) / 8;
}
