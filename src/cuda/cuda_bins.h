/* cuda_bins: lists hits in order by appending them to bins (kernels/bins.cu). */
#ifndef TRAWL_CUDA_CUDA_BINS_H
#define TRAWL_CUDA_CUDA_BINS_H

#include "cuda/cuda_scan.h"

/* Returns the share of positions with a hit for which bins are chosen next. */
double cuda_bins_share(const struct cuda_worker *worker);
/* Gives a launch that lists hits in `room` bins for its range. Errors: MEMORY. */
enum trawl_status cuda_bins_begin(struct cuda_worker *worker, const struct cuda_hits_room *room,
                                  struct cuda_launch *launch, struct trawl_error *error);
/* Moves the launch's hits to `room`, in order, or to the worker's first list, which has room for
 * room->count. The launch found fewer than 2^32. Sets *fits to false if some bin had no room for
 * all of its hits; what was moved is then undefined. The kernels may still run. */
enum trawl_status cuda_bins_take(struct cuda_worker *worker, const struct cuda_launch *launch,
                                 const struct cuda_hits_room *room, bool *fits,
                                 struct trawl_error *error);

#endif
