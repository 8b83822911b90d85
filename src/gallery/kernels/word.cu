/* word: "wordSearchSimple", a thread per place, for the first occurrence.
 *
 * Source     The tutorial on wordSearchSimple, a word search in CUDA.
 * Mapping    one thread per place. It looks whether an earlier occurrence is known; if not it
 *            compares all bytes of its window, without leaving at the first that differs, and
 *            lowers the place found by atomicMin. 64 to 1,024 threads, as many blocks as it
 *            takes. word-chunked, the tutorial's last remark, is this kernel on a text that the
 *            host copies in parts, none after the one with an occurrence.
 * Memory     text, word and the place found in global memory.
 * Mended     Where all occurrences are asked for, or their number, every window is compared.
 *            Places near the text's end have no window and are not looked at. The place found is
 *            a 64-bit number, read as one that others change.
 * Limits     none.
 */
#include "gallery/kernels/emit.h"

SIMT_KERNEL(gallery_word_simple, gallery_arguments, 1024, 1)
{
    uint64_t x = gallery_place(&args);
    int matches = 1;

    if (!SIMT_BOUND(x < args.limit))
        return;
    if (args.want == SCAN_FIRST && simt_read_u64(&args.result->first) <= x - args.begin)
        return;
    for (uint32_t j = 0; j < args.pattern_bytes; j++)
        if (simt_load_u8(args.text + x + j) != simt_load_u8(args.pattern + j))
            matches = 0;
    if (matches)
        gallery_emit(&args, x);
}
