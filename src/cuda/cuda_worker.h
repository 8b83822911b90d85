/* cuda_worker: the buffers, streams and tables that a host thread has on a device
 *
 * A scan has three steps: the plan's tables (cuda_tables.h) and the text (chunk.h) are copied to
 * the device, a kernel runs (launch.h), and the hits come back (cuda_scan.h). Engines on top of the
 * CUDA engine use workers, too: they call cuda_scan_chunk with functions that start their own
 * kernels.
 */
#ifndef TRAWL_CUDA_CUDA_WORKER_H
#define TRAWL_CUDA_CUDA_WORKER_H

#include "cuda/device.h"
#include "cuda/kernels/scan.h"
#include "cuda/limits.h"
#include "cuda/cuda_tables.h"
#include "engine.h"
#include "plan/parts.h"

/* Which bytes of which chunk are in the worker's text memory. A scan that continues where the last
 * one stopped finds its bytes there. */
struct cuda_held {
    const uint8_t *bytes; /* NULL: the text memory holds no chunk */
    uint64_t begin;
    uint64_t from; /* the chunk's offset at which the memory begins */
    uint64_t end;  /* the chunk's offset at which the memory ends */
};

/* A worker's state for a part of a plan: the patterns of similar lengths (plan/parts.h). */
struct cuda_part {
    struct cuda_tables tables;
    /* what the part's search of the current range found; the room for hits is reused */
    struct engine_result found;
};

struct cuda_parts {
    const struct plan_parts *of; /* NULL: the worker's plan is searched whole, not in parts */
    uint64_t refused; /* serial number of the plan whose parts had no room in memory, or 0 */
    struct cuda_part part[PLAN_PARTS_MAX];
};

struct cuda_range;
struct cuda_hits_room;

/* the worker's state for answers */
struct cuda_answering {
    struct hits_answer *answer;  /* the current task's answer; NULL: the task wants hits */
    struct cuda_hits_room *room; /* form HITS: where begins go; NULL: hits go to the result */
    /* Adds the hits of a range that start below `limit` to the answer, or fewer if there are too
     * many for the lists: the answer then continues at *done. The range begins at offset `at` of
     * the chunk. */
    enum trawl_status (*add_range)(struct engine_worker *worker, const struct cuda_range *range,
                                   uint64_t limit, uint64_t at, struct engine_result *result,
                                   uint64_t *done, struct trawl_error *error);
    const struct engine_chunk *chunk;
    /* position of the chunk's first byte in the memory of the current range, modulo 2^64 */
    uint64_t chunk_at;
    bool has_lines;          /* answer->lines describes the ranges so far */
    struct cuda_memory sums; /* ANSWER_SUMS words, zeros between two kernels if sums_ready */
    bool sums_ready;         /* false: a failure may have left other values */
    struct cuda_pinned told; /* the host's copy of the sums, then two words for other copies */
    struct cuda_memory gaps, vast;
    struct cuda_memory counts;     /* a word for each pattern */
    struct cuda_pinned by_pattern; /* the counts, copied to the host */
    struct cuda_memory literals;   /* lengths, then patterns, of the literals */
    uint64_t literals_serial;      /* serial number of the plan with these literals; 0: none */
    const uint32_t *lengths, *patterns;
    struct cuda_memory automaton;    /* the table of the automaton for lines, then its ends */
    uint64_t automaton_serial;       /* serial number of its plan; 0: none */
    bool automaton_of_records;       /* false: of lines, which end at a newline */
    struct cuda_memory bits;         /* a bit for each record */
    struct cuda_memory values;       /* what will be copied to the caller's memory */
    struct cuda_memory block_counts; /* the counts of answer_cells */
};

struct engine_worker {
    struct engine *engine;
    struct cuda_device *device;
    uint32_t device_index;
    struct cuda_limits limits;
    struct cuda_stream *stream;
    /* the plan that is searched now, which may be a part of a set's plan, with its tables */
    const struct trawl_plan *plan;
    struct cuda_tables *tables;
    struct cuda_tables whole; /* the tables for plans that are searched whole, not in parts */
    const uint8_t *searched; /* the chunk's bytes in host memory, from which the method is chosen */
    uint64_t searched_bytes;
    struct cuda_memory text;
    /* a struct scan_result, which is all zeros between launches if sums_ready */
    struct cuda_memory sums;
    bool sums_ready;            /* false: a failure may have left other values in sums */
    struct cuda_pinned answers; /* struct scan_result: the result of the last launch */
    /* launches that this worker has started; the last one has this number */
    uint64_t launches;
    /* the words by which blocks order hits (kernels/order.h) */
    struct cuda_memory result;
    struct cuda_memory offsets; /* tiles or groups that a stream kernel gave up */
    /* two lists of hits, for sorting one into the other, and the counts of the sort */
    struct cuda_memory lists[2];
    struct cuda_memory digits;
    uint64_t lists_words; /* least room of the lists, since an earlier range had many hits */
    struct cuda_answering *answering; /* owned; NULL until an answer is wanted (cuda_answer.h) */
    struct cuda_memory hits;          /* struct hit */
    struct cuda_pinned staging[2];    /* filled by the host, then copied to the device */
    struct cuda_event *staged[2]; /* staged[i] is recorded after the last copy from staging[i] */
    uint32_t staging_turn;        /* the staging buffer that is filled next, 0 or 1 */
    /* true: the last copy was so long (PATIENT_BYTES) that the host thread sleeps until it and the
     * kernel after it are done; by polling, it would keep a core from other threads */
    bool patient;
    struct cuda_event *done;    /* the event for which a patient worker sleeps */
    struct cuda_pinned landing; /* hits on their way from the device to the host */
    bool landing_busy;          /* a copy to landing may still be running */
    struct cuda_held held;
    struct cuda_memory steps; /* in an idle worker, a table that records left (cuda_records.c) */
    uint64_t hits_room;       /* hits for which `hits` has room */
    /* the starts that a task lists, until the stream `copies` copies them to the caller's array */
    struct cuda_memory list;
    bool to_device;             /* that array is in a device's memory */
    struct cuda_stream *copies; /* copies `list`; NULL: not made yet */
    uint64_t list_end;          /* words of `list` that the last listing filled */
    /* pinned memory to which `list` is copied in pieces, on the way to the caller's array */
    struct cuda_pinned pieces;
    uint64_t piece_words; /* most words of a piece */
    /* brought[i] is recorded after piece i was copied; NULL: not made yet */
    struct cuda_event *brought[ENGINE_PIECES_MAX];
    /* this many more chunks go to the host without a scan, since one had too many candidates */
    uint32_t chunks_left;
    /* true: the host can search a chunk that has too many candidates and no automaton */
    bool may_leave;
    /* true: the current chunk has too many candidates, so the host searches it */
    bool leaves;
    struct cuda_parts *parts; /* owned; NULL until a plan has parts */
};

/* Returns true if the current task makes an answer from the hits (match/answer.h). */
static inline bool cuda_worker_answers(const struct engine_worker *worker)
{
    return worker->answering != NULL && worker->answering->answer != NULL;
}

/* Returns `bytes` rounded up to a multiple of limits.room_step_bytes. */
uint64_t cuda_worker_room(const struct engine_worker *worker, uint64_t bytes);

/* Sets *bytes to `count` bytes of host memory. The caller fills them, and the next call of
 * cuda_worker_upload copies them to the device. If they fit a staging buffer, they lie in the one
 * that this call uses. The caller must hand the memory back by cuda_worker_unstage. */
enum trawl_status cuda_worker_stage(struct engine_worker *worker, uint64_t count, void **bytes,
                                    struct trawl_error *error);
void cuda_worker_unstage(const struct engine_worker *worker, void *bytes, uint64_t count);
/* Copies `count` bytes of host memory to the device, through the two staging buffers in turn.
 * Returns before the copy is done; the caller may reuse the source at once. The device's context is
 * current. */
enum trawl_status cuda_worker_upload(struct engine_worker *worker, uint64_t address,
                                     const void *bytes, uint64_t count, struct trawl_error *error);
/* Like cuda_worker_upload, and writes SCAN_PADDING_BYTES zeros after the bytes. */
enum trawl_status cuda_worker_upload_text(struct engine_worker *worker, uint64_t address,
                                          const void *bytes, uint64_t count,
                                          struct trawl_error *error);
enum trawl_status cuda_worker_start(struct engine_worker *worker, struct trawl_error *error);
void cuda_worker_end(struct engine_worker *worker);
/* Frees the device memory of all parts' tables. The device's context is current. */
void cuda_worker_parts_release(struct engine_worker *worker);

/* Makes `plan` the worker's plan. Forgets the chunk in the text memory, and the tables if they
 * belong to another plan. */
void cuda_worker_take(struct engine_worker *worker, const struct trawl_plan *plan);

/* After a failure: waits for all copies from and to the worker's buffers, and marks its text,
 * tables and sums as invalid. The device's context is current. */
void cuda_worker_failed(struct engine_worker *worker);
/* Waits for copies that began at begin_ns (by cuda_clock_ns), and adds the time since then to
 * result->work.copy_ns. The device's context is current. */
enum trawl_status cuda_wait_copies(struct engine_worker *worker, uint64_t begin_ns,
                                   struct engine_result *result, struct trawl_error *error);

#endif
