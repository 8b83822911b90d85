/* aho-corasick: all patterns at once, with a thread per start offset.
 *
 * Source     A. V. Aho, M. J. Corasick, "Efficient string matching: an aid to bibliographic
 *            search", 1975, in the form for GPUs of C.-H. Lin, S.-Y. Tsai, C.-H. Liu, S.-C. Chang,
 *            J.-M. Shyu, "Accelerating String Matching Using Multi-threaded Algorithm on GPU",
 *            2010. Y. Han, "Accelerate String Searching Algorithm with GPU Using CUDA", suggests
 *            Aho-Corasick for occurrences across the ends of segments.
 * Mapping    a thread follows the patterns' trie from the root until there is no next state, also
 *            beyond the end of the block's text. Since each start offset has a thread, the trie
 *            needs no failure transitions. 32 to 1,024 threads, as many blocks as are needed.
 * Memory     text and trie in global memory. A state has 257 words: the pattern that ends there,
 *            and the next state for each byte.
 * Traffic    per start offset: a text byte and words of the trie for each step, including the one
 *            that fails.
 * Bound      by the longest walk, if long patterns occur: each load waits for the one before.
 * Fixed      Patterns with the same bytes are all reported.
 * Limits     patterns of up to gallery_limits.trie_states_max - 1 bytes in all: 1 GiB of states.
 */
#include "gallery/kernels/emit.h"

SIMT_FUNCTION void aho_corasick_emit(const struct gallery_arguments *a, uint64_t x,
                                     uint32_t literal)
{
    uint64_t slot;

    if (a->want == WANT_FIRST) {
        (void)simt_atomic_min_u64(&a->result->first, (x - a->begin) << 32 | literal);
        return;
    }
    slot = simt_atomic_add_u64(&a->result->cursor, 1);
    if (a->want != WANT_HITS || !SIMT_BOUND(slot < a->capacity))
        return;
    simt_store_u32(&a->offsets[2u * slot], (uint32_t)(x - a->begin));
    simt_store_u32(&a->offsets[2u * slot + 1u], literal);
}

SIMT_KERNEL(gallery_aho_corasick, gallery_arguments, 1024, 1)
{
    uint64_t x = gallery_place(&args);
    uint32_t state = 0, ends;

    if (!SIMT_BOUND(x < args.limit))
        return;
    for (uint64_t at = x; at < args.text_end; at++) {
        const uint32_t *row = args.trie + (uint64_t)GALLERY_TRIE_ROW * state;

        state = simt_load_u32(row + 1u + simt_load_u8(args.text + at));
        if (state == 0)
            return;
        ends = simt_load_u32(args.trie + (uint64_t)GALLERY_TRIE_ROW * state);
        for (; ends != 0; ends = simt_load_u32(args.equals + ends - 1u))
            aho_corasick_emit(&args, x, ends - 1u);
    }
}
