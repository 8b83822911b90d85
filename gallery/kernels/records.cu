/* records: rabin-karp-matrix, which flags the records that may hold any of many patterns.
 *
 * Source     "String search sample", C++ AMP: M patterns, N records.
 * Mapping    A thread per record rolls a hash over it, compares the hash of each window with those
 *            of all patterns, and writes a flag. The host searches the flagged records again, with
 *            all cores.
 * Memory     Hashes in constant memory: all threads read the same hash at the same time. Records
 *            packed into words in global memory, unpacked by shifts.
 * Traffic    Per byte of a record and distinct pattern length: reads 2 bytes (in and out of the
 *            window, by words) and all hashes of that length. Writes 4 bytes per flagged record.
 * Bound      by a thread's chain of comparisons: the time grows with the patterns, and with the
 *            records only beyond the device's number of threads.
 * Slower     gallery_records_sample, most clearly if matches are dense. Variants that the sample's
 *            authors considered: -bytes emulates textures by a load for each character (devices
 *            since compute capability 5.0 use the same cache for both); -wide has 4 bytes for each
 *            character; -pairs has a flag for each record and pattern; the option "global" leaves
 *            the hashes in global memory. Figures: docs/papers.md.
 * Fixed      Patterns of several lengths: a pass over the record per length, with the hashes of
 *            that length. More than 4,095 patterns: several launches. gallery_records leaves a
 *            record at the first hit, so that dense matches cost less; the other forms go on to
 *            the record's end, as the sample does. Long records come in overlapping parts.
 * Hash       gallery_records_amp has the hash of the sample's program: base 17 modulo
 *            24,036,583 in signed numbers, with four remainders of two divisions each when a
 *            window moves; and 128 comparisons without a loop if there are 128 hashes. A 64-bit
 *            remainder replaces the first one where a byte's product might not fit 32 bits (never
 *            with the sample's 60 letters). All other forms have a cheaper hash of ours: a number
 *            to a base modulo 2^32. gallery_records_sample differs from _amp in nothing else.
 * Limits     parts < 2^32 bytes; lengths < 2^32.
 *
 * The sample's hash takes eight signed divisions per byte, and flags 128 patterns x 961 positions
 * / 24,036,583 = 0.5 % of the records falsely; our cheap hash flags 0.003 %. With hashes in
 * constant memory, a thread needs 29 registers, in global memory 56 (nvcc 13.0, compute capability
 * 9.0).
 */
#include "gallery/kernels/constant.h"
#include "gallery/kernels/gallery_records.h"

enum records_form {
    RECORDS_MENDED,
    RECORDS_SAMPLE,
    RECORDS_PUBLISHED,
    RECORDS_GLOBAL,
    RECORDS_BYTES,
    RECORDS_WIDE,
    RECORDS_PAIRS
};

/* Returns character `at` of a record. Forms that read four characters at a time keep the last word
 * read in *word. */
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

/* Returns the value modulo RECORDS_MODULUS, computed as in the sample. `value` may be negative. */
SIMT_FUNCTION int32_t records_modulo(int32_t value)
{
    const int32_t modulus = (int32_t)RECORDS_MODULUS;

    return (value % modulus + modulus) % modulus;
}

/* Returns the hash of the window without its first byte, `out`. */
SIMT_FUNCTION uint32_t records_leave(uint32_t hash, uint32_t out, uint32_t power, int published)
{
    if (!published)
        return hash - out * power;
    out = power <= INT32_MAX / 255u ? (uint32_t)records_modulo((int32_t)(out * power))
                                    : (uint32_t)((uint64_t)out * power % RECORDS_MODULUS);
    return (uint32_t)records_modulo((int32_t)hash - (int32_t)out);
}

/* Returns the hash of the window after the byte `in` is appended. */
SIMT_FUNCTION uint32_t records_enter(uint32_t hash, uint32_t in, int published)
{
    if (!published)
        return RECORDS_PUSH(hash, in, 0);
    hash = (uint32_t)records_modulo((int32_t)(hash * RECORDS_BASE(1)));
    return (uint32_t)records_modulo((int32_t)(hash + in));
}

/* Returns 1 if the hash is one of the 128 in constant memory starting at `first`, else 0. */
SIMT_FUNCTION uint32_t records_equal_128(uint32_t hash, uint32_t first)
{
    uint32_t met = 0;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 128u; i++)
        met |= simt_constant_u32(gallery_constant, first + i) == hash ? 1u : 0u;
    return met;
}

/* Returns 1 if a window of the record has a hash of the group, else 0. RECORDS_PAIRS also sets the
 * flags, in `pairs`, of all such hashes. RECORDS_GLOBAL reads the hashes from `hashes`, the other
 * forms from constant memory. */
SIMT_FUNCTION uint32_t records_meets(const uint32_t *words, uint32_t bytes,
                                     const struct records_group *group, const uint32_t *hashes,
                                     uint32_t *pairs, enum records_form form)
{
    uint32_t window = simt_load_u32(&group->bytes), power = simt_load_u32(&group->power);
    uint32_t first = simt_load_u32(&group->first), count = simt_load_u32(&group->count);
    uint32_t hash = 0, in = 0, out = 0, met = 0;
    int published = form == RECORDS_PUBLISHED;

    for (uint32_t end = 0; end < bytes && (form != RECORDS_MENDED || met == 0); end++) {
        if (end >= window)
            hash = records_leave(hash, records_character(words, end - window, &out, form), power,
                                 published);
        hash = records_enter(hash, records_character(words, end, &in, form), published);
        if (end + 1u < window)
            continue;
        if ((published || form == RECORDS_SAMPLE) && count == 128u) {
            met |= records_equal_128(hash, first);
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t other = form == RECORDS_GLOBAL
                                 ? simt_load_u32(hashes + first + i)
                                 : simt_constant_u32(gallery_constant, first + i);
            uint32_t equal = other == hash ? 1u : 0u;

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
    if (!all && simt_load_relaxed_u32(a->flags + index) != 0) /* an earlier launch has flagged it */
        return;
    word = simt_load_u32(&a->parts[index].word);
    bytes = simt_load_u32(&a->parts[index].bytes);
    for (uint32_t g = 0; g < a->group_count && (all || met == 0); g++) {
        if (simt_load_u32(&a->groups[g].bytes) <= bytes)
            met |= records_meets(a->words + word, bytes, a->groups + g, a->hashes, pairs, form);
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

SIMT_KERNEL(gallery_records_amp, records_arguments, RECORDS_THREADS, 1)
{
    records_record(&args, RECORDS_PUBLISHED);
}

SIMT_KERNEL(gallery_records_global, records_arguments, RECORDS_THREADS, 1)
{
    records_record(&args, RECORDS_GLOBAL);
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
