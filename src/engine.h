/* engine: the one table both engines fill in.
 *
 * A runtime opens an engine. Each thread that searches with it opens an engine worker: what one
 * thread needs (scratch on the host; a stream, staging and device memory on a GPU). A worker's scan
 * is synchronous; several workers per device overlap copy and search. Nothing above this table
 * knows which engine runs.
 */
#ifndef TRAWL_ENGINE_H
#define TRAWL_ENGINE_H

#include "base/status.h"
#include "match/hits.h"
#include "plan/plan.h"

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
    bool may_tally;   /* HITS: of parts of it tallies may come instead (engine_result.tallies) */
    bool may_be_left; /* a device may leave dense chunks to the host (engine_result.is_left) */
    bool may_change;  /* while it is searched, as a mapped file's bytes: a byte that is read twice
                         need not be the same */
    /* HITS: where the scan can go on without searching anything twice, it may stop at so many hits;
     * 0: ENGINE_HITS_MAX. */
    uint64_t hits_few;
    uint64_t ticket; /* engine_result.ticket of the scan that stopped at `from`, or 0 */
    /* HITS: instead of hits, at most so many may be lent (engine_result.lent), where the plan's
     * literals are its patterns. */
    uint64_t lent_max;
};

enum engine_want {
    ENGINE_WANT_COUNT, /* result.count alone */
    ENGINE_WANT_HITS,  /* and the hits in order */
    ENGINE_WANT_FIRST, /* at least the first hit, if there is one */
    /* Of the hits those that the rest follows from; more are allowed, in order: */
    ENGINE_WANT_LINES, /* one at least of each line in which any begins; NUL may end lines too */
    ENGINE_WANT_SPANS  /* those that are found by taking the first, of them the longest, and going
                          on after its end; for plans whose occurrences hold no line end */
};

struct engine_result {
    struct hits hits;         /* kept from call to call: a scan clears the count, not the room */
    struct tallies tallies;   /* of occurrences that are not among the hits; kept as these are */
    struct hits_lent lent;    /* if there are any, there are no hits */
    uint64_t count;           /* occurrences that begin in [from, done) */
    uint64_t done;            /* begins below this were looked at: owned, or less where the hits
                                 reached ENGINE_HITS_MAX; scan again from here for the rest */
    uint64_t candidate_count; /* positions verified */
    uint64_t ticket; /* not 0: what this worker's next scan, of the same chunk, goes on with */
    bool on_device;  /* a device did it */
    bool is_left;    /* the host is to go on from `done`, which may be where it began */
    /* Of published algorithms on devices (struct trawl_stats says what): */
    uint64_t device_copy_ns;
    uint64_t device_kernel_ns;
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
    struct tallies tallies = result->tallies;

    tallies.count = 0;
    hits.count = 0;
    hits.lengths_valid = false;
    hits.one_per_line = false;
    *result = (struct engine_result){
        .hits = hits, .tallies = tallies, .done = from, .on_device = on_device};
}

/* A scan may stop between two tiles once it holds this many hits: what bounds memory when
 * patterns nest. */
#define ENGINE_HITS_MAX (1u << 20)

/* Records on one tape, as struct trawl_records has them. */
struct engine_records {
    const uint8_t *bytes;
    const uint64_t *offsets; /* record_count + 1 */
    uint64_t record_count;
};

/* Where each pattern first begins in each record, -1 where it does not occur: `columns` cells, one
 * per pattern, for each of the records, in blocks of rows. */
struct engine_matrix {
    const struct engine_records *records;
    uint64_t columns;
    uint64_t rows_max; /* of a block: all of its records but at the end */
    /* The cells of the block that begins with this record, all -1, when those before are filled;
     * false: no more are wanted. */
    bool (*block)(void *context, uint64_t record_begin, int64_t **cells);
    void *context;
    uint32_t helpers_max;  /* threads that may be started */
    uint32_t helper_count; /* the most that were at work on a block */
    uint64_t match_count;  /* cells that were filled */
};

/* Where all occurrences in a text begin, ascending: an array to be filled, in the host's memory or
 * in a device's. A begin comes once for each literal that occurs there. */
struct engine_begins {
    const uint8_t *bytes; /* the text */
    uint64_t bytes_count;
    uint64_t *host;   /* NULL: address */
    uint64_t address; /* of memory of the engine's first device */
    uint64_t room;    /* the array's words: what is beyond is only counted */
    uint64_t literal; /* so often its literal's number is added to a begin; on a device alone */
    uint64_t count;
    uint64_t candidate_count;
};

/* All occurrences in a part of a text, as words in the device's memory: where each begins, and how
 * often `literal` its literal's number says. */
struct engine_list {
    const uint8_t *bytes; /* the part */
    uint64_t owned;       /* its begins */
    uint64_t after;       /* bytes behind them */
    uint64_t base;        /* what its first begin is called */
    uint64_t literal;     /* 0: literals are not told; or 1 << 32, and words are struct hit */
    uint64_t at;          /* words that are in that memory before */
    uint64_t room;        /* there is for this list: set */
    uint64_t piece;       /* of those that the host gets at a time, at most; 0: it is set */
    uint64_t count;       /* found; if that is more than `room`, the list is not whole */
    uint64_t candidate_count;
};

struct engine_options {
    uint64_t size;
    const char *instruction_set;  /* CPU: NULL for the best */
    uint64_t device_memory_bytes; /* devices: at most this much of each; 0: no limit */
    struct engine *cuda;          /* the gallery: whose devices it uses; NULL: the host */
};

#define ENGINE_DEVICES_MAX 16u
#define ENGINE_COUNTS_MAX 64u /* begun on one worker */
#define ENGINE_PIECES_MAX 16u /* of a worker's lists, on their way to the host */

struct engine_properties {
    const char *name;            /* "cpu", "cuda" */
    const char *instruction_set; /* CPU; "" elsewhere */
    uint32_t device_count;       /* 0: it searches on the host */
    uint32_t workers_per_device; /* worth opening */
};

/* Where loaded bytes are searched. */
struct engine_part {
    uint32_t device; /* ENGINE_DEVICES_MAX: any */
    uint64_t bytes;  /* begins from the first byte on that it holds, with what follows them */
};

struct engine_ops {
    const char *name;
    enum trawl_status (*open)(const struct engine_options *options, struct engine **engine,
                              struct trawl_error *error);
    void (*close)(struct engine *engine);
    void (*properties)(struct engine *engine, struct engine_properties *properties);
    enum trawl_status (*worker_open)(struct engine *engine, struct engine_worker **worker,
                                     struct trawl_error *error);
    void (*worker_close)(struct engine_worker *worker);
    /* Devices: the same on the requested device. */
    enum trawl_status (*worker_open_on)(struct engine *engine, uint32_t device,
                                        struct engine_worker **worker, struct trawl_error *error);
    /* Devices: make all of them copy from this memory directly, and release it; by this one's
     * driver context. A failed pin is no error: copies are slower. */
    bool (*pin)(struct engine *engine, uint32_t device, const void *bytes, uint64_t bytes_count);
    bool (*unpin)(struct engine *engine, uint32_t device, const void *bytes);
    /* Get ready for scans under this plan, which outlives them. */
    enum trawl_status (*worker_begin)(struct engine_worker *worker, const struct trawl_plan *plan,
                                      struct trawl_error *error);
    /* Search begins in [from, chunk->owned). UNSUPPORTED: this plan is not for this engine. */
    enum trawl_status (*scan)(struct engine_worker *worker, const struct engine_chunk *chunk,
                              uint64_t from, enum engine_want want, struct engine_result *result,
                              struct trawl_error *error);
    /* Optional (NULL: nothing to do): keep a copy of these bytes, and forget it. A scan finds out
     * by itself whether its chunk lies in loaded bytes. `anew`: also if they are loaded. */
    enum trawl_status (*load)(struct engine *engine, const uint8_t *bytes, uint64_t bytes_count,
                              bool anew, struct trawl_error *error);
    void (*unload)(struct engine *engine, const uint8_t *bytes);
    /* Optional: the same for a text of the caller's that lies at `address` on a device: no copy
     * comes from `bytes`, which cannot be read, but name the text and its parts. */
    enum trawl_status (*lend)(struct engine *engine, const uint8_t *bytes, uint64_t bytes_count,
                              uint64_t address, struct trawl_error *error);
    /* Optional: copy such a text to `bytes`, which can be read from then on. */
    enum trawl_status (*fetch)(struct engine *engine, uint8_t *bytes, uint64_t bytes_count,
                               struct trawl_error *error);
    /* Optional: would a device search the text that begins at `bytes` without a copy? Which one,
     * and as far as where? false: none. Plan NULL: any. */
    bool (*locate)(struct engine *engine, const struct trawl_plan *plan, const uint8_t *bytes,
                   uint64_t bytes_count, struct engine_part *part);
    /* Optional: for plans whose algorithm takes records, after worker_begin. Fills the matrix,
     * block by block, with threads of its own; the plan's conditions hold inside each record. Adds
     * to the result's device times and candidate_count. STOPPED: there was no next block. */
    enum trawl_status (*matrix)(struct engine_worker *worker, struct engine_matrix *matrix,
                                struct engine_result *result, struct trawl_error *error);
    /* Optional: begin to count in a chunk that lies on the worker's device, after worker_begin, and
     * return at once; then, in the same order, wait for each and say how often. Nothing else may
     * be asked of the worker before as many were ended as begun. false: a scan of the chunk is to
     * count, and to say what is wrong. */
    bool (*count_begin)(struct engine_worker *worker, const struct engine_chunk *chunk);
    bool (*count_end)(struct engine_worker *worker, uint64_t *count, uint64_t *candidate_count);
    /* Optional: fill an array, after worker_begin, where a device can do all of it by itself. Else
     * UNSUPPORTED, and scans are to do it. */
    enum trawl_status (*begins)(struct engine_worker *worker, struct engine_begins *begins,
                                struct trawl_error *error);
    /* Optional: the same for one device's parts of a text. List a part. Begin to bring `count`
     * words of the worker's memory from the word `at` on to the host, as the piece with that
     * number, which then is no other's: to `host`, which is_pinned, or to memory of the engine's
     * where that is NULL. Lists and pieces go on at the same time. UNSUPPORTED, as above; MEMORY.
     */
    enum trawl_status (*list)(struct engine_worker *worker, struct engine_list *list,
                              struct trawl_error *error);
    enum trawl_status (*list_bring)(struct engine_worker *worker, uint64_t at, uint64_t count,
                                    uint32_t piece, uint64_t *host, struct trawl_error *error);
    /* Does the device copy to this memory of the host's by itself? */
    bool (*is_pinned)(const struct engine_worker *worker, const void *bytes, uint64_t count);
    /* Wait for a piece, which is at *words if that is the engine's; in any thread. And for all of
     * them, also after a failure. */
    enum trawl_status (*list_piece)(const struct engine_worker *worker, uint32_t piece,
                                    const uint64_t **words, struct trawl_error *error);
    enum trawl_status (*list_wait)(struct engine_worker *worker, struct trawl_error *error);
};

extern const struct engine_ops engine_cpu;

#endif
