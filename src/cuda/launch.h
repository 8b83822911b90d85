/* launch: chooses a launch's kernel and grid, starts the kernel, and reads its answer. */
#ifndef TRAWL_CUDA_LAUNCH_H
#define TRAWL_CUDA_LAUNCH_H

#include "cuda/cuda_worker.h"

/* A range of a text in device memory. Kernels search for occurrences that begin in [begin, end). */
struct cuda_range {
    uint64_t address; /* device address of the text's first byte */
    uint64_t begin;
    uint64_t end;
    uint64_t text_end; /* the padding after it may be loaded, too */
};

/* Returns the end of those positions in the range at which a pattern can start, because at least
 * plan->length_min bytes of text are left; range->begin if there are none. */
uint64_t cuda_range_limit(const struct trawl_plan *plan, const struct cuda_range *range);

/* A launch: the kernel with its arguments, grid and result. */
struct cuda_launch {
    enum cuda_kernel kernel;
    union {
        struct scan_arguments scan; /* arguments that all kernels have */
        struct pattern_arguments pattern;
        struct set_arguments set;
        struct automaton_arguments automaton;
    } arguments;
    uint32_t blocks;
    uint32_t threads;      /* threads per block */
    uint32_t shared_bytes; /* dynamic shared memory per block */
    struct scan_result found;
};

/* Chooses the kernel (cuda_choose_kernel), the tiles and the grid for starts below `limit`, which
 * is > range->begin. */
void cuda_launch_prepare(const struct cuda_worker *worker, const struct cuda_range *range,
                         uint64_t limit, enum want want, struct cuda_launch *launch);
/* Runs the launch, and adds what the kernel finds to launch->found. If a stream kernel that counts
 * or finds the first occurrence has given up tiles with too many candidates, the tile kernel
 * (scan_planes) searches them. But if found.listed exceeds arguments.scan.listed_max, they stay
 * unsearched, and the caller must repeat the search. */
enum trawl_status cuda_launch_run(struct cuda_worker *worker, struct cuda_launch *launch,
                                  struct trawl_error *error);
/* Waits until is_there(context) says that a kernel's answer is in host memory. The driver would
 * notice the end of a short kernel late, so the host polls for a while before it waits with the
 * driver. */
enum trawl_status cuda_launch_wait(struct cuda_worker *worker,
                                   bool (*is_there)(const void *context), const void *context,
                                   struct trawl_error *error);

#endif
