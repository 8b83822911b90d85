/* cuda_sampled: builds a device's tables for the "sampled" method. For each hash value, there is a
 * list of the offsets in the pattern (below the stride) whose 16 bytes have that hash. A bitmap
 * says for which hashes there is a list.
 *
 * The CPU uses other tables, which are part of the plan. A device hashes 16 bytes where the CPU
 * hashes 8: all 16 are in the same sector anyway, and 8 bytes of English match too many offsets by
 * chance. A device's stride may be longer: that needs a larger bitmap, but a block loads it into
 * shared memory only once for many samples.
 */
#include "cuda/cuda_sampled.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "cuda/prices.def"

#define WORDS_LOG2_MIN 10u

void cuda_sampled_sizes(uint64_t length, struct pattern_arguments *a)
{
    uint64_t single = min_u64(length + 1 - SCAN_SAMPLE_BYTES, CUDA_SAMPLED_STRIDE_MAX);
    uint64_t pair = min_u64(length + 1, CUDA_SAMPLED_STRIDE_MAX);

    TRAWL_ASSERT(length >= CUDA_SAMPLED_LENGTH_MIN);
    single -= single % SCAN_SAMPLE_BYTES;
    pair -= pair % (2 * SCAN_SAMPLE_BYTES);
    a->sample_pair = pair > single + single / PAIR_GAIN_MIN;
    a->stride = (uint32_t)(a->sample_pair != 0 ? pair : single);
    TRAWL_ASSERT(a->stride > 0 && a->stride <= CUDA_SAMPLED_STRIDE_MAX);
    /* two to four heads for each offset in the lists */
    a->hash_bits = 1 + log2_ceiling(a->stride + 1ull);
    a->sample_words_log2 = (uint32_t)min_u64(
        max_u64(1 + log2_ceiling(a->stride + 1ull), WORDS_LOG2_MIN), SCAN_SAMPLE_WORDS_MAX);
}

static uint32_t gram_hash(const uint8_t *bytes, uint32_t fold)
{
    uint32_t gram[SCAN_SAMPLE_BYTES / 4];

    memcpy(gram, bytes, sizeof gram);
    return scan_sample_hash(gram[0] | fold, gram[1] | fold, gram[2] | fold, gram[3] | fold);
}

/* A list has the pattern's offsets whose grams' hashes have the same high bits. While the first
 * pass counts a list's offsets, its head is COUNTED plus their number. A finished head is lower,
 * because no list begins at entry 0xffff. */
#define COUNTED scan_list(0xffffu, 0)

void cuda_sampled_fill(const uint8_t *bytes, const struct pattern_arguments *a,
                       const struct cuda_sampled_tables *tables)
{
    uint32_t fold = a->sample_fold, down = 32 - a->hash_bits, end = 0;
    uint32_t offsets = scan_sample_starts(0, a->stride, a->sample_pair);

    TRAWL_ASSERT(offsets <= a->stride && a->stride <= CUDA_SAMPLED_STRIDE_MAX);
    memset(tables->heads, 0xff, sizeof *tables->heads << a->hash_bits); /* PLAN_NONE */
    /* First pass: write lists of a single entry into their heads, and count the entries of longer
     * ones. */
    for (uint32_t offset = 0; offset < offsets; offset++) {
        uint32_t hash = gram_hash(bytes + offset, fold), *head = &tables->heads[hash >> down];

        *head = *head == PLAN_NONE         ? scan_entry(offset, hash)
                : (*head & SCAN_LIST) == 0 ? COUNTED + 2
                                           : *head + 1;
        tables->words[hash >> (32 - a->sample_words_log2)] |=
            1u << (hash & 31) | 1u << (hash >> 5 & 31);
    }
    /* Second pass: allocate space for each longer list at its first entry, and write the
     * entries. */
    for (uint32_t offset = 0; offset < offsets; offset++) {
        uint32_t hash = gram_hash(bytes + offset, fold), *head = &tables->heads[hash >> down];

        if ((*head & SCAN_LIST) == 0)
            continue;
        if (*head >= COUNTED) {
            uint32_t count = *head - COUNTED;

            *head = scan_list(end, 0);
            end += count;
        }
        tables->entries[scan_list_first(*head) + scan_entry_offset(*head)] =
            scan_entry(offset, hash);
        ++*head; /* the low bits count the entries written so far */
    }
    TRAWL_ASSERT(end <= offsets);
}
