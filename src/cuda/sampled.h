/* sampled: a device's tables for that method. */
#ifndef TRAWL_CUDA_SAMPLED_H
#define TRAWL_CUDA_SAMPLED_H

#include "cuda/kernels/scan.h"

#define CUDA_SAMPLED_LENGTH_MIN 31u /* 16 bytes at multiples of 16 */
/* Beyond, the bits no longer fit into shared memory, nor offsets into SCAN_ENTRY_OFFSET_BITS. */
#define CUDA_SAMPLED_STRIDE_MAX 16384u

/* Where the tables go; the bits are all clear. */
struct cuda_sampled_tables {
    uint32_t *heads, *entries, *words;
};

/* Stride and sizes for a pattern of `length` bytes; then the tables, of those sizes. */
void cuda_sampled_sizes(uint64_t length, struct scan_arguments *a);
void cuda_sampled_fill(const uint8_t *bytes, const struct scan_arguments *a,
                       const struct cuda_sampled_tables *tables);

#endif
