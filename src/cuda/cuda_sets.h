/* cuda_sets: builds the tables with which the kernel stream_set searches for a set of patterns, and
 * chooses the sizes of its launches.
 *
 * Sets of patterns of at least 4 bytes are sampled (kernels/stream_set.cu). Taking the gram with
 * the least hash among several neighbours (winnowing) needs fewer entries of the tables: 1,000,000
 * patterns of 80 bytes are counted at 0.83 instead of 0.42 of the speed at which an H200 only
 * reads.
 *
 * Lookups bound searches for large sets. An H200 does 160 billion lookups/s of 4 bytes in L2
 * (tables up to 24 MiB), and reading a byte of text costs L2 as much as 1/32 of a lookup. With a
 * lookup at every s-th byte, this limits searches to 570 GB/s (0.14) for s = 4, and 1,024 GB/s
 * (0.25) for s = 8. 1,000,000 strings of 16 bases (s = 4) are counted at 0.063, and strings of 24
 * bases (s = 8) at 0.21.
 */
#ifndef TRAWL_CUDA_CUDA_SETS_H
#define TRAWL_CUDA_CUDA_SETS_H

#include "cuda/launch.h"
#include "cuda/cuda_worker.h"

/* Returns how many words of the text a gram of this length lies in, once it is aligned. */
static inline uint32_t cuda_sets_gram_words(uint32_t gram_bytes)
{
    return gram_bytes <= 8 ? 2 : 4;
}

/* Chooses how stream_set searches for the plan's set: fills tables->sets, which the caller has
 * zeroed, sets_kernel and sets_price, and sets has_sets. Changes nothing if stream_set cannot
 * search for the set. */
void cuda_sets_choose(const struct cuda_worker *worker, const struct trawl_plan *plan,
                      struct cuda_tables *tables);
/* Sets the members of *sets that follow from those that cuda_sets_choose has chosen. */
void cuda_sets_derive(const struct cuda_worker *worker, const struct trawl_plan *plan,
                      struct scan_sets *sets);
/* Writes how rare each byte value is expected to be: the 256 words of scan_sets.rarity. */
void cuda_sets_rarity(const struct trawl_plan *plan, const struct scan_sets *sets,
                      uint32_t *rarity);
/* Builds the tables on the device, from the literals, which are there already or being copied. */
enum trawl_status cuda_sets_build(struct cuda_worker *worker, struct trawl_error *error);
/* Chooses the threads, the tiles and the budget of a launch of `blocks` blocks. */
void cuda_sets_prepare(const struct cuda_worker *worker, uint32_t blocks,
                       struct cuda_launch *launch);

#endif
