/* engine: the one table that every engine fills in whole.
 *
 * A runtime opens an engine. Each thread that searches with it has a worker of it, and gives it
 * tasks. A scan is over when submit returns; several workers per device overlap copy and search.
 * Nothing above this table knows which engine runs.
 */
#ifndef TRAWL_ENGINE_H
#define TRAWL_ENGINE_H

#include "base/status.h"
#include "match/hits.h"
#include "match/records.h"
#include "plan/plan.h"
#include "want.h"

struct engine; /* each engine's own */
struct engine_worker;

/* One chunk of the text. Bytes [-before, owned + after) around `bytes` are text; the plan's
 * need_before and need_after are met except at the text's borders. Bytes up to owned + readable
 * (readable >= after) may be loaded, beyond `after` they mean nothing. */
struct engine_chunk {
    const uint8_t *bytes;
    uint64_t begin; /* text offset of bytes[0] */
    uint64_t owned; /* occurrences beginning in [0, owned) are this chunk's; < 2^32, but for counts
                       of loaded bytes that need no hits (plan_counts_alone) */
    uint64_t before;
    uint64_t after;
    uint64_t readable;
    /* SPANS: true: the spans before the chunk are known, and the last one ends at spans_end, or
     * before the chunk where that is 0. */
    bool spans_known;
    uint64_t spans_end;
    bool pinned;      /* all of it lies in memory that engine_ops.pin was given */
    bool may_be_left; /* a device may leave the chunk to the host (engine_result.is_left) */
    const struct records *records; /* LINES: NULL, or the text's, which stand for its lines */
};

struct engine_result {
    struct hits hits;         /* kept from call to call: a scan clears the count, not the room */
    uint64_t count;           /* occurrences that begin in [from, done) */
    uint64_t done;            /* begins below this were looked at: owned, or less where the hits
                                 reached ENGINE_HITS_MAX; scan again from here for the rest */
    uint64_t candidate_count; /* positions verified */
    bool on_device;           /* a device did it */
    enum trawl_method method; /* which searched at the end; AUTO: a published algorithm */
    bool is_left;             /* the host is to go on from `done`, which may be where it began */
    /* Of published algorithms on devices (struct trawl_stats says what): */
    uint64_t device_copy_ns;
    uint64_t device_kernel_ns;
    uint64_t device_shifts_ns;
    uint64_t child_grids;
    uint64_t child_spills;
    uint64_t device_back_ns;
    uint64_t device_memory_ns;
    uint64_t device_host_ns;
    uint64_t child_withheld;
    const char *note; /* how what ran differs from the request; NULL: not at all */
};

/* What every scan begins with: nothing found, nothing looked at; the hits' room stays. */
static inline void engine_result_begin(struct engine_result *result, uint64_t from, bool on_device)
{
    struct hits hits = result->hits;

    hits.count = 0;
    hits.lengths_valid = false;
    hits.one_per_line = false;
    *result = (struct engine_result){.hits = hits, .done = from, .on_device = on_device};
}

/* A scan may stop between two tiles once it holds this many hits: what bounds memory when
 * patterns nest. */
#define ENGINE_HITS_MAX (1u << 20)

/* Records on one tape: record i is bytes[offsets[i], offsets[i + 1]). */
struct engine_records {
    const uint8_t *bytes;
    const uint64_t *offsets; /* record_count + 1 */
    uint64_t record_count;
};

/* Where each pattern first begins in each record, -1 where it does not occur: `columns` cells, one
 * per pattern, for each of the records. */
struct engine_matrix {
    struct engine_records records;
    uint64_t columns;
    int64_t *cells;       /* all -1; NULL: flags are asked for */
    uint8_t *flags;       /* of the records; 0: holds nothing. NULL: any may hold some */
    uint64_t match_count; /* set: cells that were filled */
    uint32_t *rows;       /* set: rows that have such, ascending; as many as there is room */
    uint64_t rows_max;    /* for; */
    uint64_t rows_count;  /* set: how many there are, also beyond the room */
};

/* What becomes of what a task finds. */
enum engine_output {
    ENGINE_OUTPUT_RESULT, /* sums and hits are in the result */
    ENGINE_OUTPUT_BEGINS, /* words go to a device's memory */
    ENGINE_OUTPUT_CELLS   /* of a matrix: rows are filled, by any thread; or, with `cells` NULL, a
                             device says which records may hold anything */
};

/* Where occurrences begin, ascending: words of 64 bits. A word is an offset in the chunk, plus
 * `base`. A begin comes once for each literal that occurs there. */
struct engine_words {
    uint64_t address; /* of an array in a device's memory, which gets the first `room` words; 0:
                         memory of the worker's own gets them, after `at` others that are there */
    uint64_t room;    /* of the worker's memory: set; if `count` is more, the list is not whole */
    uint64_t base;
    uint64_t count;           /* set: found */
    uint64_t candidate_count; /* set */
    /* Of the worker's memory, from where engine_ops.bring copies words: */
    uint64_t at;
    uint64_t *host;     /* where the copies will go; NULL: it was told with another list */
    uint64_t host_room; /* words of `host` */
    uint64_t piece;     /* words of a copy to the engine's memory, at most; 0: it is set */
    bool direct;        /* set, if `host` was told: devices copy there by themselves */
};

/* Words that come from a worker's memory on a device to the host. */
struct engine_copy {
    uint64_t at; /* the first one in that memory */
    uint64_t count;
    uint64_t *host;         /* where they go; NULL: to memory of the engine's */
    uint32_t slot;          /* a number below ENGINE_PIECES_MAX that no other copy has */
    const uint64_t *copied; /* in the engine's memory, once they were waited for */
};

/* One task: a chunk, or records; what is wanted; what becomes of it. */
struct engine_task {
    const struct engine_chunk *chunk; /* RESULT, BEGINS */
    uint64_t from;                    /* RESULT: begins in [from, chunk->owned) are searched */
    enum want want;
    enum engine_output output;
    struct engine_result *result; /* RESULT, begun by who submits; CELLS, of a device */
    struct engine_words *words;   /* BEGINS */
    struct engine_matrix *matrix; /* CELLS */
};

/* How an engine holds a text of the host's memory. */
enum engine_hold {
    ENGINE_HOLD_LOOK,     /* not at all: say where it is held */
    ENGINE_HOLD_COPY,     /* a copy, unless there is one of exactly these bytes */
    ENGINE_HOLD_ANEW,     /* a copy, in any case */
    ENGINE_HOLD_BORROWED, /* the text is the caller's, at `address` on a device. The bytes name it
                         and its parts, and cannot be read, */
    ENGINE_HOLD_FETCHED,  /* until they are copied to the host */
    ENGINE_HOLD_PINNED,   /* devices copy from it by themselves */
    ENGINE_HOLD_MEMORY    /* it is no text: say in which device's memory the bytes lie. ARGUMENT: in
                             none that is known */
};

struct engine_text {
    const void *owner; /* what holds the text, and drops it: two texts of the same bytes have two */
    const uint8_t *bytes;
    uint64_t bytes_count;
    enum engine_hold how;
    uint64_t address;              /* BORROWED */
    const struct trawl_plan *plan; /* LOOK: whose searches need no copy; NULL: any */
    uint32_t device;               /* PINNED: by this one's driver context. LOOK: set: it is held
                                      there; ENGINE_DEVICES_MAX: by several. MEMORY: set */
    uint64_t held;                 /* LOOK: set: begins from the first byte on that the device
                                      holds, with the bytes that occurrences may have after them */
};

struct engine_options {
    uint64_t size;
    const char *instruction_set;  /* CPU: NULL for the best */
    uint64_t device_memory_bytes; /* devices: at most this much of each; 0: no limit */
    struct engine *cuda;          /* layers: whose devices they use; NULL: the host */
    uint32_t threads; /* searches within errors on devices: those that the host would search by */
};

#define ENGINE_DEVICES_MAX 16u
#define ENGINE_PIECES_MAX 16u /* of a worker's lists, on their way to the host */

struct engine_properties {
    const char *instruction_set; /* CPU; "" elsewhere */
    uint32_t device_count;       /* 0: it searches on the host */
    uint32_t workers_per_device; /* worth opening */
};

/* What every engine does. A worker is what one thread has of an engine: on the host scratch, on a
 * device a stream, staging buffers and memory; it is made for a plan. */
struct engine_ops {
    enum trawl_status (*open)(const struct engine_options *options, struct engine **engine,
                              struct trawl_error *error);
    void (*close)(struct engine *engine);
    void (*properties)(struct engine *engine, struct engine_properties *properties);
    /* A worker on this device (ENGINE_DEVICES_MAX: any) for tasks under this plan, which outlives
     * them; NULL: for no plan yet. *worker: NULL, or one that was made for another plan. After a
     * failure it is as it was, for no plan. UNSUPPORTED: the plan is not for this engine. */
    enum trawl_status (*compile)(struct engine *engine, uint32_t device,
                                 const struct trawl_plan *plan, struct engine_worker **worker,
                                 struct trawl_error *error);
    void (*release)(struct engine_worker *worker);
    /* Do a task.
     * UNSUPPORTED: this engine does not do that by itself, and scans are to. */
    enum trawl_status (*submit)(struct engine_worker *worker, struct engine_task *task,
                                struct trawl_error *error);
    /* Begin a copy, of which many may be under way, or wait for it, in the order in which they
     * began; in any thread. After a failure none of the worker's runs. */
    enum trawl_status (*bring)(struct engine_worker *worker, struct engine_copy *copy, bool wait,
                               struct trawl_error *error);
    /* Hold a text, so that tasks whose chunk lies in it copy nothing; UNSUPPORTED: it is not held,
     * or cannot be. drop undoes that for this owner: the copy goes unless another owner holds a
     * text of exactly these bytes. false: the text stays until the engine is closed. */
    enum trawl_status (*hold)(struct engine *engine, struct engine_text *text,
                              struct trawl_error *error);
    bool (*drop)(struct engine *engine, const struct engine_text *text);
};

/* Search begins in [from, chunk->owned). */
static inline enum trawl_status engine_scan(const struct engine_ops *ops,
                                            struct engine_worker *worker,
                                            const struct engine_chunk *chunk, uint64_t from,
                                            enum want want, struct engine_result *result,
                                            struct trawl_error *error)
{
    struct engine_task task = {.chunk = chunk, .from = from, .want = want, .result = result};

    engine_result_begin(result, from, false);
    return ops->submit(worker, &task, error);
}

/* For engines on the host: a text in its memory is searched where it lies, and copies nothing. */
static inline enum trawl_status engine_hold_nothing(struct engine *engine, struct engine_text *text,
                                                    struct trawl_error *error)
{
    (void)engine;
    if (text->how == ENGINE_HOLD_COPY || text->how == ENGINE_HOLD_ANEW)
        return TRAWL_OK;
    return TRAWL_FAIL(error, UNSUPPORTED, "the host holds no text on a device");
}

static inline bool engine_drop_nothing(struct engine *engine, const struct engine_text *text)
{
    (void)engine;
    return text->how != ENGINE_HOLD_PINNED;
}

static inline enum trawl_status engine_bring_nothing(struct engine_worker *worker,
                                                     struct engine_copy *copy, bool wait,
                                                     struct trawl_error *error)
{
    (void)worker;
    (void)copy;
    (void)wait;
    return TRAWL_FAIL(error, UNSUPPORTED, "the host has no list on a device");
}

extern const struct engine_ops engine_cpu;

#endif
