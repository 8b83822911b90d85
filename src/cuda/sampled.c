/* sampled: the tables of method sampled as the kernels read them.
 *
 * They differ from the plan's, which are for the CPU. A device hashes 16 bytes where the CPU hashes
 * 8: they lie in the same sector, and 8 bytes of English match too many offsets by chance. The
 * stride may be longer, because the bits that rule out nearly every sample are loaded once per
 * block.
 */
#include "cuda/sampled.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

#define PAIR_GAIN_MIN 64u /* pairs pay if they save one sample in this many */
#define WORDS_LOG2_MIN 10u

/* At least this many times `count`, as a power of two. */
static uint32_t log2_above(uint64_t count)
{
    return 64u - (uint32_t)__builtin_clzll(count);
}

void cuda_sampled_sizes(uint64_t length, struct scan_arguments *a)
{
    uint64_t single = min_u64(length + 1 - SCAN_SAMPLE_BYTES, CUDA_SAMPLED_STRIDE_MAX);
    uint64_t pair = min_u64(length + 1, CUDA_SAMPLED_STRIDE_MAX);

    TRAWL_ASSERT(length >= CUDA_SAMPLED_LENGTH_MIN);
    single -= single % SCAN_SAMPLE_BYTES;
    pair -= pair % (2 * SCAN_SAMPLE_BYTES);
    a->sample_pair = pair > single + single / PAIR_GAIN_MIN;
    a->stride = (uint32_t)(a->sample_pair != 0 ? pair : single);
    TRAWL_ASSERT(a->stride > 0 && a->stride <= CUDA_SAMPLED_STRIDE_MAX);
    a->hash_bits = 1 + log2_above(a->stride); /* two to four heads per gram */
    a->sample_words_log2 = (uint32_t)min_u64(max_u64(1 + log2_above(a->stride), WORDS_LOG2_MIN),
                                             SCAN_SAMPLE_WORDS_MAX);
}

void cuda_sampled_fill(const uint8_t *bytes, const struct scan_arguments *a,
                       const struct cuda_sampled_tables *tables)
{
    uint32_t fold = a->sample_fold;

    memset(tables->heads, 0xff, sizeof *tables->heads << a->hash_bits);
    for (uint32_t offset = 0; offset < scan_sample_reach(0, a->stride, a->sample_pair); offset++) {
        /* each push makes a chain descend */
        uint32_t gram[SCAN_SAMPLE_BYTES / 4], hash, *head;

        memcpy(gram, bytes + offset, sizeof gram);
        hash = scan_sample_hash(gram[0] | fold, gram[1] | fold, gram[2] | fold, gram[3] | fold);
        head = &tables->heads[hash >> (32 - a->hash_bits)];
        TRAWL_ASSERT(offset < a->stride && offset >> SCAN_ENTRY_OFFSET_BITS == 0);
        tables->next[offset] = *head;
        *head = scan_entry(offset, hash);
        tables->words[hash >> (32 - a->sample_words_log2)] |=
            1u << (hash & 31) | 1u << (hash >> 5 & 31);
    }
}
