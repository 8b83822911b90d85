/* pss: the parallel string search, a thread per place.
 *
 * Source     B. Kutukcu, "Parallel String Search Algorithm on GPU", algorithm 1; its versions GG
 *            (text and key in global memory), GR (key in registers) and GM (the key's first
 *            letter in a register, the rest in global memory).
 * Mapping    one thread per place; where the key's first letter stands it compares the rest from
 *            left to right until a byte differs. 64 to 1,024 threads (his: 1,024, and 64 to 1,024
 *            in table VII), as many blocks as it takes.
 * Memory     gg: the key is read from global memory, its first letter by every thread. gr: the
 *            key lies among the kernel's arguments, as near to registers as bytes that are
 *            indexed come. gm: its first letter is an argument of its own.
 * Mended     He gives an occurrence the slot "++CurrInd" of an array of unknown size: here slots
 *            begin at 0, and what does not fit is counted and not written, so that the host can
 *            come again with room. Places near the text's end have no window and are not looked
 *            at.
 * Limits     gr: keys of up to GALLERY_KEY_BYTES.
 */
#include "gallery/kernels/emit.h"

/* Where a thread gets the key from. */
struct pss_key {
    const uint8_t *global;
    const uint8_t *arguments; /* 0: global */
};

SIMT_FUNCTION uint8_t pss_key_byte(const struct pss_key *key, uint32_t offset)
{
    if (key->arguments != 0)
        return key->arguments[offset];
    return simt_load_u8(key->global + offset);
}

/* One thread, one place. */
SIMT_FUNCTION void pss_place(const struct gallery_arguments *a, const struct pss_key *key,
                             int first_is_known)
{
    uint64_t x = gallery_place(a);
    uint32_t j = 1;
    uint8_t first;

    if (!SIMT_BOUND(x < a->limit))
        return;
    first = first_is_known ? (uint8_t)a->pattern_first : pss_key_byte(key, 0);
    if (simt_load_u8(a->text + x) != first)
        return;
    while (j < a->pattern_bytes && simt_load_u8(a->text + x + j) == pss_key_byte(key, j))
        j++;
    if (j == a->pattern_bytes)
        gallery_emit(a, x);
}

SIMT_KERNEL(gallery_pss_gg, gallery_arguments, 1024, 1)
{
    struct pss_key key = {args.pattern, 0};

    pss_place(&args, &key, 0);
}

SIMT_KERNEL(gallery_pss_gr, gallery_key_arguments, 1024, 1)
{
    struct pss_key key = {0, args.key};

    pss_place(&args.common, &key, 0);
}

SIMT_KERNEL(gallery_pss_gm, gallery_arguments, 1024, 1)
{
    struct pss_key key = {args.pattern, 0};

    pss_place(&args, &key, 1);
}
