/* sets: tables of stream_set, and the shape of its launches. */
#ifndef TRAWL_CUDA_SETS_H
#define TRAWL_CUDA_SETS_H

#include "cuda/launch.h"
#include "cuda/worker.h"

/* How stream_set looks at a text for the plan's set: tables->sets, which is zeroed. */
void cuda_sets_choose(const struct engine_worker *worker, const struct trawl_plan *plan,
                      struct cuda_tables *tables);
/* scan_sets.rarity, 256 words. */
void cuda_sets_rarity(const struct trawl_plan *plan, const struct scan_sets *sets,
                      uint32_t *rarity);
/* Its tables on the device, from the literals that are there or being copied. */
enum trawl_status cuda_sets_build(struct engine_worker *worker, struct trawl_error *error);
/* Tiles and threads of a launch with this many blocks. */
void cuda_sets_prepare(const struct engine_worker *worker, uint32_t blocks,
                       struct cuda_launch *launch);

#endif
