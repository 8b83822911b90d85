/* worker: what one host thread has on a device, and the three steps of a scan: the plan's tables
 * and the text go there, a kernel runs, what it found comes back. Engines on top of this one use
 * workers too, with kernels of their own: cuda_scan_chunk.
 */
#ifndef TRAWL_CUDA_WORKER_H
#define TRAWL_CUDA_WORKER_H

#include <pthread.h>

#include "cuda/device.h"
#include "cuda/kernels/scan.h"
#include "cuda/limits.h"
#include "engine.h"

#define CUDA_DEVICES_MAX ENGINE_DEVICES_MAX
#define CUDA_RESIDENT_MAX 256u /* a split text counts as one for each part */

/* A text in host memory, or a part of it, that also lies on a device or that a device can read. */
struct cuda_resident {
    const uint8_t *bytes; /* NULL: free */
    uint64_t count;
    uint64_t owned;      /* what the part shares with the next one lies after these */
    const uint8_t *text; /* what was loaded */
    uint64_t text_count;
    uint32_t device_index;
    struct cuda_memory memory;
    uint64_t lent; /* not 0: the text is the caller's, at this address on the device */
    bool fetched;  /* then: the host can read `bytes`, too */
};

struct engine {
    struct cuda_driver driver;
    uint64_t memory_max;       /* of each device */
    pthread_mutex_t load_lock; /* one text is loaded at a time */
    pthread_mutex_t lock;      /* of everything below */
    uint32_t device_count;
    bool device_is_open[CUDA_DEVICES_MAX];
    struct cuda_device devices[CUDA_DEVICES_MAX];
    uint32_t workers_opened; /* ever: the next one takes the next device */
    uint32_t residents_end;  /* behind the last one that is not free */
    struct cuda_resident residents[CUDA_RESIDENT_MAX];
};

/* Of the plan's set: not yet needed, on the device, or too large. */
enum cuda_automaton { CUDA_AUTOMATON_NOT_ASKED, CUDA_AUTOMATON_READY, CUDA_AUTOMATON_NONE };

/* What the device side of a plan looks like: the parts of struct scan_arguments that do not depend
 * on the text. */
struct cuda_tables {
    bool ready; /* in the worker's memory, for the plan with the serial number */
    uint64_t plan_serial;
    enum cuda_kernel kernel;
    enum cuda_kernel count_kernel; /* where only counts are wanted; a stream, or kernel again */
    uint32_t dense_left;   /* scans for which streams are not tried: the last one was dense */
    uint32_t alike_max;    /* a set's literals that may occur at one begin, at most */
    struct scan_sets sets; /* stride 0: stream_set does not take the set */
    bool sets_ready;       /* its tables are there too */
    enum cuda_kernel sets_kernel;
    enum cuda_automaton automaton;
    struct cuda_memory memory;
    struct cuda_memory sets_memory, entries_memory;
    uint64_t entries; /* that the latter has room for */
    struct cuda_memory automaton_memory;
    struct scan_arguments arguments;
};

/* Which bytes of which chunk lie in the worker's text memory: a scan that goes on where the last
 * one stopped finds them there. */
struct cuda_held {
    const uint8_t *bytes; /* NULL: none */
    uint64_t begin;
    uint64_t from; /* the chunk's offset at which the memory begins */
    uint64_t end;  /* the chunk's offset at which it ends */
};

#define CUDA_OTHERS 3u

struct engine_worker {
    struct engine *engine;
    struct cuda_device *device;
    uint32_t device_index;
    struct cuda_limits limits;
    struct cuda_stream *stream;
    const struct trawl_plan *plan;
    struct cuda_tables tables;
    struct cuda_counts *counts;              /* that were begun; NULL: none yet */
    struct cuda_stream *others[CUDA_OTHERS]; /* for counts besides `stream`; NULL: not yet */
    struct cuda_memory text;
    struct cuda_memory sums;       /* struct scan_result: zeros between launches, */
    bool sums_ready;               /* unless something failed */
    struct cuda_pinned answers;    /* struct scan_result: what the last launch found */
    uint64_t launches;             /* so far; what they are numbered by */
    struct cuda_memory result;     /* the order's words */
    struct cuda_memory offsets;    /* the list of tiles */
    struct cuda_memory marks;      /* of a set: begins with an occurrence */
    struct cuda_memory hits;       /* struct hit */
    struct cuda_pinned staging[2]; /* on the way to the device */
    struct cuda_event *staged[2];  /* the last copy from that buffer */
    uint32_t staging_turn;         /* which of them is filled next */
    bool patient;            /* so much was copied that the wait for it leaves the core to others */
    struct cuda_event *done; /* what a patient wait is for */
    struct cuda_pinned landing;  /* on the way back */
    bool landing_busy;           /* a copy to it may still be running */
    struct cuda_event *timed[2]; /* around a kernel, if limits.kernels_timed */
    uint64_t kernel_ns;          /* of all kernels since it was set to 0 */
    struct cuda_held held;
    uint64_t hits_room;           /* of hits */
    struct cuda_memory lists[2];  /* begins that are being copied to the host, */
    struct cuda_stream *copies;   /* in this stream; NULL: not made yet */
    struct cuda_event *copied[2]; /* the last copy from that list */
    uint64_t lists_end;           /* of the first one's words, when it was listed last */
    struct cuda_pinned pieces;    /* of the first list, on the way to the caller's array, */
    uint64_t piece_words;         /* at most so many each */
    struct cuda_event *brought[ENGINE_PIECES_MAX]; /* it is there; NULL: not made yet */
    uint32_t chunks_left;                          /* to the host at once: the last one was dense */
    bool may_leave;                                /* dense ones, for want of an automaton; */
    bool leaves;                                   /* and that is so */
    uint64_t reach_bytes; /* begins a scan for hits may cover before it holds too many */
    bool lists_few;       /* the last one found few hits, of this plan */
};

struct cuda_range;

/* ---- worker.c ---- */

/* `bytes` rounded up to what the worker takes at a time. */
uint64_t cuda_worker_room(const struct engine_worker *worker, uint64_t bytes);

/* With the device entered: `bytes` of host memory to the device, through the staging buffers in
 * turn. Returns before the copy is done; the source may be reused at once. */
enum trawl_status cuda_worker_upload(struct engine_worker *worker, uint64_t address,
                                     const void *bytes, uint64_t count, struct trawl_error *error);
/* The same, and SCAN_PADDING_BYTES zeros after it. */
enum trawl_status cuda_worker_upload_text(struct engine_worker *worker, uint64_t address,
                                          const void *bytes, uint64_t count,
                                          struct trawl_error *error);
enum trawl_status cuda_worker_start(struct engine_worker *worker, struct trawl_error *error);
void cuda_worker_end(struct engine_worker *worker);

/* ---- engine_cuda.c ---- */

/* Take over a plan: what the worker holds of another one is forgotten where it must be. */
void cuda_worker_take(struct engine_worker *worker, const struct trawl_plan *plan);

/* engine_ops.worker_open_on, .worker_close and .locate. */
enum trawl_status cuda_worker_open_on(struct engine *engine, uint32_t index,
                                      struct engine_worker **worker, struct trawl_error *error);
void cuda_worker_close(struct engine_worker *worker);
bool cuda_residents_locate(struct engine *engine, const struct trawl_plan *plan,
                           const uint8_t *bytes, uint64_t count, struct engine_part *part);
/* engine_ops.lend and .fetch. */
enum trawl_status cuda_residents_lend(struct engine *engine, const uint8_t *bytes, uint64_t count,
                                      uint64_t address, struct trawl_error *error);
enum trawl_status cuda_residents_fetch(struct engine *engine, uint8_t *bytes, uint64_t count,
                                       struct trawl_error *error);
/* Are these bytes of a lent text? And can the host read them? */
bool cuda_residents_lent(struct engine *engine, const uint8_t *bytes, bool *fetched);
/* Where host bytes that were loaded lie on the worker's device: `bytes_at` beyond address. */
bool cuda_worker_resident(const struct engine_worker *worker, const uint8_t *bytes, uint64_t count,
                          uint64_t *address, uint64_t *bytes_at);

/* Begins that a launch of the worker's plan may have at most. */
uint64_t cuda_launch_begins_max(const struct engine_worker *worker, enum scan_want want);

/* ---- tables.c ---- */

/* UNSUPPORTED: the plan is not for a device. */
enum trawl_status cuda_tables_check(const struct trawl_plan *plan, struct trawl_error *error);
/* Those of worker->plan, on the device. */
enum trawl_status cuda_tables_build(struct engine_worker *worker, struct trawl_error *error);

/* overlap[d], d < overlap_count: how many bytes bytes[d...] share with bytes[0...]. */
void cuda_overlap(const uint8_t *bytes, uint32_t count, uint32_t *overlap, uint32_t overlap_count);

/* ---- plane.c ---- */

/* Words that a pattern's plane takes, a multiple of 4; 0: it is too long for one. */
uint64_t cuda_plane_words(uint64_t count);
/* Fill `plane`, zeroed but for its words' address, and its words, zeroed. It stays empty where
 * planes do not fit the pattern, or where memory for choosing is not to be had: duels need none. */
void cuda_plane_choose(const uint8_t *bytes, uint64_t pattern_bytes, bool fold,
                       const uint32_t *overlap, uint32_t *words, struct scan_plane *plane);

/* ---- sampled.c ---- */

/* Where the tables go; the bits are all clear. */
struct cuda_sampled_tables {
    uint32_t *heads, *next, *head_bits, *words;
};

/* Stride and sizes for a pattern of `length` bytes; then the tables, of those sizes. */
void cuda_sampled_sizes(uint64_t length, struct scan_arguments *a);
void cuda_sampled_fill(const uint8_t *bytes, const struct scan_arguments *a,
                       const struct cuda_sampled_tables *tables);

/* ---- sets.c ---- */

struct cuda_launch;

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

/* ---- automaton.c ---- */

/* Make the automaton of worker->plan on the device, unless that was done before. There is none if
 * it is too large for the device or the host. */
enum trawl_status cuda_automaton_want(struct engine_worker *worker, struct trawl_error *error);
/* Tiles of a launch with this many blocks. */
void cuda_automaton_prepare(const struct cuda_tables *tables, uint32_t blocks,
                            struct cuda_launch *launch);

/* ---- scan.c ---- */

/* A range of begins of a text that is on the device. */
struct cuda_range {
    uint64_t address; /* of the text's byte 0 on the device */
    uint64_t begin;   /* begins [begin, end) are wanted */
    uint64_t end;
    uint64_t text_end; /* where the text, as far as it may be looked at, ends */
};

/* The end of the begins that have room for the plan's shortest literal; range->begin: none has. */
uint64_t cuda_range_limit(const struct trawl_plan *plan, const struct cuda_range *range);

/* One launch: what to run, and what it found. */
struct cuda_launch {
    enum cuda_kernel kernel;
    struct scan_arguments arguments;
    uint32_t blocks;
    uint32_t threads;           /* per block */
    uint32_t shared_bytes;      /* dynamic */
    struct cuda_stream *stream; /* the worker's, unless replaced */
    uint64_t ahead_bytes; /* of hits: these are copied to the landing buffer after the kernel */
    struct scan_result found;
};

/* Choose kernel and geometry; `limit` > range->begin. */
void cuda_launch_prepare(const struct engine_worker *worker, const struct cuda_tables *tables,
                         const struct cuda_range *range, uint64_t limit, enum scan_want want,
                         struct cuda_launch *launch);
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

/* Room for hits on the device: words of 64 bits, and what the range's first begin is to be called
 * there. */
struct cuda_hits_room {
    uint64_t address;
    uint64_t count;
    uint64_t base;
    uint64_t literal; /* what the number of a set's literal is multiplied by and added */
    uint64_t ahead;   /* words that are copied to the landing buffer, which has room for them,
                         before their number is known */
};

/* List the range's hits below `limit` in order: the first room->count of *total. */
enum trawl_status cuda_list_hits(struct engine_worker *worker, const struct cuda_range *range,
                                 uint64_t limit, const struct cuda_hits_room *room, uint64_t *total,
                                 uint64_t *candidates, struct trawl_error *error);

/* Scan a range; hits, if wanted, are appended with offsets from `hits_base` on for range->begin.
 * *done: begins below it were looked at. */
enum trawl_status cuda_scan_range(struct engine_worker *worker, const struct cuda_range *range,
                                  enum scan_want want, uint64_t hits_base,
                                  struct engine_result *result, uint64_t *done,
                                  struct trawl_error *error);

/* How a chunk is searched, range by range, once its text is on the device. */
struct cuda_way {
    uint64_t text_bytes_max;  /* brought to the device at a time */
    uint64_t range_bytes_max; /* of begins */
    bool copies_timed; /* wait for the text's copies; add their time, and memory's, to the result */
    /* Optional: before the first range. May set the sizes. */
    enum trawl_status (*prepare)(struct engine_worker *worker, enum scan_want want,
                                 struct cuda_way *way, struct trawl_error *error);
    /* As cuda_scan_range. */
    enum trawl_status (*search)(struct engine_worker *worker, void *context,
                                const struct cuda_range *range, enum scan_want want,
                                uint64_t hits_base, struct engine_result *result, uint64_t *done,
                                struct trawl_error *error);
    void *context;
};
/* Offsets in a range are 32-bit. */
#define CUDA_RANGE_BYTES_MAX ((1ull << 32) - (1ull << 24))
/* How many begins a scan for the plan's set takes at a time. */
uint64_t cuda_set_range_max(const struct engine_worker *worker, enum scan_want want);

/* The engine's scan, from engine_result_begin on: copy the text, search it, drop the hits that the
 * plan's conditions or tails refuse. Enters the device. After a failure the worker holds nothing.
 */
enum trawl_status cuda_scan_chunk(struct engine_worker *worker, const struct engine_chunk *chunk,
                                  uint64_t from, enum engine_want want, struct cuda_way *way,
                                  struct engine_result *result, struct trawl_error *error);
/* With the device entered: wait for copies that began at begin_ns by cuda_clock_ns, and add their
 * time. */
enum trawl_status cuda_wait_copies(struct engine_worker *worker, uint64_t begin_ns,
                                   struct engine_result *result, struct trawl_error *error);
/* With the device entered, after a failure: copies may be running from the staging buffers, so
 * wait for them; nothing of the worker's state is trusted. */
void cuda_worker_failed(struct engine_worker *worker);

/* ---- begins.c ---- */

/* The engine's table says what they do; with the device entered. */
enum trawl_status cuda_begins(struct engine_worker *worker, struct engine_begins *begins,
                              struct trawl_error *error);
enum trawl_status cuda_list(struct engine_worker *worker, struct engine_list *list,
                            struct trawl_error *error);
enum trawl_status cuda_list_bring(struct engine_worker *worker, uint64_t at, uint64_t count,
                                  uint32_t piece, uint64_t *host, struct trawl_error *error);
bool cuda_is_pinned(const struct engine_worker *worker, const void *bytes, uint64_t count);
enum trawl_status cuda_list_piece(const struct engine_worker *worker, uint32_t piece,
                                  const uint64_t **words, struct trawl_error *error);
void cuda_begins_end(struct engine_worker *worker);

/* ---- counts.c ---- */

/* The engine's table says what they do; with the device entered. */
bool cuda_count_begin(struct engine_worker *worker, const struct engine_chunk *chunk);
bool cuda_count_end(struct engine_worker *worker, uint64_t *count, uint64_t *candidate_count);
/* Their streams, and what lies in the host's memory. */
void cuda_counts_end(struct engine_worker *worker);
void cuda_counts_free(struct engine_worker *worker);

#endif
