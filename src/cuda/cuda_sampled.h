/* cuda_sampled: builds a device's tables for the "sampled" method, which reads 16 bytes of the text
 * at each multiple of a stride. */
#ifndef TRAWL_CUDA_CUDA_SAMPLED_H
#define TRAWL_CUDA_CUDA_SAMPLED_H

#include "cuda/kernels/scan.h"

#define CUDA_SAMPLED_LENGTH_MIN \
    31u /* enough for 16 bytes at a multiple of 16, wherever an occurrence begins */
/* The longest stride. With a longer one, more grams of the pattern would be in the bitmap, whose
 * size is limited by shared memory, so more samples would pass. Also, an offset in the pattern must
 * fit into SCAN_ENTRY_OFFSET_BITS bits. */
#define CUDA_SAMPLED_STRIDE_MAX 16384u

/* Where cuda_sampled_fill writes its tables: `heads` and `entries` are, for each hash value, the
 * list of offsets of the pattern's sampled grams; `words` is a bitmap of these grams, which the
 * caller has zeroed. */
struct cuda_sampled_tables {
    uint32_t *heads, *entries, *words;
};

/* cuda_sampled_sizes chooses the stride and the tables' sizes for a pattern of `length` bytes.
 * cuda_sampled_fill writes the tables. */
void cuda_sampled_sizes(uint64_t length, struct pattern_arguments *a);
void cuda_sampled_fill(const uint8_t *bytes, const struct pattern_arguments *a,
                       const struct cuda_sampled_tables *tables);

#endif
