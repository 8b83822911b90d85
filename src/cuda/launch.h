/* launch: one launch: which kernel, in which shape; its start, and its answer. */
#ifndef TRAWL_CUDA_LAUNCH_H
#define TRAWL_CUDA_LAUNCH_H

#include "cuda/worker.h"

/* A range of begins of a text that is on the device. */
struct cuda_range {
    uint64_t address; /* of the text's byte 0 on the device */
    uint64_t begin;   /* begins [begin, end) are wanted */
    uint64_t end;
    uint64_t text_end; /* where the text, as far as it may be looked at, ends */
};

/* Offsets in a range are 32-bit. */
#define CUDA_RANGE_BYTES_MAX ((1ull << 32) - (1ull << 24))

/* The end of the begins that have room for the plan's shortest literal; range->begin: none has. */
uint64_t cuda_range_limit(const struct trawl_plan *plan, const struct cuda_range *range);

/* One launch: what to run, and what it found. */
struct cuda_launch {
    enum cuda_kernel kernel;
    struct scan_arguments arguments;
    uint32_t blocks;
    uint32_t threads;      /* per block */
    uint32_t shared_bytes; /* dynamic */
    uint64_t ahead_bytes;  /* of hits: these are copied to the landing buffer after the kernel */
    struct scan_result found;
};

/* After a launch for hits by samples, which found `count`, up to limits.sorted_max: put them in
 * order. Does not wait for it. */
enum trawl_status cuda_launch_sort(struct engine_worker *worker, struct cuda_launch *launch,
                                   uint64_t count, struct trawl_error *error);
/* Choose kernel and geometry; `limit` > range->begin. */
void cuda_launch_prepare(const struct engine_worker *worker, const struct cuda_tables *tables,
                         const struct cuda_range *range, uint64_t limit, enum want want,
                         struct cuda_launch *launch);
/* How many begins a scan for the plan's set takes at a time. */
uint64_t cuda_set_range_max(const struct engine_worker *worker, enum want want);
/* Begins that a launch of the worker's plan may have at most. */
uint64_t cuda_launch_begins_max(const struct engine_worker *worker, enum want want);
/* Run it, and over tiles that a stream gave up the method's tile kernel; what is found is added to
 * launch->found. */
enum trawl_status cuda_launch_run(struct engine_worker *worker, struct cuda_launch *launch,
                                  struct trawl_error *error);
/* Make its tiles as small as they can be. */
void cuda_launch_small_tiles(const struct engine_worker *worker, struct cuda_launch *launch);

#endif
