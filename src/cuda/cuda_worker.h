/* cuda_worker: the streams, buffers and tables that one host thread has on a device
 *
 * A scan has three steps: copy the plan's tables (cuda_tables.h) and the text (chunk.h) to the
 * device, run a kernel (launch.h), and copy the hits back (cuda_scan.h). Engines built on the CUDA
 * engine use workers, too: they call cuda_scan_chunk with functions that start their own kernels.
 */
#ifndef TRAWL_CUDA_CUDA_WORKER_H
#define TRAWL_CUDA_CUDA_WORKER_H

#include "cuda/device.h"
#include "cuda/kernels/scan.h"
#include "cuda/limits.h"
#include "cuda/cuda_tables.h"
#include "engine.h"
#include "match/line_automaton.h"
#include "plan/parts.h"

/* Which bytes of which chunk are in the worker's text memory, so that a scan that continues where
 * the last one stopped need not copy them again. */
struct cuda_held_text {
    const uint8_t *bytes; /* NULL: none */
    uint64_t begin;
    uint64_t from; /* the memory contains the chunk's bytes [from, end) */
    uint64_t end;
};

/* A worker's state for one part of a plan, the patterns of similar lengths (plan/parts.h). */
struct cuda_part {
    struct cuda_tables tables;
    /* what was found for the part in the current range; the memory for hits is reused */
    struct engine_result found;
};

struct cuda_parts {
    const struct plan_parts *of; /* NULL: the worker's plan is searched whole */
    uint64_t refused; /* serial number of the plan for whose parts there was no memory, or 0 */
    struct cuda_part part[PLAN_PARTS_MAX];
};

struct cuda_range;
struct cuda_hits_room;

/* A worker's state for answers. */
struct cuda_answering {
    struct hits_answer *answer; /* the current task's answer; NULL: the task wants hits */
    struct cuda_hits_room
        *room; /* form HITS: where start offsets go; NULL: hits go to the result */
    /* Adds the range's hits that start below `limit` to the answer. If there are too many for the
     * lists, adds fewer, and the caller must continue at *done. The range begins at offset `at` of
     * the chunk. */
    enum trawl_status (*add_range)(struct cuda_worker *worker, const struct cuda_range *range,
                                   uint64_t limit, uint64_t at, struct engine_result *result,
                                   uint64_t *done, struct trawl_error *error);
    /* where the chunk's first byte would be in the current range's memory, modulo 2^64 */
    uint64_t chunk_at;
    bool has_lines; /* answer->lines covers the ranges so far */
    /* Offset in the chunk up to which lines were searched for matches before the range that begins
     * at found_at, and after it. */
    uint64_t found_at, found_before, found_upto;
    struct cuda_memory sums; /* ANSWER_SUMS words, which are zero between kernels if sums_ready */
    bool sums_ready;         /* false: not zeroed yet, or non-zero after a failure */
    struct cuda_pinned told; /* host copy of the sums, and two words for other copies */
    struct cuda_memory gaps, vast;
    struct cuda_memory counts;     /* one word per pattern */
    struct cuda_pinned by_pattern; /* host copy of the counts */
    struct cuda_memory literals;   /* the literals' lengths, then their patterns */
    uint64_t literals_serial;      /* serial number of these literals' plan; 0: none */
    const uint32_t *lengths, *patterns;
    /* the tables of the plan's line_reader: of `automata`, and of `around` */
    struct cuda_memory automaton, anchors;
    uint64_t automaton_serial; /* serial number of its plan; 0: none */
    bool automaton_of_records; /* they are for records; false: for lines, which end at a newline */
    struct cuda_memory bits;   /* one bit per record */
    struct cuda_memory values; /* what will be copied to the caller */
    void *columns[RECORD_COLUMNS];   /* columns of an answer about records, on the device */
    struct cuda_memory block_counts; /* the counts of answer_cells */
    struct cuda_memory rewriting;    /* the entries, sums and values of cuda_rewrite.c */
};

#define CUDA_SHARES 64u

/* What the worker has copied of a text's ranges to its text memory (cuda_pages.c). */
struct cuda_gathered {
    struct cuda_pinned pieces; /* struct pages_piece */
    uint64_t count;
    uint64_t chunk_at;  /* offset of the chunk's first byte in the loaded text */
    uint64_t serial;    /* serial number of the plan for which `separator` was chosen */
    uint32_t separator; /* a byte that no literal has; 256: there is none */
};

struct cuda_worker {
    struct cuda_engine *engine;
    struct cuda_device *device;
    uint32_t device_index;
    struct cuda_limits limits;
    struct cuda_stream *stream;
    /* the current plan, which may be a part of a set's plan, and its tables */
    const struct trawl_plan *plan;
    struct cuda_tables *tables;
    struct cuda_tables whole;         /* the tables of a plan that is searched whole */
    const struct engine_chunk *chunk; /* the current one */
    struct cuda_memory text;
    /* a struct scan_result, which is zero between launches if sums_ready */
    struct cuda_memory sums;
    bool sums_ready;            /* false: sums may be non-zero after a failure */
    struct cuda_pinned answers; /* struct scan_result of the last launch */
    /* number of launches so far, which is also the number of the last one */
    uint64_t launches;
    struct cuda_memory offsets; /* the tiles or groups that a stream kernel gave up */
    /* two lists of hits, to sort one into the other, and the sort's counts */
    struct cuda_memory lists[2];
    struct cuda_memory digits;
    struct cuda_memory bins, bin_counts;
    struct cuda_answering *answering; /* owned; NULL until an answer is wanted (cuda_answer.h) */
    struct cuda_memory hits;          /* struct hit */
    struct cuda_pinned staging[2];    /* filled by the host, then copied to the device */
    struct cuda_event *staged[2]; /* staged[i] is recorded after the last copy from staging[i] */
    uint32_t staging_turn;        /* the staging buffer to fill next, 0 or 1 */
    /* the last copy was so long (PATIENT_BYTES) that the host thread sleeps until the copy and the
     * kernel after it are done, instead of polling, which would keep a core from other threads */
    bool patient;
    struct cuda_event *done;    /* for which a patient worker sleeps */
    struct cuda_pinned landing; /* the landing buffer: hits on their way to the host */
    struct cuda_held_text held;
    struct cuda_gathered gathered;
    struct cuda_pinned asked; /* a question to a filter, and the answer (cuda_pages.c) */
    struct cuda_memory steps; /* memory that records have left to an idle worker (cuda_records.c) */
    uint64_t hits_room;       /* how many hits fit into `hits` */
    struct cuda_memory list;  /* start offsets on their way to the caller's array (cuda_begins.c) */
    /* hits per position of the last plans, by serial number modulo CUDA_SHARES */
    struct {
        uint64_t serial;
        double share;
    } shares[CUDA_SHARES];
    /* number of further chunks that are left to the host without a scan, because one had too many
     * candidates */
    uint32_t chunks_left;
    /* if a chunk has too many candidates, and there is no automaton, the host may search it */
    bool may_leave;
    /* the current chunk is such a chunk: leave it to the host */
    bool leaves;
    struct cuda_parts *parts; /* owned; NULL until a plan has parts */
};

/* Returns true if the plan's hits only lead to lines, in which a device finds the matches of
 * expressions. */
static inline bool cuda_plan_finds(const struct trawl_plan *plan)
{
    return plan->line_reader != NULL && plan->line_reader->finds;
}

/* Returns true if some expressions of the plan have strings, and others need all lines. */
static inline bool cuda_plan_is_mixed(const struct trawl_plan *plan)
{
    return plan->line_reader != NULL && plan->line_reader->first != NULL &&
           plan->line_reader->read_count > 0;
}

/* Returns the number of patterns or, for such a plan, of expressions. */
static inline uint64_t cuda_plan_patterns(const struct trawl_plan *plan)
{
    return cuda_plan_finds(plan) ? plan->line_reader->count : plan->pattern_count;
}

/* Returns true if the current task wants an answer computed from the hits (match/answer.h). */
static inline bool cuda_worker_answers(const struct cuda_worker *worker)
{
    return worker->answering != NULL && worker->answering->answer != NULL;
}

/* Returns how many of the current chunk's bytes are searched: all, or what a filter has left. */
uint64_t cuda_worker_left(const struct cuda_worker *worker);
/* Returns `bytes` rounded up to a multiple of limits.room_step_bytes. */
uint64_t cuda_worker_room(const struct cuda_worker *worker, uint64_t bytes);
/* cuda_memory_reserve for so many bytes, rounded up by cuda_worker_room. */
enum trawl_status cuda_worker_reserve(const struct cuda_worker *worker, struct cuda_memory *memory,
                                      uint64_t bytes, struct trawl_error *error);
/* Starts a kernel of the CUDA engine in the worker's stream. */
enum trawl_status cuda_worker_launch(const struct cuda_worker *worker, enum cuda_kernel kernel,
                                     uint64_t blocks, uint32_t threads, uint32_t shared_bytes,
                                     void *arguments, struct trawl_error *error);

/* Sets *bytes to `count` bytes of host memory, which the caller fills, copies to the device with
 * the next cuda_worker_upload, and returns with cuda_worker_unstage. If they fit into a staging
 * buffer, they are in the one that cuda_worker_upload will use next, which saves a copy. */
enum trawl_status cuda_worker_stage(struct cuda_worker *worker, uint64_t count, void **bytes,
                                    struct trawl_error *error);
void cuda_worker_unstage(const struct cuda_worker *worker, void *bytes, uint64_t count);
/* Copies `count` bytes of host memory to the device, through the two staging buffers in turn.
 * Returns before the copy is done, but the caller may reuse the source immediately. The device's
 * context is current. */
enum trawl_status cuda_worker_upload(struct cuda_worker *worker, uint64_t address,
                                     const void *bytes, uint64_t count, struct trawl_error *error);
/* Like cuda_worker_upload, but appends SCAN_PADDING_BYTES zeros. */
enum trawl_status cuda_worker_upload_text(struct cuda_worker *worker, uint64_t address,
                                          const void *bytes, uint64_t count,
                                          struct trawl_error *error);
enum trawl_status cuda_worker_start(struct cuda_worker *worker, struct trawl_error *error);
void cuda_worker_end(struct cuda_worker *worker);
/* Frees the device memory of the tables of all parts. The device's context is current. */
void cuda_worker_parts_release(struct cuda_worker *worker);

/* Makes `plan` the worker's plan. Forgets the chunk in the text memory, and the tables of any other
 * plan. */
void cuda_worker_set_plan(struct cuda_worker *worker, const struct trawl_plan *plan);

/* Called after a failure: waits for all copies from and to the worker's buffers, and marks its
 * text, tables and sums as invalid. The device's context is current. */
void cuda_worker_failed(struct cuda_worker *worker);
/* Waits for copies that began at begin_ns (on cuda_clock_ns), and adds the time since then to
 * result->work.copy_ns. The device's context is current. */
enum trawl_status cuda_wait_copies(struct cuda_worker *worker, uint64_t begin_ns,
                                   struct engine_result *result, struct trawl_error *error);

#endif
