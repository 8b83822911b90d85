/* cuda_sets: makes the tables by which the kernel stream_set searches for a set of patterns, and
 * chooses the sizes of the kernel's launches. */
#ifndef TRAWL_CUDA_CUDA_SETS_H
#define TRAWL_CUDA_CUDA_SETS_H

#include "cuda/launch.h"
#include "cuda/cuda_worker.h"

/* Chooses how stream_set searches for the plan's set, and fills tables->sets and the kernel. The
 * caller has zeroed tables->sets; sets.stride stays 0 if stream_set cannot search for the set. */
void cuda_sets_choose(const struct engine_worker *worker, const struct trawl_plan *plan,
                      struct cuda_tables *tables);
/* Writes how rare each byte value is expected to be: the 256 words of scan_sets.rarity. */
void cuda_sets_rarity(const struct trawl_plan *plan, const struct scan_sets *sets,
                      uint32_t *rarity);
/* Makes the tables on the device, from the literals, which are on the device or being copied. */
enum trawl_status cuda_sets_build(struct engine_worker *worker, struct trawl_error *error);
/* Chooses the tiles and the threads of a launch of `blocks` blocks. */
void cuda_sets_prepare(const struct engine_worker *worker, uint32_t blocks,
                       struct cuda_launch *launch);

#endif
