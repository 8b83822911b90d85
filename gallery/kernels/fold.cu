/* fold: copies a part of the text in lower case (A to Z), for algorithms that compare bytes.
 *
 * Mapping    a thread per 16 bytes; 256 threads, as many blocks as the text needs.
 * Memory     only global memory.
 * Traffic    per text byte: reads 1, writes 1.
 * Bound      not measured; it runs once per part.
 * Limits     begin is a multiple of 16.
 */
#include "gallery/kernels/emit.h"

/* Returns the word with each byte of A to Z in lower case. Adding c to a byte's lower 7 bits
 * sets bit 7 if they are at least 0x80 - c. */
SIMT_FUNCTION uint32_t fold_word(uint32_t word)
{
    uint32_t low = word & 0x7f7f7f7fu;
    uint32_t from_a = low + 0x3f3f3f3fu;   /* 'A' is 0x41 */
    uint32_t beyond_z = low + 0x25252525u; /* 'Z' + 1 is 0x5b */

    return word | (((from_a & ~beyond_z & ~word) & 0x80808080u) >> 2);
}

SIMT_KERNEL(gallery_fold, gallery_fold_arguments, 1024, 1)
{
    uint64_t at = 16u * ((uint64_t)simt_block() * simt_threads() + simt_thread());
    struct simt_u32x4 loaded;

    if (!SIMT_BOUND(at < args.count))
        return;
    loaded = simt_load_u32x4((const uint32_t *)(const void *)(args.text + args.begin + at));
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++)
        simt_store_u32((uint32_t *)(void *)(args.copy + at) + i, fold_word(loaded.w[i]));
}
