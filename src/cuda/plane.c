/* plane: which bit of each byte makes the plane of kernels/plane.h, and what the kernel searches in
 * it.
 */
#include "cuda/plane.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

#define BYTE_BITS 8u
#define EACH_BYTE 0x0101010101010101ull
#define FOLD_BIT 5u     /* in which the two cases of a letter differ */
#define PATTERN_MIN 8u  /* a probe has 8 bits at least */
#define TRUSTED_MIN 32u /* the sweep trusts candidates in the same 32 bytes */
#define PERIOD_MAX 32u  /* half a probe */

/* Arrays as long as the pattern. */
struct scratch {
    uint32_t *overlap; /* of the plane */
    uint8_t *bits;
};

/* Main and Lorentz 1984; the "Z algorithm" of Gusfield, "Algorithms on Strings, Trees, and
 * Sequences", 1997, section 1.4. */
void cuda_overlap(const uint8_t *bytes, uint32_t count, uint32_t *overlap, uint32_t overlap_count)
{
    uint32_t left = 0, right = 0;

    overlap[0] = count;
    for (uint32_t d = 1; d < overlap_count; d++) {
        uint32_t common = 0;

        if (d < right)
            common = (uint32_t)min_u64(overlap[d - left], right - d);
        while (d + common < count && bytes[common] == bytes[d + common])
            common++;
        overlap[d] = common;
        if (d + common > right) {
            left = d;
            right = d + common;
        }
    }
}

uint64_t cuda_plane_words(uint64_t count)
{
    return count <= SCAN_PLANE_PATTERN_MAX ? count / 128 * 4 + 4 : 0;
}

/* The bits of a byte, those that differ most evenly among the pattern's bytes first. */
static void order_bits(const uint8_t *bytes, uint32_t count, uint32_t order[BYTE_BITS])
{
    uint32_t ones[BYTE_BITS] = {0};

    for (uint32_t i = 0; i < count; i += 8) {
        uint64_t eight = 0;

        memcpy(&eight, bytes + i, min_u64(count - i, sizeof eight));
        for (uint32_t bit = 0; bit < BYTE_BITS; bit++) /* the top byte of the product is the sum */
            ones[bit] += (uint32_t)((eight >> bit & EACH_BYTE) * EACH_BYTE >> 56);
    }
    for (uint32_t bit = 0; bit < BYTE_BITS; bit++) {
        uint32_t place = bit;

        if (ones[bit] > count - ones[bit])
            ones[bit] = count - ones[bit];
        for (; place > 0 && ones[order[place - 1]] < ones[bit]; place--)
            order[place] = order[place - 1];
        order[place] = bit;
    }
}

/* Take one bit's plane into account: the better one has periods that the pattern has not only from
 * a greater distance on. */
static void try_bit(const uint8_t *bytes, uint32_t count, const uint32_t *overlap,
                    const struct scratch *scratch, uint32_t bit, struct scan_plane *plane)
{
    uint32_t period = count, trusted = count;

    for (uint32_t i = 0; i < count; i++)
        scratch->bits[i] = bytes[i] >> bit & 1u;
    cuda_overlap(scratch->bits, count, scratch->overlap, count);
    for (uint32_t d = count; d-- > 1;) {
        if (scratch->overlap[d] + d < count)
            continue;
        period = d;
        if (overlap[d] + d < count)
            trusted = d;
    }
    if (trusted <= plane->trusted)
        return;
    plane->trusted = trusted;
    plane->bit = bit;
    plane->period = period <= count / 2 ? period : count;
}

/* The first probe of 64 bits without a period of 32 or less; where each has one, the plane has it
 * too, and its body is no longer than a probe. */
static uint32_t choose_probe(const uint8_t *bits, uint32_t count)
{
    uint64_t probe = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t d = 1;

        probe = probe >> 1 | (uint64_t)bits[i] << 63;
        while (i >= SCAN_PLANE_PROBE_MAX - 1 && d <= PERIOD_MAX && ((probe ^ probe >> d) << d) != 0)
            d++;
        if (d > PERIOD_MAX)
            return i - (SCAN_PLANE_PROBE_MAX - 1);
    }
    return 0;
}

/* The pattern's plane as words, and its probe. */
static void fill_plane(const uint8_t *bytes, uint32_t count, uint8_t *bits, uint32_t *words,
                       struct scan_plane *plane)
{
    uint32_t probe_bits;

    for (uint32_t i = 0; i < count; i++) {
        bits[i] = bytes[i] >> plane->bit & 1u;
        words[i / 32] |= (uint32_t)bits[i] << i % 32;
    }
    plane->body_bits = plane->period;
    probe_bits = (uint32_t)min_u64(max_u64(plane->body_bits, BYTE_BITS), SCAN_PLANE_PROBE_MAX);
    if (plane->body_bits > SCAN_PLANE_PROBE_MAX)
        plane->probe_at = choose_probe(bits, count);
    for (uint32_t i = 0; i < probe_bits; i++)
        plane->flip[i] = bits[plane->probe_at + i] != 0 ? 0 : ~0u;
    for (uint32_t i = 0; i < BYTE_BITS; i++)
        plane->flip_last[i] = plane->flip[probe_bits - BYTE_BITS + i];
    plane->probe_bits = probe_bits;
}

/* Has the pattern one letter for each value of the bit, and no more? */
static void fill_letters(const uint8_t *bytes, uint32_t count, struct scan_plane *plane)
{
    uint32_t letter[2] = {bytes[0], bytes[0]}, i = 0;

    while (i < count && (bytes[i] >> plane->bit & 1u) == (bytes[0] >> plane->bit & 1u))
        i++;
    if (i < count)
        letter[bytes[i] >> plane->bit & 1u] = bytes[i];
    for (i = 0; i < count && bytes[i] == letter[bytes[i] >> plane->bit & 1u];)
        i++;
    plane->has_letters = i == count;
    plane->letters = letter[0] * 0x01010101u;
    plane->letter_step = letter[1] - letter[0];
}

void cuda_plane_choose(const uint8_t *bytes, uint64_t pattern_bytes, bool fold,
                       const uint32_t *overlap, uint32_t *words, struct scan_plane *plane)
{
    uint32_t count = (uint32_t)pattern_bytes, order[BYTE_BITS];
    struct trawl_error ignored;
    struct scratch scratch;
    void *memory = NULL;

    if (pattern_bytes < PATTERN_MIN || pattern_bytes > SCAN_PLANE_PATTERN_MAX)
        return;
    if (memory_allocate(count, sizeof *scratch.overlap + 1, &memory, &ignored) != TRAWL_OK)
        return;
    scratch.overlap = (uint32_t *)memory;
    scratch.bits = (uint8_t *)(scratch.overlap + count);
    order_bits(bytes, count, order);
    for (uint32_t i = 0; i < BYTE_BITS && plane->trusted <= count / 2; i++)
        if (!fold || order[i] != FOLD_BIT)
            try_bit(bytes, count, overlap, &scratch, order[i], plane);
    if (plane->trusted >= TRUSTED_MIN || plane->trusted == count)
        fill_plane(bytes, count, scratch.bits, words, plane);
    if (!fold)
        fill_letters(bytes, count, plane);
    memory_release(memory, count, sizeof *scratch.overlap + 1);
}
