/* bmh: Boyer-Moore-Horspool, a segment of the text per thread.
 *
 * Source     Y. Han, "Accelerate String Searching Algorithm with GPU Using CUDA", section III;
 *            the form with shared memory is the improvement that its conclusion names.
 * Mapping    blocks x threads segments of the same length (his choice: 256 x 16), each with its
 *            overlap of the pattern's length into the next. A thread goes over its segment from
 *            left to right and compares a window from right to left. bmh-shared: a block goes
 *            over its segments' text tile by tile; in a tile each thread has a share of its own.
 * Memory     bmh: text, pattern and the table of shifts, which the host makes, in global memory.
 *            bmh-shared: the tile in 32 KiB and the table in 1 KiB of shared memory; the pattern
 *            in global memory.
 * Mended     The table and the step as in src/gallery/bmh.c. His last segment has its own
 *            length and no overlap; here all are rounded up alike and the last is cut. What of a
 *            window lies beyond the tile (patterns of more than half a tile) is read from global
 *            memory.
 * Limits     1 to 1,024 threads.
 */
#include "gallery/kernels/compare.h"

#define BMH_SHIFTS 256u

/* Windows with begins in [x, end); the byte at a window's end says how far it moves. */
SIMT_FUNCTION void bmh_search(const struct gallery_arguments *a, const struct compare_bin *bin,
                              const uint32_t *shifts, uint64_t x, uint64_t end)
{
    uint32_t last = a->pattern_bytes - 1u;

    while (SIMT_BOUND(x < end)) {
        uint8_t byte;

        if (compare_backward(a, bin, COMPARE_GLOBAL, x)) {
            gallery_emit(a, x);
            x++;
            continue;
        }
        byte = compare_text(a, bin, x + last);
        x += shifts != 0 ? shifts[byte] : simt_load_u32(a->shifts + byte);
    }
}

SIMT_FUNCTION uint64_t bmh_lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

SIMT_KERNEL(gallery_bmh, gallery_arguments, 1024, 1)
{
    struct compare_bin bin = compare_bin_none();
    uint64_t thread = (uint64_t)simt_block() * simt_threads() + simt_thread();
    uint64_t x = args.begin + thread * args.segment;

    bmh_search(&args, &bin, 0, x, bmh_lesser(x + args.segment, args.limit));
}

SIMT_KERNEL(gallery_bmh_shared, gallery_arguments, 1024, 1)
{
    SIMT_SHARED(uint32_t, words, GALLERY_BIN_BYTES / 4u);
    SIMT_SHARED(uint32_t, shifts, BMH_SHIFTS);
    uint64_t part = (uint64_t)simt_threads() * args.segment;
    uint64_t tile = args.begin + simt_block() * part, end = bmh_lesser(tile + part, args.limit);
    uint32_t begins = GALLERY_BIN_BYTES / 2u; /* of a tile; its first 16 bytes may be lost */
    uint32_t share;

    if (args.pattern_bytes < GALLERY_BIN_BYTES / 2u - 16u)
        begins = GALLERY_BIN_BYTES - 16u - args.pattern_bytes;
    share = (begins + simt_threads() - 1u) / simt_threads();
    for (uint32_t i = simt_thread(); i < BMH_SHIFTS; i += simt_threads())
        shifts[i] = simt_load_u32(args.shifts + i);
    for (; tile < end; tile += begins) {
        uint64_t tile_end = bmh_lesser(tile + begins, end);
        uint64_t x = tile + (uint64_t)simt_thread() * share;
        struct compare_bin bin = compare_bin_fill(&args, tile, tile_end + args.pattern_bytes - 1u,
                                                  words, GALLERY_BIN_BYTES);

        bmh_search(&args, &bin, shifts, x, bmh_lesser(x + share, tile_end));
        simt_barrier(); /* nobody looks at this tile any more */
    }
}
