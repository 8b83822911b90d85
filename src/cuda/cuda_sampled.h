/* cuda_sampled: makes a device's tables for the method "sampled", which reads 16 bytes of the text
 * at each multiple of a stride. */
#ifndef TRAWL_CUDA_CUDA_SAMPLED_H
#define TRAWL_CUDA_CUDA_SAMPLED_H

#include "cuda/kernels/scan.h"

#define CUDA_SAMPLED_LENGTH_MIN 31u /* then each occurrence has 16 bytes at a multiple of 16 */
/* The longest stride. A longer one would give the pattern more grams, so more samples would pass
 * the bitmap, whose size is bounded by shared memory. Besides, an offset in the pattern must fit in
 * SCAN_ENTRY_OFFSET_BITS bits. */
#define CUDA_SAMPLED_STRIDE_MAX 16384u

/* The memory of the three tables that cuda_sampled_fill writes: heads and entries give the offsets
 * of each gram of the pattern, words is a bitmap of the grams. The caller zeroes `words`. */
struct cuda_sampled_tables {
    uint32_t *heads, *entries, *words;
};

/* cuda_sampled_sizes chooses the stride and the tables' sizes for a pattern of `length` bytes.
 * cuda_sampled_fill writes the tables. */
void cuda_sampled_sizes(uint64_t length, struct scan_arguments *a);
void cuda_sampled_fill(const uint8_t *bytes, const struct scan_arguments *a,
                       const struct cuda_sampled_tables *tables);

#endif
