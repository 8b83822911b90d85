/* engine: the table of functions that every engine implements (CPU, CUDA, gallery, ...)
 *
 * A runtime opens the engines that it needs. A thread that searches has a worker of an engine, and
 * submits tasks to that worker. A task that searches a chunk of the text for hits is a *scan*.
 * submit returns when the task is done; to overlap copying with searching, a device has several
 * workers.
 */
#ifndef TRAWL_ENGINE_H
#define TRAWL_ENGINE_H

#include "base/status.h"
#include "match/answer.h"
#include "match/cells.h"
#include "match/hits.h"
#include "match/method_changes.h"
#include "match/records.h"
#include "plan/contest.h"
#include "plan/pages.h"
#include "plan/plan.h"
#include "text/text.h"
#include "want.h"

/* Opaque: each engine has its own structs behind these pointers (cpu_worker, cuda_engine, ...). */
struct engine;
struct engine_worker;
struct engine_pages;
struct line_group;

/* The state of a searcher's call. CANCELLED: the caller no longer wants the result. */
enum engine_call_state {
    ENGINE_CALL_NONE,
    ENGINE_CALL_INSIDE,
    ENGINE_CALL_CANCELLED,
    ENGINE_CALL_UNWANTED /* no call runs; the next one is cancelled before it begins */
};

struct engine_call {
    _Atomic int state;    /* enum engine_call_state */
    void (*poll)(void *); /* the `poll` member of struct trawl_searcher_options, or NULL */
    void *poll_context;
    struct method_changes *changes; /* receives what engine_changed reports */
};

/* Calls the caller's poll function, if there is one, then returns true if the call has been
 * cancelled (a NULL `call` never is). Must be called without locks. */
static inline bool engine_call_is_over(const struct engine_call *call)
{
    if (call == NULL)
        return false;
    if (call->poll != NULL)
        call->poll(call->poll_context);
    return call->state == ENGINE_CALL_CANCELLED;
}

/* One chunk of the text. Offsets are relative to `bytes`:
 *
 *    -before           0            owned        owned + after   owned + readable
 *       | earlier text | the chunk's | later text   | undefined     |
 *
 * The undefined bytes may be loaded (after <= readable). Except at the ends of the text, `before`
 * and `after` are at least the plan's need_before and need_after, the bytes around an occurrence
 * that a search may read. */
struct engine_chunk {
    const uint8_t *bytes;
    uint64_t begin; /* text offset of bytes[0] */
    /* length of the chunk, to which the occurrences that start in [0, owned) belong. Less than
     * 2^32, unless a loaded text is only counted (plan_counts_alone) */
    uint64_t owned;
    uint64_t before;
    uint64_t after;
    uint64_t readable;
    /* For WANT_SPANS. True: the spans (hits without overlap) that begin before the chunk are known,
     * and the last of them ends at spans_end, an offset in the chunk, or 0 if it ends at the
     * chunk's start or before. */
    bool spans_known;
    uint64_t spans_end;
    bool firsts;      /* only the first hit of each line is needed */
    enum spans spans; /* for plans of several expressions; for other plans, the sink chooses */
    bool pinned;      /* the whole chunk lies in pinned memory (ENGINE_HOLD_PINNED) */
    bool may_be_left; /* a device may leave the chunk to the host, with engine_result.is_left */
    uint32_t threads_left; /* how many host threads would search what a device leaves; for the
                              layers, which compare the two */
    const struct records *records; /* the text's records, instead of lines; NULL: none */
    /* The searcher's call, or NULL. Once it is cancelled, nobody wants the result, so an engine may
     * return STOPPED, and should if chunks are slow. */
    const struct engine_call *call;
    uint64_t search; /* number of the search, unique in its runtime; 0: none */
    /* Unless NULL: occurrences of the plan's strings begin only in these ranges of the text, which
     * ascend, with gaps between them. An engine may search all of the chunk. */
    struct text_ranges kept;
};

/* Tells the call that the worker searches in another way from offset `at` of the chunk on. The
 * names and the reason are static text, and the times are per byte. Not told are dense stretches
 * that the automaton searches for another strategy, the steps that the automaton of all expressions
 * reads, and what a device chooses between two counts. */
static inline void engine_changed(const struct engine_chunk *chunk, uint64_t at, const char *before,
                                  double before_ns, const char *after, double after_ns,
                                  const char *why)
{
    const struct trawl_change change = {chunk->begin + at, before, after, before_ns, after_ns, why};

    if (chunk->call != NULL)
        method_changes_add(chunk->call->changes, &change);
}

/* Tells the call what the worker has searched in a way. */
static inline void engine_searched(const struct engine_chunk *chunk, const struct trawl_way *way)
{
    if (chunk->call != NULL)
        method_changes_add_way(chunk->call->changes, way);
}

struct engine_result {
    struct hits hits; /* a scan clears the count, but keeps the memory */
    uint64_t count;   /* occurrences that begin in [from, done) */
    /* All starts below this offset have been searched; the next scan resumes here. This is
     * chunk->owned, or less if is_left is true or there are ENGINE_HITS_MAX hits. */
    uint64_t done;
    uint64_t candidate_count; /* number of candidates that were verified */
    /* Number of lines that a regular expression could not decide within its limits, and the text
     * offset of the first. They count as lines without a match, and the search ends with LIMIT. */
    uint64_t undecided_count, undecided_at;
    bool on_device;           /* a device searched the chunk */
    enum trawl_method method; /* the method used last; AUTO: a published algorithm */
    bool is_left; /* the host must search for starts in [done, owned); `done` may equal `from` */
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

/* A scan may stop before the chunk's end once its result has this many hits, which bounds their
 * memory: "a", "aa" and "aaa" together match a text of 'a' three times per byte. */
#define ENGINE_HITS_MAX (1u << 20)

/* Where a task puts the occurrences that it finds. */
enum engine_output {
    ENGINE_OUTPUT_RESULT, /* counts and hits go to engine_task.result */
    ENGINE_OUTPUT_ANSWER, /* counts go to engine_task.result, the answer to engine_task.answer */
    ENGINE_OUTPUT_BEGINS  /* start offsets go to the array of engine_task.words */
};

/* A list of the start offsets of occurrences, ascending, as 64-bit words: offset in the chunk plus
 * `base`. An offset is listed once for each literal that occurs there. */
struct engine_words {
    uint64_t *to;
    uint64_t room; /* capacity of the array in words */
    /* The array must be in a device's memory or in pinned memory, unless this is set. */
    bool copies_anywhere;
    /* copies words from pinned memory to the array, with the help of threads */
    void (*copy)(struct engine_words *words, uint64_t *to, const uint64_t *from, uint64_t count);
    void *copier;
    uint64_t base;
    /* The engine adds the number of words that it found, even if the array has room only for the
     * first of them. */
    uint64_t count;
    uint64_t candidate_count; /* the engine adds to it */
};

/* One task: the chunk to search, what is wanted, and where the output goes. RESULT, ANSWER and
 * BEGINS are the outputs (enum engine_output) for which a field is used. */
struct engine_task {
    const struct engine_chunk *chunk;
    uint64_t from; /* RESULT, ANSWER: search for starts in [from, chunk->owned) */
    enum want want;
    enum engine_output output;
    struct engine_result *result; /* RESULT, ANSWER; the caller has called engine_result_begin */
    struct hits_answer *answer;   /* ANSWER: in, the form that is wanted; out, the answer */
    struct engine_words *words;   /* BEGINS: in, the array; out, what was found */
};

/* What device_ops.hold does with a text. */
enum engine_hold {
    ENGINE_HOLD_LOOK, /* hold nothing; report which device holds the text */
    ENGINE_HOLD_COPY, /* copy the text, unless a copy of exactly these bytes exists */
    ENGINE_HOLD_ANEW, /* copy the text, even if a copy exists */
    /* the caller owns the text, which is at `address` on a device. `bytes` only identifies the
     * text: until FETCHED, the host cannot read there */
    ENGINE_HOLD_BORROWED,
    ENGINE_HOLD_FETCHED, /* copy a borrowed text to the host, where `bytes` can then be read */
    ENGINE_HOLD_PINNED,  /* pin the text's memory, so that devices copy from it directly */
    ENGINE_HOLD_MEMORY /* hold nothing; report the device in whose memory the bytes are. ARGUMENT if
                          they are in no known device's memory */
};

struct engine_text {
    const void *owner; /* the text's identity: another text may lie at the same address later */
    const uint8_t *bytes;
    uint64_t bytes_count;
    enum engine_hold how;
    uint64_t address; /* BORROWED */
    /* COPY, ANEW: if one device has room for the whole text, do not split it over several */
    bool is_whole;
    const struct trawl_plan *plan; /* LOOK: the plan of the next search; NULL: any plan */
    /* PINNED: the device in whose driver context the memory is pinned. LOOK and MEMORY set it to
     * the device that holds the text; LOOK to ENGINE_DEVICES_MAX if several do. */
    uint32_t device;
    /* LOOK: for starts in [0, reach), the device has all bytes of an occurrence */
    uint64_t reach;
};

struct engine_options {
    uint64_t size;
    const char *instruction_set;  /* for the host's engine; NULL: the best that this CPU has */
    uint64_t device_memory_bytes; /* limit for the memory used on each device; 0: no limit */
};

#define ENGINE_DEVICES_MAX 16u
/* instead of a device's number: a worker of a layer (see engine_ops) that searches on the host */
#define ENGINE_HOST (ENGINE_DEVICES_MAX + 1u)

/* A search of a short text without a worker. Finds the occurrences that start in [from, to). */
struct engine_brief {
    uint64_t from, to;
    uint64_t readable; /* how many bytes after the text may be loaded */
    bool is_first;     /* find the first occurrence, and count no further */
    struct hits *hits; /* receives the occurrences, as offsets from `from`; NULL: not needed */
    struct trawl_match *matches; /* receives the first `room` occurrences */
    uint64_t room;
    bool is_apart;       /* for a single string: skip occurrences that overlap an earlier one */
    uint64_t end;        /* where the last such occurrence ends */
    bool is_long;        /* set on failure: the text was too long; a shorter one may succeed */
    uint64_t candidates; /* set: number of candidates that were compared with a literal */
    /* set: number of occurrences; with is_first, only 0 or not 0 is meaningful */
    uint64_t count;
    /* set if is_first and count > 0: the first occurrence, and its literal's number in the plan */
    uint64_t begin, length;
    uint32_t literal;
};

/* Adds an occurrence. Must be called by ascending begin. */
static inline void engine_brief_put(struct engine_brief *found, uint64_t begin, uint64_t end,
                                    uint32_t literal, uint32_t pattern)
{
    if (found->count < found->room)
        found->matches[found->count] = (struct trawl_match){begin, end, pattern, 0, 0};
    if (found->count++ == 0 || literal < found->literal) {
        found->begin = begin;
        found->length = end - begin;
        found->literal = literal;
    }
}

/* What only the devices' engine can do. */
struct device_ops {
    /* Returns the number of devices. Sets *workers to the number of workers worth opening on each.
     */
    uint32_t (*devices)(const struct engine *engine, uint32_t *workers);
    /* Returns true if the engine can compute this form of answer for chunks of loaded texts. */
    bool (*answers)(const struct trawl_plan *plan, enum answer_form form);
    /* records_hold copies the offsets and the validity bits of records to a device, and builds a
     * table of them there. With `lies_there`, they are in that device's memory already, so the call
     * only checks that the offsets ascend, and sets the origin and the tape's length. records_drop
     * accepts NULL. */
    enum trawl_status (*records_hold)(struct engine *engine, uint32_t device, bool lies_there,
                                      struct records *records, struct engine_records **held,
                                      struct trawl_error *error);
    void (*records_drop)(struct engine *engine, struct engine_records *held);
    /* Zeros the answer's values on the device, which says that no record has an occurrence. */
    enum trawl_status (*records_clear)(struct engine *engine, const struct record_answer *answer,
                                       struct trawl_error *error);
    /* trawl_records_rewrite, of the tape of loaded records. group: for GROUP. */
    enum trawl_status (*records_rewrite)(struct engine *engine, const struct engine_records *held,
                                         const uint8_t *tape, const struct line_group *group,
                                         struct trawl_rewrite *rewrite, struct trawl_error *error);
    /* hold keeps a text on a device or in pinned memory (enum engine_hold), so that tasks for its
     * chunks need no copy; UNSUPPORTED: the text is not held, or cannot be. drop undoes hold for
     * this owner, and frees the copy unless another owner holds exactly these bytes. drop returns
     * false if the text stays until the engine is closed. */
    enum trawl_status (*hold)(struct engine *engine, struct engine_text *text,
                              struct trawl_error *error);
    bool (*drop)(struct engine *engine, const struct engine_text *text);
    /* pages_make builds the filter that *pages describes on a device that has all of the text, and
     * sets pages->rows_bytes. pages_ask does what plan_pages_keep does, for any number of pages
     * that are left; *knows becomes false if a pattern may begin anywhere. */
    enum trawl_status (*pages_make)(struct engine *engine, struct plan_pages *pages,
                                    struct engine_pages **made, struct trawl_error *error);
    enum trawl_status (*pages_ask)(struct engine *engine, const struct engine_pages *made,
                                   const struct trawl_plan *plan, uint64_t first, uint64_t end,
                                   uint64_t *kept, bool *knows, struct trawl_error *error);
    void (*pages_drop)(struct engine *engine, struct engine_pages *made);
};

/* The functions of an engine. A worker belongs to one thread and is compiled for one plan. On the
 * host, a worker owns scratch memory; on a device, a stream, staging buffers and device memory. A
 * *layer* is an engine built on others, such as the gallery: it has only the functions for workers,
 * and its workers search with the host's or the devices' engine, which is passed to compile. */
struct engine_ops {
    enum trawl_status (*open)(const struct engine_options *options, struct engine **engine,
                              struct trawl_error *error);
    void (*close)(struct engine *engine);
    /* The host's engine: returns the name of the instruction set in use (static text). */
    const char *(*instruction_set)(const struct engine *engine);
    /* Prepares a worker for tasks of this plan on this device. ENGINE_DEVICES_MAX: any device;
     * ENGINE_HOST, for layers only: the host. If *worker is NULL, creates one; otherwise reuses
     * that worker, which may have another plan. The plan must outlive the tasks; it may be NULL
     * until a later call. After a failure the worker has no plan, and can be compiled again.
     * Returns UNSUPPORTED if this engine cannot search for the plan. */
    enum trawl_status (*compile)(struct engine *engine, uint32_t device,
                                 const struct trawl_plan *plan, struct engine_worker **worker,
                                 struct trawl_error *error);
    void (*release)(struct engine_worker *worker);
    /* Runs a task. Returns UNSUPPORTED if this engine lacks that output, or cannot compute the
     * answer for this plan and chunk; the caller must then submit it with ENGINE_OUTPUT_RESULT. */
    enum trawl_status (*submit)(struct engine_worker *worker, struct engine_task *task,
                                struct trawl_error *error);
    /* Searches a whole text in host memory without a worker. Returns false if this plan or text
     * needs a task, or if memory runs out; the hits are then undefined. Any thread may call this.
     * NULL: every search of this engine needs tasks. */
    bool (*brief)(const struct engine *engine, const struct trawl_plan *plan, const uint8_t *text,
                  uint64_t count, struct engine_brief *found);
    /* Layers have this: writes lines about the prices with which a search begins, for
     * trawl_plan_explain: at most lines_bytes bytes, with the terminating NUL. */
    enum trawl_status (*explain)(const struct trawl_plan *plan, char *lines, uint64_t lines_bytes,
                                 struct trawl_error *error);
    /* For published algorithms that search records one by one. A cell is a pair (record, pattern)
     * such that the pattern occurs in the record. flag lets the worker's device, if it has one,
     * mark the records that may have a cell, and adds to *result. After flag, any thread may call
     * cells, which appends the cells of the records that begin in [from, to) of the tape. */
    enum trawl_status (*flag)(struct engine_worker *worker, const struct records *records,
                              const struct engine_call *call, struct engine_result *result,
                              struct trawl_error *error);
    enum trawl_status (*cells)(const struct engine_worker *worker, const struct records *records,
                               uint64_t from, uint64_t to, struct cells *cells,
                               struct trawl_error *error);
    const struct device_ops *there; /* only the devices' engine has it */
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
