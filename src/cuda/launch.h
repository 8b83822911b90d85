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
/* Sums and answers for this many launches at a time, and the list that a stream's launch may need,
 * of so many bytes: before the first of them. */
enum trawl_status cuda_sums_reserve(struct engine_worker *worker, uint64_t count,
                                    struct trawl_error *error);
uint64_t cuda_list_bytes(const struct cuda_launch *launch);
enum trawl_status cuda_list_reserve(struct engine_worker *worker, const struct cuda_launch *launch,
                                    struct trawl_error *error);
/* Start it, with sums of its own; wait for it and add what it found to launch->found. Short ones
 * are over before the driver would notice, so for a while the host looks for the launch's number in
 * the answer. */
enum trawl_status cuda_launch_submit(struct engine_worker *worker, struct cuda_launch *launch,
                                     uint32_t slot, struct trawl_error *error);
enum trawl_status cuda_launch_wait(struct engine_worker *worker, struct cuda_launch *launch,
                                   uint32_t slot, struct trawl_error *error);

/* After that of a launch by itself: over the tiles that it gave up, if they are not too many, runs
 * the method's tile kernel. */
enum trawl_status cuda_launch_rest(struct engine_worker *worker, struct cuda_launch *launch,
                                   struct trawl_error *error);

/* All of that for one launch. */
enum trawl_status cuda_launch_run(struct engine_worker *worker, struct cuda_launch *launch,
                                  struct trawl_error *error);
/* Make its tiles as small as they can be. */
void cuda_launch_small_tiles(const struct engine_worker *worker, struct cuda_launch *launch);

#endif
