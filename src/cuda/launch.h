/* launch: chooses a launch's kernel and grid, starts the kernel, and reads its answer. */
#ifndef TRAWL_CUDA_LAUNCH_H
#define TRAWL_CUDA_LAUNCH_H

#include "cuda/cuda_worker.h"

/* A range of a text in device memory. */
struct cuda_range {
    uint64_t address; /* device address of the text's byte 0 */
    uint64_t begin;   /* occurrences that begin in [begin, end) are wanted */
    uint64_t end;
    uint64_t text_end; /* kernels may load the padding after it */
};

/* Returns the end of the range's positions where a pattern can start: plan->length_min or more
 * bytes of the text are left there; range->begin if there is none. */
uint64_t cuda_range_limit(const struct trawl_plan *plan, const struct cuda_range *range);

/* a launch: the kernel with its arguments, grid and result */
struct cuda_launch {
    enum cuda_kernel kernel;
    struct scan_arguments arguments;
    uint32_t blocks;
    uint32_t threads;      /* threads of a block */
    uint32_t shared_bytes; /* dynamic shared memory of a block */
    /* bytes of hits that are copied to the landing buffer right after the kernel */
    uint64_t ahead_bytes;
    struct scan_result found;
};

/* Returns true if the launch, a count, can also append its hits to a list, in any order. */
bool cuda_launch_may_append(const struct cuda_launch *launch);
/* Chooses the kernel, the tiles and the grid; `limit` > range->begin. */
void cuda_launch_prepare(const struct engine_worker *worker, const struct cuda_tables *tables,
                         const struct cuda_range *range, uint64_t limit, enum want want,
                         struct cuda_launch *launch);
/* Returns the kernel that searches a long range for the worker's plan. */
enum cuda_kernel cuda_launch_kernel(const struct engine_worker *worker, enum want want);
/* Returns how many positions one launch for the plan's set searches at most. */
uint64_t cuda_set_range_max(const struct engine_worker *worker, enum want want);
/* Returns how many positions one launch for the worker's plan searches at most. */
uint64_t cuda_launch_begins_max(const struct engine_worker *worker, enum want want);
/* Runs the launch, and adds what the kernel finds to launch->found. If a stream kernel that counts
 * or finds the first occurrence gave up tiles with too many candidates, the tile kernel
 * (scan_every) then searches these. But if found.listed exceeds arguments.listed_max, they stay
 * unsearched, and the caller repeats the search. */
enum trawl_status cuda_launch_run(struct engine_worker *worker, struct cuda_launch *launch,
                                  struct trawl_error *error);
/* Waits until is_there(context) says that a kernel's answer is in host memory. A short kernel ends
 * before the driver would notice, so the host polls for a while, and then waits by the driver. */
enum trawl_status cuda_launch_wait(struct engine_worker *worker,
                                   bool (*is_there)(const void *context), const void *context,
                                   struct trawl_error *error);
/* Gives the launch the smallest possible tiles. */
void cuda_launch_small_tiles(const struct engine_worker *worker, struct cuda_launch *launch);

#endif
