/* records: rabin-karp-matrix: which records may hold some of many patterns?
 *
 * Source     "String search sample", C++ AMP: M patterns, N records.
 * Mapping    One thread per record. It rolls a hash over every window of the record and compares it
 *            with the hashes of all patterns; its answer is one flag. The host looks at the flagged
 *            records again, with all its cores.
 * Memory     Hashes in constant memory: all threads read the same one at the same time. Records
 *            packed into words in global memory, unpacked by shifts. Per byte of a record and
 *            distinct pattern length: reads 2 bytes (in and out of the window, by words) and all
 *            hashes of that length. Writes 4 bytes per flagged record.
 * Traffic    see Memory.
 * Bound      by one thread's chain of comparisons: 256 records take as long as 4,096 (0.64 and
 *            0.66 ms, 256 patterns), and the time grows with the patterns (2.9 ms for 1,024)
 *            [H200, docs/papers.md].
 * Lost       gallery_records_sample: 0.57 to 24 times the time of the whole search, the most
 *            where matches are dense [H200].
 * Fixed      Patterns of several lengths: one pass over the record per length, each with the hashes
 *            of that length. More than 4095 patterns: several launches. A record that is flagged is
 *            not looked at any further, which is what makes dense matches bearable;
 *            gallery_records_sample goes on over all of it, as the sample does. Long records come
 *            in overlapping parts. The publication does not give its hash; here it is a number to a
 *            base modulo 2^32, as the sample's 32-bit hashes wrap.
 * Limits     parts < 2^32 bytes; lengths < 2^32.
 */
#include "gallery/kernels/constant.h"
#include "gallery/kernels/records.h"

/* Character `at` of a record, from the word that holds it. */
SIMT_FUNCTION uint32_t records_unpack(uint32_t word, uint32_t at)
{
    return word >> 8u * (at % 4u) & 0xffu;
}

/* Does some window of the record have the hash of a pattern of the group? `all`: roll on when it is
 * known. */
SIMT_FUNCTION uint32_t records_meets(const uint32_t *words, uint32_t bytes, uint32_t window,
                                     uint32_t power, uint32_t first, uint32_t count, int all)
{
    uint32_t hash = 0, in = 0, out = 0, met = 0;

    for (uint32_t end = 0; end < bytes && (all || met == 0); end++) {
        if (end % 4u == 0)
            in = simt_load_u32(words + end / 4u);
        hash = RECORDS_PUSH(hash, records_unpack(in, end));
        if (end >= window) {
            uint32_t at = end - window;

            if (at % 4u == 0)
                out = simt_load_u32(words + at / 4u);
            hash -= records_unpack(out, at) * power;
        }
        if (end + 1u < window)
            continue;
        for (uint32_t i = 0; i < count; i++)
            met |= simt_constant_u32(gallery_constant, first + i) == hash ? 1u : 0u;
    }
    return met;
}

SIMT_FUNCTION void records_record(const struct records_arguments *a, int all)
{
    uint32_t index = simt_block() * simt_threads() + simt_thread(), word, bytes, met = 0;

    if (!SIMT_BOUND(index < a->part_count))
        return;
    if (!all && simt_read_u32(a->flags + index) != 0) /* by an earlier launch */
        return;
    word = simt_load_u32(&a->parts[index].word);
    bytes = simt_load_u32(&a->parts[index].bytes);
    for (uint32_t g = 0; g < a->group_count && (all || met == 0); g++) {
        const struct records_group *group = a->groups + g;
        uint32_t window = simt_load_u32(&group->bytes);

        if (window <= bytes)
            met |= records_meets(a->words + word, bytes, window, simt_load_u32(&group->power),
                                 simt_load_u32(&group->first), simt_load_u32(&group->count), all);
    }
    if (met != 0)
        simt_store_u32(a->flags + index, 1u);
}

SIMT_KERNEL(gallery_records, records_arguments, RECORDS_THREADS, 1)
{
    records_record(&args, 0);
}

SIMT_KERNEL(gallery_records_sample, records_arguments, RECORDS_THREADS, 1)
{
    records_record(&args, 1);
}
