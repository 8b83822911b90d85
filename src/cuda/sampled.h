/* sampled: tables of method sampled. */
#ifndef TRAWL_CUDA_SAMPLED_H
#define TRAWL_CUDA_SAMPLED_H

#include "cuda/kernels/scan.h"

/* Where the tables go; the bits are all clear. */
struct cuda_sampled_tables {
    uint32_t *heads, *next, *head_bits, *words;
};

/* Stride and sizes for a pattern of `length` bytes; then the tables, of those sizes. */
void cuda_sampled_sizes(uint64_t length, struct scan_arguments *a);
void cuda_sampled_fill(const uint8_t *bytes, const struct scan_arguments *a,
                       const struct cuda_sampled_tables *tables);

#endif
