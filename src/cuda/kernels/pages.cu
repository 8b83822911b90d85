/* pages: builds the filter of a loaded text (plan/pages.h), asks it, and copies what it has left,
 * so that one launch searches that.
 *
 * Method     pages_map: a block sets the bits of a page's grams in a bitmap in shared memory.
 *            pages_turn: a warp turns 256 bits of 32 bitmaps into a word of each of 256 rows; a
 *            block has 8 words of each, so that sectors are read and written whole.
 *            pages_ask: a lane ands a word of the rows of a pattern; the warps of a block share the
 *            patterns, for the same 32 words. pages_gather: a block copies a piece, and
 *            puts a separator after the last piece of a range: bytes that no string has, so that
 *            none is found across it.
 * Grid       pages_map: a block for each page. pages_turn: a block for each 8 words of a bitmap and
 *            256 pages. pages_ask: a block for each 32 words. pages_gather: a block for each piece.
 * Shared     static: pages_map 8 KiB, pages_turn 9 KiB, pages_ask 1 KiB.
 * Traffic    building: reads the text, writes and reads an eighth of it (in L2), and writes that
 *            again. Gathering: reads and writes each byte once.
 * Bound      building by hashing; asking by latency.
 * Progress   no block waits for another.
 * Source     B. Goodwin et al., "BitFunnel: Revisiting Signatures for Search", 2017.
 * Slower     lists of rows in the host's memory, 1.1 ms to ask 128 blocks: they read the same
 * lines. A launch for each range that is left, 14 us. A list of tiles in the kernels that search:
 * each of them would need it, and wait for it between two tiles.
 */
#include "pages.h"
#include "tile.h"

#define PAGES_LOADS 4u /* loads that a thread has in flight */

/* As tile_fold, of four bytes. */
SIMT_FUNCTION uint32_t pages_fold(uint32_t word)
{
    uint32_t low = word & 0x7f7f7f7fu;
    uint32_t upper = (low + 0x3f3f3f3fu) & ~(low + 0x25252525u) & ~word & 0x80808080u;

    return word | upper >> 2;
}

/* Sets the bit of the gram at x. */
SIMT_FUNCTION void pages_add_one(const struct pages_build_arguments *a, uint64_t x, uint32_t *map)
{
    uint32_t bytes[PLAN_PAGE_GRAM], row;

    SIMT_UNROLL
    for (uint32_t i = 0; i < PLAN_PAGE_GRAM; i++)
        bytes[i] = pages_fold(simt_load_u8(a->text + x + i));
    row = plan_page_row_upper(bytes[0] | bytes[1] << 8, bytes[2] | bytes[3] << 8, bytes[4]) >> 16;
    (void)simt_atomic_or_u32(map + row / 32u, 1u << row % 32u);
}

/* Sets the bits of the grams that begin in the 16 bytes at `at`. */
SIMT_FUNCTION void pages_add(const struct pages_build_arguments *a, uint64_t at, uint32_t *map)
{
    const uint32_t *text = (const uint32_t *)(const void *)(a->text + at);
    const struct simt_u32x4 loaded = simt_load_u32x4(text);
    uint32_t words[6] = {0}, from[20]; /* from: four bytes from each on */

    SIMT_UNROLL
    for (uint32_t k = 0; k < 5u; k++)
        words[k] = pages_fold(k < 4u ? loaded.w[k] : simt_load_u32(text + 4));
    SIMT_UNROLL
    for (uint32_t k = 0; k < 20u; k++)
        from[k] = simt_funnel(words[k / 4u], words[k / 4u + 1u], 8u * (k % 4u));
    SIMT_UNROLL
    for (uint32_t k = 0; k < 16u; k += 4u) {
        uint32_t rows[4], bits[4];

        SIMT_UNROLL
        for (uint32_t j = 0; j < 4u; j++) {
            rows[j] = plan_page_row_upper(from[k + j], from[k + j + 2u], from[k + j + 4u] & 0xffu);
            rows[j] >>= 16;
            bits[j] = 1u << rows[j] % 32u;
            bits[j] &= ~map[rows[j] / 32u];
        }
        SIMT_UNROLL
        for (uint32_t j = 0; j < 4u; j++)
            if (bits[j] != 0)
                (void)simt_atomic_or_u32(map + rows[j] / 32u, bits[j]);
    }
}

SIMT_KERNEL(pages_map, pages_build_arguments, PAGES_MAP_THREADS, 4)
{
    SIMT_SHARED(uint32_t, pages_bits, PAGES_MAP_WORDS);
    const uint64_t page = args.from + simt_block() * args.page_bytes;
    const uint64_t left = args.text_end - page, max = args.page_bytes + PLAN_PAGE_COVER - 1u;
    const uint64_t bytes = left < max ? left : max;
    const uint64_t grams = bytes < PLAN_PAGE_GRAM ? 0 : bytes - PLAN_PAGE_GRAM + 1u;

    for (uint32_t i = simt_thread(); i < PAGES_MAP_WORDS; i += simt_threads())
        pages_bits[i] = 0;
    simt_barrier();
    for (uint64_t at = (page & ~15ull) + 16u * simt_thread(); SIMT_BOUND(at < page + grams);
         at += 16u * simt_threads()) {
        if (at >= page && at + 16u <= page + grams) {
            pages_add(&args, at, pages_bits);
            continue;
        }
        SIMT_ROLLED
        for (uint32_t i = 0; i < 16u; i++)
            if (at + i >= page && SIMT_BOUND(at + i < page + grams))
                pages_add_one(&args, at + i, pages_bits);
    }
    simt_barrier();
    for (uint32_t i = simt_thread(); i < PAGES_MAP_WORDS; i += simt_threads())
        simt_store_u32(args.maps + (uint64_t)simt_block() * PAGES_MAP_WORDS + i, pages_bits[i]);
}

SIMT_KERNEL(pages_turn, pages_build_arguments, PAGES_THREADS, 4)
{
    SIMT_SHARED(uint32_t, pages_turned, PAGES_THREADS * (PAGES_TURN_WORDS + 1u));
    const uint32_t groups = PAGES_MAP_WORDS / PAGES_TURN_WORDS;
    const uint64_t column = simt_block() % groups * PAGES_TURN_WORDS;
    const uint64_t first = simt_block() / groups * PAGES_TURN_WORDS;
    const uint64_t page = (first + simt_warp()) * 32u + simt_lane();
    struct simt_u32x4 loaded[2] = {{{0, 0, 0, 0}}, {{0, 0, 0, 0}}};

    if (SIMT_BOUND(page < args.count)) {
        loaded[0] = simt_load_u32x4(args.maps + page * PAGES_MAP_WORDS + column);
        loaded[1] = simt_load_u32x4(args.maps + page * PAGES_MAP_WORDS + column + 4u);
    }
    SIMT_UNROLL
    for (uint32_t c = 0; c < PAGES_TURN_WORDS; c++) {
        uint32_t bits = loaded[c / 4u].w[c % 4u], mask = 0xffffu;

        SIMT_UNROLL
        for (uint32_t j = 16; j > 0; j /= 2u, mask ^= mask << j) { /* Hacker's Delight, 7-3 */
            uint32_t other = simt_shuffle_u32(bits, simt_lane() ^ j);

            bits = (simt_lane() & j) == 0 ? (bits & mask) | (other & mask) << j
                                          : (bits & ~mask) | (other >> j & mask);
        }
        pages_turned[(c * 32u + simt_lane()) * (PAGES_TURN_WORDS + 1u) + simt_warp()] = bits;
    }
    simt_barrier();
    for (uint32_t i = simt_thread(); i < PAGES_THREADS * PAGES_TURN_WORDS; i += simt_threads()) {
        const uint32_t row = i / PAGES_TURN_WORDS, word = i % PAGES_TURN_WORDS;

        if (SIMT_BOUND(first + word < args.words))
            simt_store_u32(args.rows + (column * 32u + row) * args.row_words + args.first_word +
                               first + word,
                           pages_turned[row * (PAGES_TURN_WORDS + 1u) + word]);
    }
}

SIMT_KERNEL(pages_ask, pages_ask_arguments, PAGES_THREADS, 1)
{
    SIMT_SHARED(uint32_t, pages_any, PAGES_THREADS);
    const uint32_t warps = simt_threads() / SIMT_WARP_THREADS;
    const uint64_t word = (uint64_t)simt_block() * SIMT_WARP_THREADS + simt_lane();
    uint32_t any = 0;

    for (uint32_t p = simt_warp(); p < args.pattern_count; p += warps) {
        const uint32_t *list = args.lists + (uint64_t)p * PAGES_LIST_WORDS;
        uint32_t count = simt_load_u32(list + PAGES_LIST_WORDS - 1u), all = UINT32_MAX;

        for (uint32_t r = 0; r < count && simt_ballot(all != 0) != 0; r += PAGES_LOADS) {
            SIMT_UNROLL
            for (uint32_t k = 0; k < PAGES_LOADS; k++) {
                uint32_t row = simt_load_u32(list + (r + k < count ? r + k : r));

                all &= SIMT_BOUND(word < args.words)
                           ? simt_load_u32(args.rows + row * args.row_words + word)
                           : 0;
            }
        }
        any |= all;
    }
    pages_any[simt_thread()] = any;
    simt_barrier();
    if (simt_warp() != 0)
        return;
    for (uint32_t i = 1; i < warps; i++)
        any |= pages_any[i * SIMT_WARP_THREADS + simt_lane()];
    if (SIMT_BOUND(word < args.words))
        simt_store_u32(args.kept + word, any);
    simt_fence_host(); /* the host sees the words before it sees that they are there */
    simt_warp_sync();
    if (simt_lane() == 0)
        simt_store_u64(args.done + simt_block(), args.launch);
}

SIMT_KERNEL(pages_gather, pages_gather_arguments, PAGES_THREADS, 1)
{
    const struct pages_piece *piece = args.pieces + simt_block();
    const uint64_t from = simt_load_relaxed_u64(&piece->from);
    const uint64_t to = simt_load_relaxed_u64(&piece->to);
    const uint64_t words = simt_load_relaxed_u64(&piece->words);
    const uint32_t step = simt_threads() * 4u;
    const uint32_t *text = (const uint32_t *)(const void *)(args.text + from);
    uint32_t *copy = (uint32_t *)(void *)(args.copy + to);
    struct simt_u32x4 separator = {
        {args.separator, args.separator, args.separator, args.separator}};

    for (uint64_t at = simt_thread() * 4u; SIMT_BOUND(at < words); at += PAGES_LOADS * step) {
        struct simt_u32x4 loaded[PAGES_LOADS];

        SIMT_UNROLL
        for (uint32_t k = 0; k < PAGES_LOADS; k++)
            if (SIMT_BOUND(at + k * step < words))
                loaded[k] = simt_load_u32x4(text + at + k * step);
        SIMT_UNROLL
        for (uint32_t k = 0; k < PAGES_LOADS; k++)
            if (SIMT_BOUND(at + k * step < words))
                simt_store_u32x4(copy + at + k * step, loaded[k]);
    }
    if (simt_thread() == 0 && simt_load_relaxed_u64(&piece->ends) != 0)
        simt_store_u32x4(copy + words, separator);
}
