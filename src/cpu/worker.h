/* worker: the memory of a thread that searches on the host's cores, and the state of a scan, the
 * search of a single chunk of text.
 *
 * A start is a position where an occurrence may begin; a candidate is a start that passed a filter.
 * A strategy is one of the search loops scan_*.c. A tile is a stretch of text whose candidates are
 * collected together. Candidates are dense where there are so many of them that the automaton is
 * faster.
 */
#ifndef TRAWL_CPU_WORKER_H
#define TRAWL_CPU_WORKER_H

#include "base/checked.h"
#include "cpu/dense.h"
#include "cpu/find.h"
#include "cpu/set_class.h"
#include "cpu/sizes.h"
#include "engine.h"
#include "plan/contest.h"
#include "plan/parts.h"

#define WORKER_SAMPLE_BYTES (16u << 10)
#define WORKER_SHORT_BYTES (16u << 10)
#define WORKER_SHORT_SLACK (3 * FIND_LOAD_SLACK)

/* A set of one-byte literals. */
struct byte_set {
    struct find_bytes bytes;
    uint32_t literal[256]; /* for each value of a byte: the first literal that is this byte */
    bool repeats;          /* some byte is the literal of several patterns */
};

/* Workers for a plan that is searched in parts (plan/parts.h): for each part, a worker and the
 * results in a chunk. */
struct cpu_parts {
    const struct plan_parts *of; /* the parts to search for; NULL: the workers are not ready */
    struct engine_worker *workers[PLAN_PARTS_MAX];
    struct engine_result found[PLAN_PARTS_MAX];
};

/* number of strategies that search for parts of a plan */
#define CPU_PARTS (STRATEGIES - STRATEGY_ALONE)

/* How a worker searches: it begins with the plan's choice, and adapts it to the text. */
struct cpu_worker {
    const struct find_ops *find;
    const struct trawl_plan *plan;
    /* the engine, which makes more workers for parts of the plan */
    const struct engine_ops *ops;
    struct engine *engine;
    /* workers for each pattern (PLAN_ALONE) and for each part (PLAN_PARTS_HOST), owned; NULL until
     * a trial of these strategies */
    struct cpu_parts *parts[CPU_PARTS];
    struct contest contest; /* compares the strategies that can search for a set */
    uint64_t short_texts;   /* how many short texts were searched; some are timed */
    uint64_t makes;         /* how often tables were built or fetched */
    /* what is known about the literal and the text: the plan's tuning or, after a look at a sample
     * of the text, `own` */
    const struct plan_tuning *tuning;
    struct plan_tuning own;         /* the tuning from the last sample */
    const struct plan_costs *costs; /* the methods' costs with the worker's instruction set */
    /* expected costs of the methods, according to the plan's tuning or to the last look */
    struct plan_prices prices;
    /* ns per byte that the "sampled" method took when a search last left it; 0: unknown */
    double sampled_took;
    /* bytes of text until a look may be due; UINT64_MAX: never */
    uint64_t look_left;
    /* bytes of text searched since the last look, to which `took` and `priced` refer */
    uint64_t searched;
    /* the method has searched a first part of the text, which is not counted in `searched` */
    bool has_begun;
    double took; /* measured ns for `searched` bytes */
    /* ns that `searched` bytes were expected to take with this method and its candidates */
    double priced;
    double min; /* ns per byte that the fastest method should take; 0: not computed yet */
    /* bytes of text after which building the tables of the "sampled" method pays off; 0: now */
    uint64_t sampled_after;
    const struct sampled_tables *sampled;
    /* the method in use: the plan's, or one that the worker expects to be faster on the text */
    enum trawl_method method;
    /* bytes of the literal that are tested: the tuning's probes, and those at offsets where
     * candidates failed */
    struct plan_probe probes[PLAN_PROBES_MAX];
    uint32_t probe_count;  /* ≤ PLAN_FIRST_PROBES_MAX if head_bytes > 0 */
    uint32_t first_probes; /* number of probes that are tested at every position */
    uint64_t learned;      /* offset in the literal where the last candidate failed */
    uint8_t head[64];      /* if head_bytes > 0: the literal, then zeros */
    /* If not 0, all candidates of a tile are compared together with the first head_bytes bytes of
     * `head`. */
    uint32_t head_bytes;
    /* the plan requires whole words or lines, and has no periodic literal: the byte before a start
     * rules out most starts */
    bool at_borders;
    struct find_bytes inside; /* byte values after which no occurrence can begin */
    bool bytes_only;          /* all literals have one byte, and need not be whole words or lines */
    struct byte_set bytes;
    /* tables of buckets; NULL until the set is searched with buckets */
    const struct plan_set_tables *set;
    /* nibble tables, which filter positions; if NULL, the set's bitmap does */
    const struct plan_nibbles *nibbles;
    set_choose choose_classes;
    /* tables of classes (set_class.h); NULL until the set is searched with classes */
    const struct set_matcher *matcher;
    struct set_scratch *scratch; /* buffers for a search with classes; owned */
    uint32_t tile_positions;     /* in a line search: the size of the next tile */
    /* in a line search that uses stems: at least 1 in 4 lines of the last tile had a hit */
    bool lines_hit;
    /* in a line search that uses stems: `gathered` has exactly one hit for each line with hits */
    bool lines_kept;
    struct hits gathered; /* the hits of the current tile, before they are sorted */
    /* in a search for a count: occurrences of the tile that were counted but not gathered */
    uint64_t counted;
    struct hits ordered; /* a buffer in which `gathered` is sorted */
    /* the automaton's state, for sets whose candidates are dense */
    struct dense_worker dense;
    /* how many starts were left to the automaton at the last dense part of the text; halved at each
     * later part that was not dense */
    uint64_t dense_bytes;
    uint64_t dense_left;    /* starts that the automaton still has to search */
    enum strategy dense_by; /* the strategy that left these starts to the automaton */
    /* a set's candidates are dense if they cost more work than this per byte of text */
    uint64_t work_per_byte;
    /* Work in dense parts for the plan with serial number dense_serial, before the automaton is
     * built. Once there is enough of it, building the automaton pays off. */
    uint64_t dense_work;
    uint64_t dense_searched; /* bytes of text that were searched for that plan by candidates */
    uint64_t dense_serial;
    /* the last positions were dense, but building the automaton does not pay off yet */
    bool dense_waits;
    /* The tiles are never cleared: a scan only reads words that it wrote for the same tile. */
    struct find_tile tile;
    struct find_tile ends;      /* in a search for lines: the line ends of the tile's text */
    struct find_tile ends_also; /* in the same search: second line ends, or NULs */
    struct find_tile after;     /* marks bytes that an occurrence may not adjoin */
    uint8_t short_text[WORKER_SHORT_BYTES + WORKER_SHORT_SLACK]; /* a short chunk, then zeros */
    uint8_t sample[WORKER_SAMPLE_BYTES];                         /* the sample of a look */
};

/* Returns the host's worker behind the type that all engines share. */
static inline struct cpu_worker *cpu_worker_of(struct engine_worker *worker)
{
    return (struct cpu_worker *)worker;
}

/* Copies the tuning's probes into the worker. */
void worker_probes_begin(struct cpu_worker *worker);

/* The state of a scan, which searches a single chunk. */
struct scan {
    /* NULL if another engine, which has no such worker, calls verify_steps */
    struct cpu_worker *worker;
    void *context; /* for the caller of verify_steps; nothing else uses it */
    const struct trawl_plan *plan;
    const struct engine_chunk *chunk; /* owned by the caller */
    enum want want;
    struct engine_result *result; /* owned by the caller */
    struct trawl_error *error;
    uint64_t at;    /* all starts below `at` have been searched */
    uint64_t limit; /* this call searches the starts below `limit` */
    /* starts at or after `end` belong to the next chunk, or leave no room for an occurrence */
    uint64_t end;
    uint64_t available; /* bytes of text at chunk->bytes */
    uint64_t loadable;  /* bytes at chunk->bytes that a vector may load, ≥ available */
    /* starts below this are skipped: they lie in a run of occurrences that has been handled, or in
     * a line or span that has its hit */
    uint64_t run_until;
    /* cost so far of failed candidates and of occurrences: about the number of compared bytes */
    uint64_t work;
    uint64_t work_max; /* when `work` exceeds this, two_way or the automaton takes over */
    /* in a search for a set: the part of `work` that has been added to dense_work, or belongs to
     * earlier positions */
    uint64_t work_begin;
    /* number of positions that passed the first filter; with the "every" method, number of words in
     * which a position passed */
    uint64_t passed;
    uint64_t failed; /* candidates that turned out to be no occurrence */
    /* set by verify_ends: `ends` may also have NULs, which are not line ends of the plan */
    bool has_nulls;
    /* in a search for lines: starts below this are in a line whose hit was taken */
    uint64_t line_until;
    uint64_t record; /* if the text has records: number of the record that was looked up last */
    /* WANT_SPANS: [span_begin, span_end) is the longest hit at the last start with a hit.
     * Until span_is_sure, a span of an earlier chunk may overlap the hits found, so all are kept.
     * span_is_sure is set from the start if that span's end is known, otherwise at the first hit
     * that no earlier occurrence can reach. */
    uint64_t span_begin;
    uint64_t span_end;
    /* no occurrence that this scan met, or that began before it, ends after this */
    uint64_t span_reach;
    bool span_is_sure;
    /* occurrences of one literal can differ in length, so hits.lengths stores each */
    bool keeps_lengths;
    /* the strategy must return: it has its answer, its result is full, it failed, or it leaves the
     * text to another strategy (is_left) */
    bool over;
    bool is_left; /* the strategy has left the text at and after `at` to another strategy */
    enum trawl_status status;
};

/* ---- engine_cpu.c ---- */

/* Prepares a scan of the starts in [from, chunk->owned), which adds to *result. Sets worker and
 * context to NULL. */
void scan_begin(struct scan *scan, const struct trawl_plan *plan, const struct engine_chunk *chunk,
                uint64_t from, enum want want, struct engine_result *result,
                struct trawl_error *error);
/* Writes into the result how far the scan has searched. Returns the scan's status. */
enum trawl_status scan_end(const struct scan *scan);

/* ---- verify.c: from candidates to hits ---- */

/* Handles an occurrence of `literal` at x with `length` bytes: checks the plan's conditions, counts
 * the occurrence, and keeps a hit if hits are wanted. */
void verify_emit(struct scan *scan, uint64_t x, uint32_t literal, uint64_t length);
/* Returns the first offset at which the literal differs from the text at x, at most `count`. */
uint64_t verify_mismatch(const struct scan *scan, uint32_t literal, uint64_t x, uint64_t count);
/* A comparison function for qsort: hits by offset, then by literal. */
int verify_compare_hits(const void *a, const void *b);
/* In a search for lines, returns a mask of `words` words, beginning at `begin`, with a bit at each
 * position where a line or a record ends. A NUL also ends a line, unless the plan has a second line
 * end. The text must be readable for FIND_LOAD_SLACK bytes after these positions. */
const uint64_t *verify_ends(struct scan *scan, uint64_t begin, uint64_t words);
/* In a search for lines, returns true if the hit at x is the first of its line, and then skips the
 * rest of the line. If the text consists of records, one record must contain the whole hit. */
bool verify_take_line(struct scan *scan, uint64_t x, uint64_t length);
/* For a search for lines in which every bit of the worker's tile, which begins at scan->at, is a
 * hit, and no hit crosses a record's end. Keeps only the first bit of each line, and skips the rest
 * of the last line if that has a bit. `vectors` means that the text is readable for FIND_LOAD_SLACK
 * bytes after the tile. */
void verify_lines(struct scan *scan, uint64_t words, uint64_t positions, bool vectors);
/* Returns the offset of the last byte of the record that contains x, at most chunk->owned;
 * UINT64_MAX if the record does not contain all `length` bytes at x. */
uint64_t verify_record_end(struct scan *scan, uint64_t x, uint64_t length);
/* Sets a bit in the worker's tile `ends` for each of 64 * words positions that ends a record. */
void verify_record_ends(struct scan *scan, uint64_t begin, uint64_t words);
/* Tests a candidate for a plan with a single literal, and emits it if it is an occurrence.
 * Candidates must ascend from call to call. */
void verify_one(struct scan *scan, uint64_t x);
/* Takes all bits of the worker's tile, which begins at scan->at, as occurrences: counts them, or
 * keeps hits. `found` is the number of bits. `literals` has the literal of each byte value at which
 * one may begin; NULL: all are literal 0. */
void verify_bits(struct scan *scan, uint64_t words, uint64_t found, const uint32_t *literals);
/* Calls `verify` for each candidate of the worker's tile at or after scan->run_until, until
 * scan->over is set. The tile begins at scan->at. */
void verify_tile(struct scan *scan, uint64_t word_count,
                 void (*verify)(struct scan *scan, uint64_t x));
/* Handles a position where the bytes of a literal are: matches the literal's tail (variants of
 * characters), and then calls verify_emit. */
void verify_occurrence(struct scan *scan, uint32_t index, uint64_t x);

/* Verifies the literal at all starts in [scan->at, to), in ascending order. */
typedef void (*verify_search)(struct scan *scan, uint32_t index, uint64_t to);
/* Searches the starts in [scan->at, scan->limit) in steps of max(step_min, 2 * length_max)
 * positions. In each step, calls `search` for each literal, then sorts the hits. */
void verify_steps(struct scan *scan, uint64_t step_min, verify_search search);
#define VERIFY_STEP (1u << 16)
/* Searches for each literal by two_way, whose time is linear. */
void verify_linear(struct scan *scan);

/* ---- scan_*.c: the strategies; each searches from scan->at to limit, or until scan->over ---- */
#define METHOD(name, literals, length_min, work, function) void function(struct scan *scan);
#include "plan/methods.def"
void scan_bytes(struct scan *scan); /* for sets of one-byte literals */
/* Makes the set of byte values empty. */
void bytes_empty(struct find_bytes *bytes);
/* Adds a byte value to the set. */
void bytes_add(struct find_bytes *bytes, uint8_t value);
/* Sets bit x of the tile, which becomes dense, if the byte at text + x is in the set. The text must
 * be readable for FIND_LOAD_SLACK bytes after the tile. */
void bytes_find(const struct find_ops *find, const uint8_t *text, uint64_t words,
                const struct find_bytes *bytes, struct find_tile *tile);

/* ---- borders.c: whole words and lines ---- */

/* Prepares the worker for a plan that requires whole words or lines. */
void borders_begin(struct cpu_worker *worker, const struct trawl_plan *plan);
/* If the worker's tile, which begins at scan->at, has many candidates, clears the bits of those
 * that the byte before them rules out (whole words, whole lines). May miss some. */
void borders_apply(struct scan *scan, uint64_t words);

/* Returns true and fills *set if the plan has only one-byte literals, no conditions (whole words,
 * whole lines), no tails and no published algorithm. */
bool bytes_begin(struct byte_set *set, const struct trawl_plan *plan);
/* For a plan that bytes_begin accepted: returns true if scan_bytes is the fastest strategy. */
bool scan_bytes_fits(const struct cpu_worker *worker, enum want want);

/* Copies excerpts from all over the chunk to worker->sample. Returns how many bytes it copied; 0 if
 * the chunk is shorter than PLAN_SAMPLE_BYTES_MIN. */
uint64_t worker_sample(struct cpu_worker *worker, const struct engine_chunk *chunk);

/* ---- strategies.c ---- */

/* Chooses the first strategy for the worker's plan. */
void choice_begin(struct cpu_worker *worker);
/* Adds to the worker's `searched`, `took` and `priced` what the scan has searched since position
 * `begin`, which took `ns`. `candidates` and `passed` are the scan's counts at that position. */
void worker_count(const struct scan *scan, uint64_t begin, uint64_t candidates, uint64_t passed,
                  uint64_t ns);
/* Called before a chunk is searched. Builds the tables of the "sampled" method if they pay off. If
 * a look is due, samples the chunk and chooses the method for the text that follows. The present
 * method stays if it was faster than any method is expected to be in the sample. Errors: MEMORY. */
enum trawl_status worker_look(struct cpu_worker *worker, const struct engine_chunk *chunk,
                              struct trawl_error *error);
/* Searches the starts in [scan->at, scan->limit) with the strategies that the worker has chosen. */
void scan_run(struct scan *scan);
/* Returns the method that the worker is now using. */
enum trawl_method scan_method(const struct cpu_worker *worker);

/* ---- scan_parts.c ---- */

/* Searches the starts in [scan->at, scan->limit) for each part of the plan. `kind` is an index of
 * worker->parts. Returns false, having searched nothing, if the plan has no parts or memory cannot
 * be allocated. */
bool scan_parts(struct scan *scan, uint32_t kind);
void parts_release(struct cpu_worker *worker, struct cpu_parts *parts);

/* ---- scan_dense.c ---- */

/* Searches the starts in [from, to) with the automaton. Afterwards scan->at is where to continue:
 * at least `to`, unless scan->over is set. Returns false, having searched nothing, if the automaton
 * cannot be used. */
bool scan_dense(struct scan *scan, uint64_t from, uint64_t to);
/* For sets: sets scan->work_max, the limit of the work for the next `positions` positions. */
void dense_allow(struct scan *scan, uint64_t positions);
/* Called when verification took more work than scan->work_max. Leaves the text at and after x to
 * the automaton, a longer stretch each time. Returns false if building the automaton would not pay
 * off yet, or if no text is left; the scan must then continue to verify at x. */
bool dense_leaves(struct scan *scan, uint64_t x);

/* Returns true if the result has so many hits that the scan stops. A later scan continues there. */
static inline bool scan_is_full(const struct scan *scan)
{
    return scan->result->hits.count >= cpu_sizes.hits;
}

/* Returns how many words of the tile of `positions` positions at `at` vectors can fill, if a
 * position depends on `kept` bytes that must be readable, which include a whole vector. */
static inline uint64_t scan_words(const struct scan *scan, uint64_t at, uint64_t positions,
                                  uint64_t kept)
{
    uint64_t room = scan->loadable - at;

    TRAWL_ASSERT(at <= scan->loadable);
    return room < kept ? 0 : min_u64((positions + 63) / 64, (room - kept) / 64);
}

/* Makes room for `count` more hits in the result. Sets scan->over if there is no memory. */
static inline void scan_reserve(struct scan *scan, uint64_t count)
{
    struct hits *hits = &scan->result->hits;

    scan->status = scan->keeps_lengths ? hits_reserve_lengths(hits, count, scan->error)
                                       : hits_reserve(hits, count, scan->error);
    scan->over = scan->status != TRAWL_OK;
}

/* Ends a strategy that costs too much in this text. The next one continues at x. */
static inline void scan_leave(struct scan *scan, uint64_t x)
{
    scan->at = x > scan->run_until ? x : scan->run_until;
    scan->over = scan->is_left = true;
}

#endif
