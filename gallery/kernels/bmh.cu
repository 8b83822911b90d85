/* bmh: Boyer-Moore-Horspool, with a segment of the text per thread.
 *
 * Source     Y. Han, "Accelerate String Searching Algorithm with GPU Using CUDA", section III;
 *            bmh-shared and bmh-conflict-free are further work of section V: shared memory, and
 *            shared memory without bank conflicts.
 * Mapping    blocks x threads segments of the same length (the paper: 256 x 16); windows may reach
 *            into the next one. A thread goes over its segment from left to right and compares each
 *            window from right to left. bmh-shared and bmh-conflict-free: a block goes over the
 *            text of its threads tile by tile, and each thread has a share of each tile.
 * Memory     bmh: text, pattern and the table of shifts, which the host makes, in global memory.
 *            bmh-shared: the tile in 32 KiB and the table in 1 KiB of shared memory; the pattern in
 *            global memory. bmh-conflict-free: each lane has its own bank. 24 KiB for the text are
 *            divided into a column per thread, which has the ends of the thread's windows, word
 *            below word; each lane has a table of shifts, 2 bytes a shift, 16 KiB in all:
 *
 *              bank              0                   1
 *              words of text     thread 0, word 0    thread 1, word 0    ...
 *                                thread 0, word 1    thread 1, word 1    ...
 *
 * Traffic    per window: a text byte and its shift; per comparison: a text byte and a pattern byte.
 *            Neighbouring threads read text a segment apart. -shared and -conflict-free read each
 *            text byte once, and bytes in which two tiles or two columns overlap twice.
 * Bound      by latency: each window waits for the loads of the one before, so more threads take
 *            less time.
 * Slower     bmh-shared's kernel than bmh's, and bmh-conflict-free's than bmh-shared's. Figures:
 *            docs/papers.md.
 * Fixed      The table and the step as in the CPU's bmh.c. The paper's last segment has a length of
 *            its own and no overlap; here all segments have the same length, rounded up, and the
 *            last segment is cut. Bytes of a window that are not in shared memory are read from
 *            global memory: bytes beyond the tile (patterns of more than half a tile), and for
 *            bmh-conflict-free bytes more than a quarter of a column before the window's end (most
 *            windows differ near the end). bmh-conflict-free cuts shifts to 65,535.
 * Limits     1 to 1,024 threads.
 */
#include "gallery/kernels/compare.h"

#define BMH_SHIFTS 256u
#define BMH_COLUMNS_WORDS 6144u
#define BMH_LANE_SHIFT_MAX 0xffffu

/* Searches the windows that begin in [x, end). A window's last byte says how far to move on. */
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
    uint32_t begins = GALLERY_BIN_BYTES / 2u; /* start offsets per tile; alignment takes 16 bytes */
    uint32_t share;

    if (args.pattern_bytes < GALLERY_BIN_BYTES / 2u - 16u)
        begins = GALLERY_BIN_BYTES - 16u - args.pattern_bytes;
    begins = (uint32_t)bmh_lesser(begins, part);
    share = (begins + simt_threads() - 1u) / simt_threads();
    for (uint32_t i = simt_thread(); i < BMH_SHIFTS; i += simt_threads())
        shifts[i] = simt_load_u32(args.shifts + i);
    for (; tile < end; tile += begins) {
        uint64_t tile_end = bmh_lesser(tile + begins, end);
        uint64_t x = tile + (uint64_t)simt_thread() * share;
        struct compare_bin bin = compare_bin_fill(&args, tile, tile_end + args.pattern_bytes - 1u,
                                                  words, GALLERY_BIN_BYTES);

        bmh_search(&args, &bin, shifts, x, bmh_lesser(x + share, tile_end));
        simt_barrier(); /* all threads have finished this tile */
    }
}

/* ---- Without bank conflicts ---------------------------------------------------------------- */

/* The text of a thread, in shared memory. Word w is words[w * stride], so all are in one bank. */
struct bmh_column {
    uint32_t *words;
    uint64_t begin; /* where in the text the column begins, a multiple of 4 */
    uint32_t stride;
    uint32_t bytes;
    uint32_t keep;  /* how many bytes at each window's end are in the column */
    uint32_t share; /* number of windows whose ends are in the column */
};

/* Returns the number of columns: the block's threads, rounded up so that no two threads of a warp
 * share a bank. */
SIMT_FUNCTION uint32_t bmh_stride(void)
{
    uint32_t stride = 1;

    while (stride < SIMT_WARP_THREADS && stride < simt_threads())
        stride *= 2u;
    return simt_threads() <= stride ? stride : (simt_threads() + stride - 1u) / stride * stride;
}

/* Returns the thread's empty column, for a segment's start offsets, or for as many as fit. */
SIMT_FUNCTION struct bmh_column bmh_column_open(const struct gallery_arguments *a, uint32_t *words)
{
    struct bmh_column column = {words + simt_thread(), 0, bmh_stride(), 0, 0, 0};
    uint32_t max = BMH_COLUMNS_WORDS / column.stride * 4u;

    column.keep = a->pattern_bytes < max / 4u ? a->pattern_bytes : max / 4u;
    column.share = max - 3u - (column.keep - 1u); /* for alignment, up to 3 bytes come first */
    if (column.share > a->segment)
        column.share = (uint32_t)a->segment;
    column.bytes = (column.share + column.keep - 1u + 3u + 3u) & ~3u;
    return column;
}

/* Fills the column with the ends of the windows starting at x. Only this thread reads it, so no
 * barrier is needed. */
SIMT_FUNCTION void bmh_column_fill(const struct gallery_arguments *a, struct bmh_column *column,
                                   uint64_t x)
{
    column->begin = (x + a->pattern_bytes - column->keep) & ~3ull;
    for (uint32_t w = 0; 4u * w < column->bytes; w++) {
        uint64_t at = column->begin + 4u * w;

        if (!SIMT_BOUND(at < a->text_end))
            return;
        column->words[w * column->stride] =
            simt_load_u32((const uint32_t *)(const void *)(a->text + at));
    }
}

SIMT_FUNCTION uint8_t bmh_column_text(const struct gallery_arguments *a,
                                      const struct bmh_column *column, uint64_t position)
{
    uint64_t offset = position - column->begin;

    if (offset < column->bytes)
        return (uint8_t)(column->words[offset / 4u * column->stride] >> (8u * (offset % 4u)));
    return simt_load_u8(a->text + position);
}

/* Fills the lanes' tables of shifts, two to a word. A lane's table lies in the lane's bank. */
SIMT_FUNCTION void bmh_lane_shifts_fill(const struct gallery_arguments *a, uint32_t *words)
{
    for (uint32_t i = simt_thread(); i < BMH_SHIFTS / 2u * SIMT_WARP_THREADS; i += simt_threads()) {
        uint32_t pair = i / SIMT_WARP_THREADS * 2u;
        uint32_t low = simt_load_u32(a->shifts + pair), high = simt_load_u32(a->shifts + pair + 1u);

        low = low < BMH_LANE_SHIFT_MAX ? low : BMH_LANE_SHIFT_MAX;
        high = high < BMH_LANE_SHIFT_MAX ? high : BMH_LANE_SHIFT_MAX;
        words[i] = low | high << 16;
    }
    simt_barrier();
}

SIMT_FUNCTION void bmh_column_search(const struct gallery_arguments *a,
                                     const struct bmh_column *column, const uint32_t *shifts,
                                     uint64_t x, uint64_t end)
{
    uint32_t last = a->pattern_bytes - 1u, lane = simt_thread() % SIMT_WARP_THREADS;

    while (x < end) {
        uint32_t j = a->pattern_bytes;
        uint8_t byte;

        while (j > 0 && bmh_column_text(a, column, x + j - 1u) == simt_load_u8(a->pattern + j - 1u))
            j--;
        if (j == 0) {
            gallery_emit(a, x);
            x++;
            continue;
        }
        byte = bmh_column_text(a, column, x + last);
        x += shifts[byte / 2u * SIMT_WARP_THREADS + lane] >> (16u * (byte % 2u)) & 0xffffu;
    }
}

SIMT_KERNEL(gallery_bmh_conflict_free, gallery_arguments, 1024, 1)
{
    SIMT_SHARED(uint32_t, words, BMH_COLUMNS_WORDS);
    SIMT_SHARED(uint32_t, shifts, BMH_SHIFTS / 2u * SIMT_WARP_THREADS);
    uint64_t part = (uint64_t)simt_threads() * args.segment;
    uint64_t tile = args.begin + simt_block() * part, end = bmh_lesser(tile + part, args.limit);
    struct bmh_column column = bmh_column_open(&args, words);

    bmh_lane_shifts_fill(&args, shifts);
    for (; tile < end; tile += (uint64_t)column.share * simt_threads()) {
        uint64_t x = tile + (uint64_t)simt_thread() * column.share;

        if (x >= end)
            return;
        bmh_column_fill(&args, &column, x);
        bmh_column_search(&args, &column, shifts, x, bmh_lesser(x + column.share, end));
    }
}
