/* cuda_plane: chooses which bit of each byte makes up the bit plane of kernels/plane.h, and for
 * which bytes of the pattern the kernel searches there. The *probe* consists of the bits that the
 * kernel compares first. */
#include "cuda/cuda_plane.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

#define BYTE_BITS 8u
#define ALL_BITS 0xffu
#define EACH_BYTE 0x0101010101010101ull
#define PERIOD_MAX 32u /* avoid a probe with a period of up to this */
#define WORD_BYTES 8u  /* windows begin at multiples of this */
/* at most this many bytes of a window decide the order of the bits */
#define ORDER_BYTES_MAX 4096u
/* Multiplying eight bytes that are 0 or 1 by this number gathers them: byte i becomes bit i of the
 * product's top byte. */
#define GATHER_BITS 0x0102040810204080ull

uint64_t cuda_plane_words(uint64_t pattern_bytes)
{
    return min_u64(pattern_bytes, SCAN_PLANE_WINDOW_MAX) / 128 * 4 + 4;
}

/* Returns the smallest period of the bytes, of which only the bits in `mask` are compared; `count`
 * if it exceeds count / 2. Computes the longest border of each prefix (Knuth, Morris and Pratt
 * 1977) in `borders`, which has room for `count` numbers. */
static uint32_t min_period(const uint8_t *bytes, uint32_t count, uint32_t mask, uint32_t *borders)
{
    uint32_t border = 0, period;

    borders[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        while (border > 0 && ((bytes[i] ^ bytes[border]) & mask) != 0)
            border = borders[border - 1];
        border += ((bytes[i] ^ bytes[border]) & mask) == 0;
        borders[i] = border;
    }
    TRAWL_ASSERT(border < count);
    period = count - border;
    return period <= count / 2 ? period : count;
}

/* Chooses the window: the bytes of the pattern from which the plane is made, all of them unless
 * there are more than window_max. If the pattern begins periodically and a later byte breaks the
 * period, like the "c" in "abababac", the window includes that byte and so does not have the
 * period. Occurrences of the window are then at least about half a window apart (up to
 * WORD_BYTES - 1 less, because windows begin at multiples of WORD_BYTES). */
static void choose_window(const uint8_t *bytes, uint32_t count, uint32_t window_max,
                          uint32_t *borders, struct scan_plane *plane)
{
    uint32_t period, end = window_max;

    plane->window_bytes = (uint32_t)min_u64(count, window_max);
    if (count <= window_max)
        return;
    plane->has_rest = 1;
    period = min_period(bytes, window_max, ALL_BITS, borders);
    if (period == window_max)
        return;
    while (end < count && bytes[end] == bytes[end - period])
        end++;
    plane->has_rest = end < count;
    if (end == count) {
        plane->byte_run = count - period;
        return;
    }
    plane->window_at = (end + 1 - window_max + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
    plane->window_bytes = (uint32_t)min_u64(window_max, count - plane->window_at);
    TRAWL_ASSERT(plane->window_at <= end && end < plane->window_at + plane->window_bytes);
}

/* Sorts the bits of a byte by how evenly they split the pattern's bytes, the most even first. */
static void order_bits(const uint8_t *bytes, uint32_t count, uint32_t order[BYTE_BITS])
{
    uint32_t ones[BYTE_BITS] = {0};

    count = (uint32_t)min_u64(count, ORDER_BYTES_MAX);
    for (uint32_t i = 0; i < count; i += 8) {
        uint64_t eight = 0;

        memcpy(&eight, bytes + i, min_u64(count - i, sizeof eight));
        for (uint32_t bit = 0; bit < BYTE_BITS;
             bit++) /* the top byte of the product is the sum of the bytes */
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

/* Returns the offset of the probe: the first 64 bits without a period of 32 or less; 0 if there are
 * none. */
static uint32_t choose_probe(const uint8_t *bytes, uint32_t count, uint32_t bit)
{
    uint64_t probe = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t d = 1;

        probe = probe >> 1 | (uint64_t)(bytes[i] >> bit & 1u) << 63;
        while (i >= SCAN_PLANE_PROBE_MAX - 1 && d <= PERIOD_MAX && ((probe ^ probe >> d) << d) != 0)
            d++;
        if (d > PERIOD_MAX)
            return i - (SCAN_PLANE_PROBE_MAX - 1);
    }
    return 0;
}

/* Writes the plane: bit i of the words is bit `bit` of window[i]. The words have room for whole
 * groups of 8 bits. */
static void fill_words(const uint8_t *window, uint32_t count, uint32_t bit, uint32_t *words)
{
    for (uint32_t i = 0; i < count; i += 8) {
        uint64_t eight = 0;

        memcpy(&eight, window + i, min_u64(count - i, sizeof eight));
        eight = (eight >> bit & EACH_BYTE) * GATHER_BITS >> 56;
        words[i / 32] = (i % 32 == 0 ? 0 : words[i / 32]) | (uint32_t)eight << i % 32;
    }
}

/* Returns true if the first 64 bits may occur again at an offset of 1 to count / 2. If not, the
 * bits have no period of up to count / 2. Compares at every offset, a few at a time. */
static bool may_repeat(const uint32_t *words, uint32_t count)
{
    uint64_t first = words[0] | (uint64_t)words[1] << 32;

    TRAWL_ASSERT(count >= 2 * SCAN_PLANE_PROBE_MAX);
    for (uint32_t i = 0; i <= count / 2 / 32; i++) {
        uint64_t low = words[i] | (uint64_t)words[i + 1] << 32, high = words[i + 2];
        uint32_t equal = 0;

        for (uint32_t shift = i == 0; shift < 32; shift++)
            equal |= (low >> shift | high << 32 << (32 - shift)) == first;
        if (equal != 0)
            return true;
    }
    return false;
}

/* Chooses the probe, the bits of the plane that the kernel compares first. The caller has set the
 * plane's bit, its period, and the window. */
static void fill_probe(const uint8_t *window, struct scan_plane *plane)
{
    uint32_t bit = plane->bit;

    plane->probe_bits = (uint32_t)min_u64(max_u64(plane->period, BYTE_BITS), SCAN_PLANE_PROBE_MAX);
    if (plane->period > SCAN_PLANE_PROBE_MAX)
        plane->probe_at = choose_probe(window, plane->window_bytes, bit);
    TRAWL_ASSERT(plane->probe_at + plane->probe_bits <= plane->window_bytes);
    for (uint32_t i = 0; i < plane->probe_bits; i++)
        plane->flip[i] = (window[plane->probe_at + i] >> bit & 1u) != 0 ? 0 : ~0u;
    for (uint32_t i = 0; i < BYTE_BITS; i++)
        plane->flip_last[i] = plane->flip[plane->probe_bits - BYTE_BITS + i];
}

/* Chooses the bit whose plane has the longest period; of several, the one that splits the bytes
 * most evenly. Sets byte_period to the smallest period of the bytes, or to 0 if that exceeds half
 * the window. No plane's smallest period is longer than that of the bytes, whose periods are
 * periods of each bit, too. */
static void choose_bit(const uint8_t *window, uint32_t *borders, uint32_t *words,
                       struct scan_plane *plane)
{
    uint32_t count = plane->window_bytes, order[BYTE_BITS], max = count;

    order_bits(window, count, order);
    for (uint32_t i = 0; i < BYTE_BITS && plane->period < max; i++) {
        uint32_t period = count;

        fill_words(window, count, order[i], words);
        if (count < 2 * SCAN_PLANE_PROBE_MAX || may_repeat(words, count))
            period = min_period(window, count, 1u << order[i], borders);
        if (i == 0 && period < count)
            max = min_period(window, count, ALL_BITS, borders);
        if (period <= plane->period)
            continue;
        plane->period = period;
        plane->bit = order[i];
    }
    plane->byte_period = max == count ? 0 : max;
    TRAWL_ASSERT(plane->period > 0 && plane->bit < BYTE_BITS);
}

enum trawl_status cuda_plane_choose(const uint8_t *bytes, uint32_t pattern_bytes,
                                    uint32_t window_max, uint32_t *words, struct scan_plane *plane,
                                    struct trawl_error *error)
{
    const uint8_t *window;
    uint32_t *borders;
    void *memory;

    TRAWL_ASSERT(pattern_bytes > BYTE_BITS && window_max <= SCAN_PLANE_WINDOW_MAX);
    TRAWL_TRY(memory_allocate(window_max, sizeof *borders, &memory, error));
    borders = (uint32_t *)memory;
    choose_window(bytes, pattern_bytes, window_max, borders, plane);
    window = bytes + plane->window_at;
    choose_bit(window, borders, words, plane);
    if (plane->byte_period > 0 && plane->byte_run == 0)
        plane->byte_run = plane->window_bytes - plane->byte_period;
    fill_words(window, plane->window_bytes, plane->bit, words);
    fill_probe(window, plane);
    memory_release(memory, window_max, sizeof *borders);
    return TRAWL_OK;
}
