/* worker: what one host thread has on a device.
 *
 * The three steps of a scan: the plan's tables (tables.h) and the text (chunk.h) go there, a kernel
 * runs (launch.h), what it found comes back (scan.h). Engines on top of this one use workers too,
 * with kernels of their own: cuda_scan_chunk.
 */
#ifndef TRAWL_CUDA_WORKER_H
#define TRAWL_CUDA_WORKER_H

#include "cuda/device.h"
#include "cuda/kernels/scan.h"
#include "cuda/limits.h"
#include "cuda/tables.h"
#include "engine.h"
#include "plan/parts.h"

/* Which bytes of which chunk lie in the worker's text memory: a scan that goes on where the last
 * one stopped finds them there. */
struct cuda_held {
    const uint8_t *bytes; /* NULL: none */
    uint64_t begin;
    uint64_t from; /* the chunk's offset at which the memory begins */
    uint64_t end;  /* the chunk's offset at which it ends */
};

/* What a worker has of one part of a plan, in place of its own members of these names while the
 * part is searched for (parts.c). */
struct cuda_part {
    struct cuda_tables tables;
    uint64_t reach_bytes;
    bool lists_few;
    struct engine_result found; /* in the range that is searched; its room for hits stays */
};

struct cuda_parts {
    const struct plan_parts *of; /* NULL: the worker's plan is searched whole */
    struct cuda_part part[PLAN_PARTS_MAX];
};

struct engine_worker {
    struct engine *engine;
    struct cuda_device *device;
    uint32_t device_index;
    struct cuda_limits limits;
    struct cuda_stream *stream;
    const struct trawl_plan *plan;
    struct cuda_tables tables;
    const uint8_t *searched; /* the chunk's text: tables are made for it */
    uint64_t searched_bytes;
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
    uint64_t hits_room;         /* of hits */
    struct cuda_memory list;    /* begins that are copied to the host, */
    struct cuda_stream *copies; /* in this stream; NULL: not made yet */
    uint64_t list_end;          /* of its words, when it was listed last */
    struct cuda_pinned pieces;  /* of the list, on the way to the caller's array, */
    uint64_t piece_words;       /* at most so many each */
    struct cuda_event *brought[ENGINE_PIECES_MAX]; /* it is there; NULL: not made yet */
    uint32_t chunks_left;                          /* to the host at once: the last one was dense */
    bool may_leave;                                /* dense ones, for want of an automaton; */
    bool leaves;                                   /* and that is so */
    uint64_t reach_bytes;     /* begins a scan for hits may cover before it holds too many */
    bool lists_few;           /* the last one found few hits, of this plan */
    struct cuda_parts *parts; /* owned; NULL until a plan has parts */
};

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

/* Take over a plan: what the worker holds of another one is forgotten where it must be. */
void cuda_worker_take(struct engine_worker *worker, const struct trawl_plan *plan);

/* With the device entered, after a failure: copies may be running from the staging buffers, so
 * wait for them; nothing of the worker's state is trusted. */
void cuda_worker_failed(struct engine_worker *worker);
/* With the device entered: wait for copies that began at begin_ns by cuda_clock_ns, and add their
 * time. */
enum trawl_status cuda_wait_copies(struct engine_worker *worker, uint64_t begin_ns,
                                   struct engine_result *result, struct trawl_error *error);

#endif
