/* engine: the table of functions through which the library uses every engine
 *
 * A runtime opens an engine. Each thread that searches with it has a worker of that engine, and
 * submits tasks to it. A task that searches a chunk of the text for hits is a *scan*. A task is
 * over when submit returns; several workers per device overlap copying and searching.
 */
#ifndef TRAWL_ENGINE_H
#define TRAWL_ENGINE_H

#include "base/status.h"
#include "match/answer.h"
#include "match/cells.h"
#include "match/hits.h"
#include "match/records.h"
#include "plan/plan.h"
#include "want.h"

struct engine; /* each engine defines both structures for itself */
struct engine_worker;

/* The state of a searcher's call. CANCELLED: its result is no longer wanted. */
enum engine_call_state {
    ENGINE_CALL_NONE,
    ENGINE_CALL_INSIDE,
    ENGINE_CALL_CANCELLED,
    ENGINE_CALL_UNWANTED /* no call runs; the next one is cancelled before it begins */
};

struct engine_call {
    _Atomic int state;    /* enum engine_call_state */
    void (*poll)(void *); /* the member `poll` of struct trawl_searcher_options, or NULL */
    void *poll_context;
};

/* Calls the poll function, if there is one, and returns true if the call is cancelled; false if
 * call is NULL. The calling thread holds no lock. */
static inline bool engine_call_is_over(const struct engine_call *call)
{
    if (call == NULL)
        return false;
    if (call->poll != NULL)
        call->poll(call->poll_context);
    return call->state == ENGINE_CALL_CANCELLED;
}

/* One chunk of the text. Bytes [-before, owned + after) around `bytes` are text. `before` and
 * `after` are at least the plan's need_before and need_after, the bytes around an occurrence that a
 * search may read, except at the ends of the text. Bytes up to owned + readable (readable >= after)
 * may be loaded; the bytes beyond owned + after are undefined. */
struct engine_chunk {
    const uint8_t *bytes;
    uint64_t begin; /* text offset of bytes[0] */
    /* occurrences starting in [0, owned) are this chunk's; < 2^32, except where loaded bytes are
     * counted and no hits are needed (plan_counts_alone) */
    uint64_t owned;
    uint64_t before;
    uint64_t after;
    uint64_t readable;
    /* For WANT_SPANS. True: the spans (hits without overlap) that begin before the chunk are known,
     * and the last of them ends at spans_end, an offset in the chunk, or 0 if it ends at the
     * chunk's start or before. */
    bool spans_known;
    uint64_t spans_end;
    bool firsts;           /* no more than the first hit of each line is needed */
    enum spans spans;      /* for plans of several expressions; otherwise the sink chooses */
    bool pinned;           /* the whole chunk lies in pinned memory (ENGINE_HOLD_PINNED) */
    bool may_be_left;      /* a device may leave the chunk to the host (engine_result.is_left) */
    uint32_t threads_left; /* approximate searches: number of host threads that would search a chunk
                              which the device leaves */
    const struct records *records; /* the text's records, in place of lines; NULL: no records */
    /* NULL, or the searcher's call. Once it is cancelled, its result is not wanted: an engine may
     * then end with STOPPED, and should if a chunk takes it long. */
    const struct engine_call *call;
    uint64_t search; /* number of the search, different for each search of a runtime; 0: none */
};

struct engine_result {
    struct hits hits; /* a scan clears the hits' count, and keeps the memory for hits */
    uint64_t count;   /* occurrences that begin in [from, done) */
    /* Starts below this offset were searched; the next scan resumes here. It is chunk->owned, or
     * less if is_left is true or there are ENGINE_HITS_MAX hits. */
    uint64_t done;
    uint64_t candidate_count; /* positions that were verified */
    /* Lines that an expression's engine could not decide, and the offset of the first in the text.
     * They count as lines without a match; the search ends with LIMIT. */
    uint64_t undecided_count, undecided_at;
    bool on_device;             /* a device searched the chunk */
    enum trawl_method method;   /* the method that searched last; AUTO: a published algorithm */
    bool is_left;               /* the host must search the begins [done, owned); `done` may equal
                                   `from` */
    struct algorithm_work work; /* set by published algorithms on devices */
};

/* Clears the result before a scan: no hits, nothing searched. Keeps the memory for hits. */
static inline void engine_result_begin(struct engine_result *result, uint64_t from, bool on_device)
{
    struct hits hits = result->hits;

    hits.count = 0;
    hits.lengths_valid = false;
    hits.one_per_line = false;
    *result = (struct engine_result){.hits = hits, .done = from, .on_device = on_device};
}

/* A scan may stop before the chunk's end once its result holds this many hits, to bound their
 * memory: nested patterns have very many. */
#define ENGINE_HITS_MAX (1u << 20)

/* An expected time in ns: a fixed part, and a part for each byte of text. */
struct price {
    double once_ns, byte_ns;
};

/* Returns true if a price is less than `times` the other one, for `bytes` bytes of text. */
static inline bool price_is_less(struct price price, double times, struct price other,
                                 uint64_t bytes)
{
    return price.once_ns + price.byte_ns * (double)bytes <
           times * (other.once_ns + other.byte_ns * (double)bytes);
}

/* Where a task puts the occurrences that it finds. */
enum engine_output {
    ENGINE_OUTPUT_RESULT, /* counts and hits go to engine_task.result */
    ENGINE_OUTPUT_ANSWER, /* counts go to engine_task.result, an answer to engine_task.answer */
    ENGINE_OUTPUT_BEGINS  /* offsets of begins (engine_words) go to a device's memory */
};

/* A list of the offsets at which occurrences begin, ascending, as 64-bit words: offset in the chunk
 * plus `base`. An offset is listed once for each literal that occurs there. */
struct engine_words {
    /* device address of an array that receives the first `room` words; 0: they go to the worker's
     * own memory on the device, starting at its word `at` */
    uint64_t address;
    /* words for which there is room; set by the engine if `address` is 0. If count > room, the list
     * is incomplete. */
    uint64_t room;
    uint64_t base;
    uint64_t count;           /* set by the engine: words found */
    uint64_t candidate_count; /* set by the engine */
    /* only for words in the worker's memory, from which engine_ops.bring copies them: */
    uint64_t at; /* words that earlier tasks listed, which stay in front of these */
    /* the array to which the copies will go, with the first list of a public call; NULL with later
     * ones */
    uint64_t *host;
    uint64_t host_room; /* words of `host` */
    /* The most words that engine_ops.bring copies at a time. With a call's first list the caller
     * passes 0, and the engine sets it; with later ones the caller passes it back. */
    uint64_t piece;
    /* set by the engine if `host` is given: the array is pinned, or memory of any device, so
     * devices copy to it directly */
    bool direct;
};

/* a copy of words from a worker's memory on a device to the host */
struct engine_copy {
    uint64_t at; /* index of the first word in the worker's memory */
    uint64_t count;
    uint64_t *host;         /* where the words go; NULL: to the engine's own memory */
    uint32_t slot;          /* less than ENGINE_PIECES_MAX; two copies that run at the same time
                               have different slots */
    const uint64_t *copied; /* set once copied, if `host` is NULL: where the words lie in the
                               engine's memory */
};

/* One task: the chunk to search, what is wanted, and where the output goes. The comments name the
 * outputs for which a field is used. */
struct engine_task {
    const struct engine_chunk *chunk;
    uint64_t from; /* RESULT, ANSWER: begins in [from, chunk->owned) are searched */
    enum want want;
    enum engine_output output;
    struct engine_result *result; /* RESULT, ANSWER; the caller has called engine_result_begin */
    struct hits_answer *answer;   /* ANSWER: the form that is wanted, and the answer */
    struct engine_words *words;   /* BEGINS: the array and what was found */
};

/* What engine_ops.hold does with a text. */
enum engine_hold {
    ENGINE_HOLD_LOOK, /* do not hold the text; report where it is held */
    ENGINE_HOLD_COPY, /* copy the text, unless a copy of exactly these bytes exists */
    ENGINE_HOLD_ANEW, /* copy the text, even if a copy exists */
    /* the text is the caller's, at `address` on a device. `bytes` only identifies it and its parts;
     * the host cannot read there before FETCHED */
    ENGINE_HOLD_BORROWED,
    ENGINE_HOLD_FETCHED, /* copy a borrowed text to the host, where `bytes` can then be read */
    ENGINE_HOLD_PINNED,  /* pin the text's memory, so that devices copy from it directly */
    ENGINE_HOLD_MEMORY   /* hold no text; report in which device's memory the bytes lie. The
                            status is ARGUMENT if no known device's memory holds the bytes */
};

struct engine_text {
    const void *owner; /* identifies who holds the text: two texts of equal bytes have two owners */
    const uint8_t *bytes;
    uint64_t bytes_count;
    enum engine_hold how;
    uint64_t address; /* BORROWED */
    /* COPY, ANEW: a long text is not split over the devices if one of them has room */
    bool is_whole;
    const struct trawl_plan *plan; /* LOOK: the plan of the search to come; NULL: any plan */
    /* PINNED: the device in whose driver context the memory is pinned. LOOK and MEMORY set it to
     * the device that holds the text; LOOK to ENGINE_DEVICES_MAX if several do. */
    uint32_t device;
    /* LOOK: the number of starts, beginning with the first byte, for which the device also holds
     * all bytes that an occurrence may have */
    uint64_t reach;
};

struct engine_options {
    uint64_t size;
    const char *instruction_set;  /* that of the host's engine; NULL: the machine's best */
    uint64_t device_memory_bytes; /* the most memory taken of each device; 0: no limit */
};

#define ENGINE_DEVICES_MAX 16u
/* in place of a device's number: a layer's worker (see engine_ops) that searches on the host */
#define ENGINE_HOST (ENGINE_DEVICES_MAX + 1u)
#define ENGINE_PIECES_MAX 16u /* most copies of a worker's words at the same time */

/* A search of a short text without a worker, for occurrences that start in [from, to). */
struct engine_brief {
    uint64_t from, to;
    uint64_t readable;   /* number of bytes after the text that may be loaded */
    bool is_first;       /* find the first occurrence, and count no further */
    struct hits *hits;   /* receives the occurrences, as offsets from `from`; NULL: not needed */
    bool is_long;        /* set: the text is too long; other texts may not be */
    uint64_t candidates; /* set: number of comparisons of literals */
    /* set: number of occurrences; with is_first, 0 if nothing occurs, else above 0 */
    uint64_t count;
    /* set if is_first and count > 0: the first occurrence, and its literal's number in the plan */
    uint64_t begin, length;
    uint32_t literal;
};

/* The functions of an engine. A worker belongs to one thread and is compiled for one plan. On the
 * host it holds scratch memory; on a device, a stream, staging buffers and device memory. A *layer*
 * is an engine on top of others, such as the gallery: it has only the functions of workers, and
 * searches with the host's or the devices' engine, which compile gets. */
struct engine_ops {
    enum trawl_status (*open)(const struct engine_options *options, struct engine **engine,
                              struct trawl_error *error);
    void (*close)(struct engine *engine);
    /* The host's engine: returns the name of the instruction set in use (static text). */
    const char *(*instruction_set)(const struct engine *engine);
    /* The devices' engine: returns the number of devices. Sets *workers to the number of workers
     * worth opening on each. */
    uint32_t (*devices)(const struct engine *engine, uint32_t *workers);
    /* Makes a worker for tasks of this plan on this device. ENGINE_DEVICES_MAX: on any device;
     * ENGINE_HOST, for layers only: on the host. The plan must outlive the tasks; if it is NULL, a
     * later call gives it. *worker is NULL, or a worker for another plan, which the call reuses.
     * After a failure the worker has no plan and can be compiled again. Returns UNSUPPORTED if this
     * engine cannot search for the plan. */
    enum trawl_status (*compile)(struct engine *engine, uint32_t device,
                                 const struct trawl_plan *plan, struct engine_worker **worker,
                                 struct trawl_error *error);
    void (*release)(struct engine_worker *worker);
    /* Does a task. Returns UNSUPPORTED if this engine has no such output, or cannot make the answer
     * for this plan and chunk; the caller must then use scans. */
    enum trawl_status (*submit)(struct engine_worker *worker, struct engine_task *task,
                                struct trawl_error *error);
    /* Searches a whole text in host memory without a worker. Returns false if the plan or the text
     * needs a task, or if there is not enough memory; the hits are then undefined. Any thread may
     * call this. NULL: every search of this engine needs tasks. */
    bool (*brief)(const struct engine *engine, const struct trawl_plan *plan, const uint8_t *text,
                  uint64_t count, struct engine_brief *found);
    /* For published algorithms that take records one by one. A cell is a pair (record, pattern)
     * where the pattern occurs in the record. flag asks the worker's device, if there is one, which
     * records may have a cell, and adds to *result. After it, any thread may call cells, which
     * appends the cells of the records that begin in [from, to) of the tape. */
    enum trawl_status (*flag)(struct engine_worker *worker, const struct records *records,
                              const struct engine_call *call, struct engine_result *result,
                              struct trawl_error *error);
    enum trawl_status (*cells)(const struct engine_worker *worker, const struct records *records,
                               uint64_t from, uint64_t to, struct cells *cells,
                               struct trawl_error *error);
    /* only the devices' engine has the following functions */
    /* Returns true if the engine can make this answer for the plan from chunks of loaded texts. */
    bool (*answers)(const struct trawl_plan *plan, enum answer_form form);
    /* records_hold puts the offsets and the validity of records on a device, and makes a table of
     * them. With `lies_there`, they are in that device's memory already; then their order is
     * checked, and the origin and the tape's length are set. records_drop accepts NULL. */
    enum trawl_status (*records_hold)(struct engine *engine, uint32_t device, bool lies_there,
                                      struct records *records, struct engine_records **held,
                                      struct trawl_error *error);
    void (*records_drop)(struct engine *engine, struct engine_records *held);
    /* writes zeros to the answer's values on the device: no record has an occurrence */
    enum trawl_status (*records_clear)(struct engine *engine, const struct record_answer *answer,
                                       struct trawl_error *error);
    /* Begins a copy, or with `wait` waits for one that was begun. Several may run at the same time;
     * the caller waits for them in the order in which they began. Any thread may call this. After a
     * failure none of the worker's copies is running. */
    enum trawl_status (*bring)(struct engine_worker *worker, struct engine_copy *copy, bool wait,
                               struct trawl_error *error);
    /* hold holds a text, so that tasks whose chunk lies in it copy nothing; UNSUPPORTED: it is not
     * held, or cannot be. drop undoes hold for this owner, and frees the copy unless another owner
     * holds exactly these bytes. It returns false if the text stays until the engine is closed. */
    enum trawl_status (*hold)(struct engine *engine, struct engine_text *text,
                              struct trawl_error *error);
    bool (*drop)(struct engine *engine, const struct engine_text *text);
};

/* Searches the chunk for occurrences that begin in [from, chunk->owned). */
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

extern const struct engine_ops engine_cpu;

#endif
