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
 * Bound      by one thread's chain of comparisons: the time grows with the patterns, and with the
 *            records only when there are more than the device has threads.
 * Lost       gallery_records_sample, most where matches are dense. What the sample decided against,
 *            as forms of it: -bytes has a load for each character instead of a texture (on devices
 *            since compute capability 5.0 both go through the same cache); -wide has 4 bytes for
 *            each character; -pairs has a flag for each pattern. Figures: docs/papers.md.
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

enum records_form { RECORDS_MENDED, RECORDS_SAMPLE, RECORDS_BYTES, RECORDS_WIDE, RECORDS_PAIRS };

/* Character `at` of a record. Of words that hold four, *word is the one that was read last. */
SIMT_FUNCTION uint32_t records_character(const uint32_t *words, uint32_t at, uint32_t *word,
                                         enum records_form form)
{
    if (form == RECORDS_BYTES)
        return simt_load_u8((const uint8_t *)words + at);
    if (form == RECORDS_WIDE)
        return simt_load_u32(words + at);
    if (at % 4u == 0)
        *word = simt_load_u32(words + at / 4u);
    return *word >> 8u * (at % 4u) & 0xffu;
}

/* Does some window of the record have the hash of a pattern of the group? `pairs`: a flag for each
 * of these hashes. */
SIMT_FUNCTION uint32_t records_meets(const uint32_t *words, uint32_t bytes,
                                     const struct records_group *group, uint32_t *pairs,
                                     enum records_form form)
{
    uint32_t window = simt_load_u32(&group->bytes), power = simt_load_u32(&group->power);
    uint32_t first = simt_load_u32(&group->first), count = simt_load_u32(&group->count);
    uint32_t hash = 0, in = 0, out = 0, met = 0;

    for (uint32_t end = 0; end < bytes && (form != RECORDS_MENDED || met == 0); end++) {
        hash = RECORDS_PUSH(hash, records_character(words, end, &in, form));
        if (end >= window)
            hash -= records_character(words, end - window, &out, form) * power;
        if (end + 1u < window)
            continue;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t equal = simt_constant_u32(gallery_constant, first + i) == hash ? 1u : 0u;

            met |= equal;
            if (form == RECORDS_PAIRS && equal)
                simt_store_u32(pairs + first + i, 1u);
        }
    }
    return met;
}

SIMT_FUNCTION void records_record(const struct records_arguments *a, enum records_form form)
{
    uint32_t index = simt_block() * simt_threads() + simt_thread(), word, bytes, met = 0;
    uint32_t *pairs = a->flags + a->part_count + (uint64_t)index * a->hash_count + a->hash_first;
    int all = form != RECORDS_MENDED;

    if (!SIMT_BOUND(index < a->part_count))
        return;
    if (!all && simt_read_u32(a->flags + index) != 0) /* by an earlier launch */
        return;
    word = simt_load_u32(&a->parts[index].word);
    bytes = simt_load_u32(&a->parts[index].bytes);
    for (uint32_t g = 0; g < a->group_count && (all || met == 0); g++) {
        if (simt_load_u32(&a->groups[g].bytes) <= bytes)
            met |= records_meets(a->words + word, bytes, a->groups + g, pairs, form);
    }
    if (met != 0)
        simt_store_u32(a->flags + index, 1u);
}

SIMT_KERNEL(gallery_records, records_arguments, RECORDS_THREADS, 1)
{
    records_record(&args, RECORDS_MENDED);
}

SIMT_KERNEL(gallery_records_sample, records_arguments, RECORDS_THREADS, 1)
{
    records_record(&args, RECORDS_SAMPLE);
}

SIMT_KERNEL(gallery_records_bytes, records_arguments, RECORDS_THREADS, 1)
{
    records_record(&args, RECORDS_BYTES);
}

SIMT_KERNEL(gallery_records_wide, records_arguments, RECORDS_THREADS, 1)
{
    records_record(&args, RECORDS_WIDE);
}

SIMT_KERNEL(gallery_records_pairs, records_arguments, RECORDS_THREADS, 1)
{
    records_record(&args, RECORDS_PAIRS);
}
