/* swift: bf, qs and hp that launch a child grid for each window whose first and last bytes equal
 * the pattern's.
 *
 * Source     S. Shenoy, S. Nayak U., B. Neelima, "SWIFT - A Performance Accelerated Optimized
 *            String Matching Algorithm for Nvidia GPUs": algorithm 1, binning (figure 4), chunking
 *            (figure 5). The paper's hybrid is -shared for short patterns and -swift-chunking for
 *            long ones, which the host chooses.
 * Mapping    The parent: a thread per start offset, as in bf.cu and skip.cu; for qs and hp it ends
 *            unless gallery_shifts_text flagged a window there. If the window's first and last byte
 *            match, the thread launches the child: a grid of m threads (m: the pattern's length),
 *            each of which compares a byte, and, if it differs, clears the window's flag (the
 *            paper's Arr[]). -chunking: m / 4 threads, each of which compares an aligned word of
 *            the text. Then gallery_collect reports the windows whose flags are left.
 * Memory     -swift: all in global memory. -binning: a block of the parent is a warp (by
 *            default), with 32 + m bytes of the text in shared memory; the child reads the text
 *            from global memory; the pattern is in constant memory. -chunking: as -swift.
 * Traffic    bf: one or two text bytes per start offset. qs and hp: its flag, and one or two text
 *            bytes per window. Per child grid: the window and the pattern once, and up to m stores
 *            into a flag. gallery_collect reads all flags.
 * Bound      by launching child grids.
 * Slower     the whole method, on the devices that were measured: launching a child grid costs more
 *            than comparing the window. Figures: docs/papers.md.
 * Progress   The parent's grid ends after all its children; nobody waits for a child.
 * Fixed      A device accepts a limited number of pending launches. Beyond child_grids_max
 *            (withheld), and where the device refuses a launch (spilled), the parent's thread
 *            compares the window. Child grids count themselves, so that the host sees that all have
 *            run; these atomic additions are ours. If m exceeds a block's threads, the child has
 *            several blocks. Most windows begin inside an aligned word, so chunking needs one more
 *            thread. Children go to the stream cudaStreamFireAndForget, where those of a
 *            block need not wait for each other; the paper's launches name no stream, so they run
 *            one after the other, as with the option "ordered".
 * Limits     -binning: patterns of up to GALLERY_CONSTANT_BYTES.
 *
 * In a form's name, X is bf, qs or hp. X alone is the paper's generic form, with a thread per
 * start offset and text, pattern and shifts in global memory; forms in shared memory (-shared,
 * -binning) take patterns of up to 32 KiB, the others of up to 1 GiB. For qs and hp, the paper
 * follows the shifts on the host; here the threads of a first kernel do, each in its own 512 start
 * offsets, and this kernel counts in the measured time. Tay's programs also store an int for each
 * window (hp) or match (bf) where ours append a hit, his bf tests for NUL, and his qs compares
 * from left to right.
 *
 * The paper does not say what happens to launches beyond the limit of pending child grids. A
 * kernel launches at most as many as the device was told to make room for (61,440); threads that
 * come later compare their windows themselves. The whole text is searched at once. If more windows
 * need a grid, it is searched again in as many parts as their number asks for, but in none of less
 * than 1 MiB of start offsets; later searches of the plan begin with such parts.
 * --stats and struct trawl_stats count the child grids that ran, the launches that the device
 * rejected, and those that were left out. With thousands of rejections, some searches did not end
 * (H200, CUDA 13.0). If a launched grid has not run when the kernel ends, the search fails with a
 * DEVICE error. With `uncounted`, nothing is counted or checked.
 *
 * A hybrid launches child grids for patterns of at least a certain length: the one that the plan
 * sets (bf-hybrid:800 is the paper's), or else the one measured for the device (rows MEASURED of
 * kernels.def). If there is neither, or the build has no child grids for the device (compute
 * capability 8.7 and 8.8), it always runs in the generic form, and the note in --stats says why.
 * On H100 and H200, this is the case for all three hybrids: X-swift-chunking was slower than
 * X-shared at each measured length (on the H200, from 100 to 3,000 bytes; on the H100, bf and hp
 * likewise, and qs with 1,500).
 */
#include "gallery/kernels/compare.h"

#define SWIFT_CHUNK_BYTES 4u

enum swift_child { SWIFT_BYTES, SWIFT_BYTES_CONSTANT, SWIFT_CHUNKS };

/* A child grid's window. */
struct swift_arguments {
    const uint8_t *text; /* 256-byte aligned; the window begins at x */
    uint64_t x;
    const uint8_t *pattern;
    uint8_t *flag;
    struct gallery_result *result;
    uint32_t pattern_bytes;
};

/* ---- Children --------------------------------------------------------------------------- */

/* Returns the thread's index in the child grid. The first thread counts the grid in `children`. */
SIMT_FUNCTION uint64_t swift_child_begin(const struct swift_arguments *a)
{
    uint64_t own = (uint64_t)simt_block() * simt_threads() + simt_thread();

    if (own == 0 && a->result != NULL)
        simt_add_u64(&a->result->children, 1);
    return own;
}

SIMT_KERNEL(gallery_compare, swift_arguments, 1024, 1)
{
    uint64_t own = swift_child_begin(&args);

    if (SIMT_BOUND(own < args.pattern_bytes) &&
        simt_load_u8(args.text + args.x + own) != simt_load_u8(args.pattern + own))
        simt_store_u8(args.flag, 0);
}

SIMT_KERNEL(gallery_compare_constant, swift_arguments, 1024, 1)
{
    uint64_t own = swift_child_begin(&args);

    if (SIMT_BOUND(own < args.pattern_bytes) &&
        simt_load_u8(args.text + args.x + own) != simt_constant_u8(gallery_constant, own))
        simt_store_u8(args.flag, 0);
}

/* Returns how many aligned words of the text the window touches. */
SIMT_FUNCTION uint32_t swift_chunks(uint64_t x, uint32_t pattern_bytes)
{
    return ((uint32_t)(x % SWIFT_CHUNK_BYTES) + pattern_bytes + SWIFT_CHUNK_BYTES - 1u) /
           SWIFT_CHUNK_BYTES;
}

SIMT_KERNEL(gallery_compare_chunks, swift_arguments, 1024, 1)
{
    uint64_t own = swift_child_begin(&args);
    uint32_t skew = (uint32_t)(args.x % SWIFT_CHUNK_BYTES), text;

    if (!SIMT_BOUND(own < swift_chunks(args.x, args.pattern_bytes)))
        return;
    text = simt_load_u32(
        (const uint32_t *)(const void *)(args.text + (args.x - skew) + own * SWIFT_CHUNK_BYTES));
    for (uint32_t k = 0; k < SWIFT_CHUNK_BYTES; k++) {
        uint64_t at = own * SWIFT_CHUNK_BYTES + k - skew; /* huge before the window */

        if (SIMT_BOUND(at < args.pattern_bytes) &&
            (text >> 8u * k & 0xffu) != simt_load_u8(args.pattern + at))
            simt_store_u8(args.flag, 0);
    }
}

/* ---- Parents ---------------------------------------------------------------------------- */

#define SWIFT_LAUNCH(kernel)                                                         \
    (a->ordered ? SIMT_LAUNCH_IN(SIMT_STREAM_BLOCK, kernel, blocks, threads, window) \
                : SIMT_LAUNCH_IN(SIMT_STREAM_NONE, kernel, blocks, threads, window))

/* Launches the child grid of the window at x. Returns the launch's error code, 0 for success. */
SIMT_FUNCTION uint32_t swift_launch(const struct gallery_arguments *a, enum swift_child child,
                                    uint64_t x)
{
    struct swift_arguments window = {
        a->text,         x, a->pattern, a->flags + (x - a->begin), a->uncounted ? NULL : a->result,
        a->pattern_bytes};
    uint32_t all = child == SWIFT_CHUNKS ? swift_chunks(x, a->pattern_bytes) : a->pattern_bytes;
    uint32_t threads = all < a->child_threads_max ? all : a->child_threads_max;
    uint32_t blocks = (all + threads - 1u) / threads;

    if (child == SWIFT_CHUNKS)
        return SWIFT_LAUNCH(gallery_compare_chunks);
    if (child == SWIFT_BYTES_CONSTANT)
        return SWIFT_LAUNCH(gallery_compare_constant);
    return SWIFT_LAUNCH(gallery_compare);
}

SIMT_FUNCTION int swift_ends_match(const struct gallery_arguments *a, const struct compare_bin *bin,
                                   enum compare_pattern where, uint64_t x)
{
    uint32_t last = a->pattern_bytes - 1u;

    return compare_text(a, bin, x) == compare_pattern(a, where, 0) &&
           compare_text(a, bin, x + last) == compare_pattern(a, where, last);
}

/* Compares the window at x, whose ends match and whose flag is 1: in a child grid, or, if none was
 * launched, in this thread. */
SIMT_FUNCTION void swift_compare(const struct gallery_arguments *a, const struct compare_bin *bin,
                                 enum swift_child child, uint64_t x)
{
    enum compare_pattern where = child == SWIFT_BYTES_CONSTANT ? COMPARE_CONSTANT : COMPARE_GLOBAL;
    int may = a->uncounted || simt_atomic_add_u64(&a->result->passed, 1) < a->child_grids_max;
    uint32_t code = may ? swift_launch(a, child, x) : 0;

    if (may && code == 0) {
        if (!a->uncounted)
            simt_add_u64(&a->result->launched, 1);
        return;
    }
    simt_add_u64(may ? &a->result->spilled : &a->result->withheld, 1);
    if (code != 0 && !simt_launch_is_full(code))
        simt_store_u64(&a->result->refusal, code);
    if (!compare_forward(a, bin, where, x, a->pattern_bytes))
        simt_store_u8(a->flags + (x - a->begin), 0);
}

/* Returns the flag at an offset. Child grids may clear other flags in the same word meanwhile. */
SIMT_FUNCTION int swift_flag(const struct gallery_arguments *a, uint64_t offset)
{
    const uint32_t *flags = (const uint32_t *)(const void *)a->flags;

    return (simt_load_relaxed_u32(flags + offset / 4u) >> (8u * (uint32_t)(offset % 4u)) & 1u) != 0;
}

/* Searches at the thread's start offset; for qs and hp only if gallery_shifts_text has flagged it.
 */
SIMT_FUNCTION void swift_parent(const struct gallery_arguments *a, const struct compare_bin *bin,
                                enum swift_child child, int is_bf)
{
    enum compare_pattern where = child == SWIFT_BYTES_CONSTANT ? COMPARE_CONSTANT : COMPARE_GLOBAL;
    uint64_t x = gallery_place(a);

    if (!SIMT_BOUND(x < a->limit) || (!is_bf && !swift_flag(a, x - a->begin)))
        return;
    if (swift_ends_match(a, bin, where, x))
        swift_compare(a, bin, child, x);
    else
        simt_store_u8(a->flags + (x - a->begin), 0);
}

/* Defines the three parent kernels of bf or, under the name skip, of both qs and hp. */
#define SWIFT_PARENTS(name, is_bf)                                           \
    SIMT_KERNEL(gallery_##name##_swift, gallery_arguments, 1024, 1)          \
    {                                                                        \
        struct compare_bin bin = compare_bin_none();                         \
                                                                             \
        swift_parent(&args, &bin, SWIFT_BYTES, is_bf);                       \
    }                                                                        \
    SIMT_KERNEL(gallery_##name##_swift_binning, gallery_arguments, 1024, 1)  \
    {                                                                        \
        SIMT_SHARED_DYNAMIC(uint32_t, words, args.bin_bytes);                \
        struct compare_bin bin = compare_places_fill(&args, words);          \
                                                                             \
        swift_parent(&args, &bin, SWIFT_BYTES_CONSTANT, is_bf);              \
    }                                                                        \
    SIMT_KERNEL(gallery_##name##_swift_chunking, gallery_arguments, 1024, 1) \
    {                                                                        \
        struct compare_bin bin = compare_bin_none();                         \
                                                                             \
        swift_parent(&args, &bin, SWIFT_CHUNKS, is_bf);                      \
    }

SWIFT_PARENTS(bf, 1)
SWIFT_PARENTS(skip, 0)

/* ---- The flags -------------------------------------------------------------------------- */

/* Reports windows with set flags. Works with any grid: a thread takes 16 flags at a time. */
SIMT_KERNEL(gallery_collect, gallery_arguments, 1024, 1)
{
    uint64_t count = args.limit - args.begin;
    uint64_t step = 16ull * simt_blocks() * simt_threads();

    for (uint64_t at = 16ull * ((uint64_t)simt_block() * simt_threads() + simt_thread());
         SIMT_BOUND(at < count); at += step) {
        struct simt_u32x4 flags =
            simt_load_u32x4((const uint32_t *)(const void *)(args.flags + at));

        if ((flags.w[0] | flags.w[1] | flags.w[2] | flags.w[3]) == 0)
            continue;
        for (uint32_t k = 0; k < 16u; k++)
            if ((flags.w[k / 4u] >> (k % 4u * 8u) & 1u) != 0 && SIMT_BOUND(at + k < count))
                gallery_emit(&args, args.begin + at + k);
    }
}
