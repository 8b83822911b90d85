/* worker: the memory of a thread of the CPU engine, and the state of a scan. */
#ifndef TRAWL_CPU_WORKER_H
#define TRAWL_CPU_WORKER_H

#include "cpu/dense.h"
#include "cpu/find.h"
#include "cpu/set_class.h"
#include "cpu/sizes.h"
#include "engine.h"
#include "plan/parts.h"

/* With more literals, buckets search only if one occurrence of a line or a place is enough. */
#define BUCKETS_MANY 256u
#define WORK_SPARED_MAX 1024u /* upper bound of engine_worker.work_spared */
#define WORKER_SAMPLE_BYTES (16u << 10)
#define WORKER_SHORT_BYTES (16u << 10)
#define WORKER_SHORT_SLACK (3 * FIND_LOAD_SLACK)

/* The literals of a set whose literals have one byte each. */
struct byte_set {
    struct find_bytes bytes;
    uint32_t literal[256]; /* by byte: the first literal that is this byte */
    uint32_t count[256];   /* by byte: the number of literals that are this byte */
    bool repeats;          /* some count is more than 1 */
};

/* A plan that is searched in parts (plan/parts.h): a worker for each part, and what each part found
 * in a chunk. */
struct cpu_parts {
    const struct plan_parts *of; /* NULL: the workers are not compiled for the plan */
    struct engine_worker *workers[PLAN_PARTS_MAX];
    struct engine_result found[PLAN_PARTS_MAX];
};

/* The programs that may search for a set, and their comparison (programs.c). */
enum program {
#define PROGRAM(name, ...) PROGRAM_##name,
#include "cpu/set_programs.def"
#undef PROGRAM
    PROGRAMS
};

struct tournament {
    uint32_t fits; /* programs that may search, as bits */
    uint32_t warm; /* pieces of a turn that bring tables into the caches, and do not count */
    enum program now;
    enum program first;  /* the program that searches first */
    enum program before; /* the program that searched before the current tournament */
    uint32_t open;       /* programs that are compared, as bits; 0: no tournament is going on */
    uint32_t step;       /* number of the piece in the program's turn, from 1 on */
    uint32_t unsettled;  /* pieces of the turn in which tables were made */
    /* bytes of text until the piece ends; between tournaments, until the next may begin */
    uint64_t left;
    uint64_t spent;       /* ns that the search took since the last tournament */
    uint64_t searched;    /* bytes of text that were searched in `spent` */
    uint64_t short_texts; /* number of short texts between tournaments */
    bool is_warm;         /* the tables of the program that searches are in the caches */
    struct {
        uint64_t ns, bytes; /* time of the program's pieces that count, and their bytes */
        uint64_t rest;      /* bytes of text until the program may be compared again */
        uint64_t interval;  /* least bytes of text from a comparison to the next */
    } of[PROGRAMS];
};

/* How a worker searches the text. The worker begins with the plan's choice and adapts to the text;
 * the plan never changes. */
struct engine_worker {
    const struct find_ops *find;
    const struct trawl_plan *plan;
    /* the engine itself, which searches for parts of the plan by workers of their own */
    const struct engine_ops *ops;
    struct engine *engine;
    struct cpu_parts *alone; /* a worker for each pattern; owned; NULL until parts were compared */
    struct cpu_parts *parts; /* a worker for each part; owned; NULL as above */
    struct tournament tournament;     /* compares the programs of a set */
    uint64_t makes;                   /* how often tables were made or fetched */
    const struct plan_tuning *tuning; /* the plan's tuning, or `own` */
    /* from the last look: the worker samples the text and chooses the method */
    struct plan_tuning own;
    const struct plan_costs *costs;
    struct plan_prices prices; /* by the plan's tuning, or by the last look */
    double sampled_took; /* measured cost of method sampled, when a search left it; 0: not known */
    uint64_t look_left;  /* bytes of text after which a look may be due; UINT64_MAX: never */
    /* bytes that the method searched since the last look, for which `took` and `priced` count */
    uint64_t searched;
    /* the method has searched a first part, which is not counted in `searched` */
    bool has_begun;
    double took; /* ns by the clock for `searched` bytes */
    /* ns by the prices of the method and of its candidates for `searched` bytes */
    double priced;
    double least;           /* lower bound on the ns per byte of any method for the literal */
    uint64_t sampled_after; /* bytes of text after which the tables of method sampled pay; 0: now */
    const struct sampled_tables *sampled;
    enum trawl_method method; /* the plan's method, or method every if the plan's does not pay */
    /* the tuning's probes, and probes at offsets where candidates failed */
    struct plan_probe probes[PLAN_PROBES_MAX];
    uint64_t probe_offset_min;
    uint64_t probe_offset_max;
    uint32_t probe_count;  /* ≤ FIND_FIRST_MAX if head_bytes > 0 */
    uint32_t first_probes; /* number of probes that are tested at every position */
    uint64_t learned;      /* the literal's offset where the last candidate failed */
    uint8_t head[64];      /* the literal, then zeros */
    /* bytes of `head` that are compared for all candidates of a tile at once; 0: each candidate is
     * verified by itself */
    uint32_t head_bytes;
    /* occurrences begin only where the plan's conditions let words or lines begin */
    bool at_borders;
    struct find_bytes inside; /* bytes after which no occurrence begins */
    bool bytes_only;          /* all literals have one byte: `bytes` holds them all */
    struct byte_set bytes;
    const struct plan_set_tables *set;  /* NULL until the set is searched by buckets */
    const struct plan_nibbles *nibbles; /* NULL: positions of a set pass by its bitmap */
    const struct set_matcher *matcher;  /* NULL until the set is searched by classes */
    struct set_scratch *scratch;        /* buffers for the matcher; owned */
    uint32_t tile_positions;            /* LINES: positions of the next tile */
    bool lines_hit;       /* LINES, by stems: at least 1 of 4 lines of the last tile has a hit */
    bool lines_kept;      /* LINES, by stems: `gathered` has one hit for each line of this tile */
    struct hits gathered; /* hits of the current tile */
    /* COUNT: occurrences of the current tile that are not in `gathered` */
    uint64_t counted;
    struct hits ordered; /* buffer in which `gathered` is sorted */
    /* the state of the automaton's searches, for sets whose candidates are dense */
    struct dense_worker dense;
    uint64_t dense_bytes;   /* begins that the automaton was to search in the last dense part */
    uint64_t dense_left;    /* begins of that part that are still to be searched */
    enum program dense_by;  /* the program that left that part to the automaton */
    uint64_t work_per_byte; /* work per byte of text above which candidates are dense */
    uint64_t work_spared;   /* work that the positions before did not use, ≤ WORK_SPARED_MAX */
    /* work that dense parts have taken without an automaton, in searches with the plan
     * dense_serial */
    uint64_t dense_work;
    uint64_t dense_serial;
    /* set while dense_work is too little for the automaton to pay: the last positions were dense,
     * too */
    bool dense_waits;
    /* The tiles are not cleared: a scan reads only what it wrote for the same tile of text. */
    struct find_tile tile;
    struct find_tile ends;      /* LINES: the line ends of the tile's text */
    struct find_tile ends_also; /* line ends by the second byte that ends lines */
    struct find_tile after;     /* bytes of the text that no occurrence may follow */
    uint8_t short_text[WORKER_SHORT_BYTES + WORKER_SHORT_SLACK]; /* a copy of a short chunk */
    uint8_t sample[WORKER_SAMPLE_BYTES];                         /* the sample of a look */
};

/* Copies the tuning's probes into the worker. */
void worker_probes_begin(struct engine_worker *worker);

/* The state of a scan of a chunk. */
struct scan {
    struct engine_worker *worker; /* NULL: a scan by verify_steps alone, for a different engine */
    void *context;                /* for the caller of verify_steps */
    const struct trawl_plan *plan;
    const struct engine_chunk *chunk; /* owned by the caller */
    enum want want;
    struct engine_result *result; /* owned by the caller */
    struct trawl_error *error;
    uint64_t at;    /* all begins < at are searched */
    uint64_t limit; /* begins ≥ limit are not searched now */
    /* begins ≥ end are not owned, or have no room for the shortest occurrence */
    uint64_t end;
    uint64_t available; /* valid bytes from chunk->bytes on */
    uint64_t loadable;  /* loadable bytes from chunk->bytes on, ≥ available */
    uint64_t run_until; /* begins < run_until are decided, by a run or by a taken line or span */
    /* work of failed candidates and of occurrences, in units of about a compared byte */
    uint64_t work;
    uint64_t work_max; /* if work exceeds this, two_way or the automaton takes over */
    /* sets: the work that was already counted in dense_work, or before the current positions */
    uint64_t work_begin;
    /* positions that passed the first filter; method every: words that passed the first probes */
    uint64_t passed;
    uint64_t failed; /* candidates of this scan that were no occurrence */
    /* position 0 of the tile that is being verified; tile_words 0: there is no tile */
    uint64_t tile_begin;
    uint64_t tile_words;
    bool ends_known;
    uint64_t tile_count;  /* result->count when this tile, if longer than a word, began */
    uint64_t tiles_count; /* hits in the tiles before, halved with each tile */
    /* with ends_known: some line ends in the tile are NULs, after which lines go on */
    bool has_nulls;
    uint64_t line_until; /* LINES: begins < line_until lie in a line whose hit was taken */
    uint64_t record;     /* if the text has records: the record of the last look-up */
    /* SPANS: [span_begin, span_end) is the longest hit at the last begin that was taken.
     * span_is_sure is set at the first begin before which all earlier hits have ended: the hits
     * that are taken from this begin on are the spans. */
    uint64_t span_begin;
    uint64_t span_end;
    /* upper bound on the ends of all occurrences seen, and of those that began before this scan */
    uint64_t span_reach;
    bool span_is_sure;
    /* occurrences of a literal have different lengths, which hits.lengths keeps */
    bool keeps_lengths;
    bool over; /* the program ends, because the scan has its answer, is full, has failed or left */
    bool is_left; /* the program has left the text at `at` to the next program */
    enum trawl_status status;
};

/* ---- engine_cpu.c ---- */

/* Starts a scan of the begins in [from, chunk->owned), which adds to the result. worker and context
 * are NULL. */
void scan_begin(struct scan *scan, const struct trawl_plan *plan, const struct engine_chunk *chunk,
                uint64_t from, enum want want, struct engine_result *result,
                struct trawl_error *error);
/* Writes to the result how far the scan came. Returns the scan's status. */
enum trawl_status scan_end(const struct scan *scan);

/* ---- verify.c: from candidates to hits ---- */

/* Handles an occurrence of `literal` at x of `length` bytes: checks the plan's conditions, counts
 * the occurrence, and keeps a hit if hits are wanted. */
void verify_emit(struct scan *scan, uint64_t x, uint32_t literal, uint64_t length);
/* Returns the first offset where the literal and the text at x differ; `count` if the first `count`
 * bytes agree. */
uint64_t verify_mismatch(const struct scan *scan, uint32_t literal, uint64_t x, uint64_t count);
/* Compares hits by (offset, literal), for qsort. */
int verify_compare_hits(const void *a, const void *b);
/* For LINES: returns a mask of `words` words with a bit for each position where a line ends or a
 * NUL is. Position 0 is `begin`. The text is readable for FIND_LOAD_SLACK bytes beyond the
 * words. */
const uint64_t *verify_ends(struct scan *scan, uint64_t begin, uint64_t words);
/* Returns the last byte of the record that holds x, at most chunk->owned; UINT64_MAX if the record
 * does not hold all `length` bytes from x on. */
uint64_t verify_record_end(struct scan *scan, uint64_t x, uint64_t length);
/* Fills the worker's tile `ends` with a bit for each position of 64 * words where a record ends. */
void verify_record_ends(struct scan *scan, uint64_t begin, uint64_t words);
/* Verifies a candidate of a plan with a single literal. Candidates ascend from call to call. */
void verify_one(struct scan *scan, uint64_t x);
/* Calls `verify` for each candidate of the worker's tile, whose position 0 is scan->at. */
void verify_tile(struct scan *scan, uint64_t word_count,
                 void (*verify)(struct scan *scan, uint64_t x));
/* Handles a position where the literal's bytes stand, without its tail: matches the tail, and calls
 * verify_emit. */
void verify_occurrence(struct scan *scan, uint32_t index, uint64_t x);

/* Verifies all begins of the literal in [scan->at, to), in ascending order. */
typedef void (*verify_search)(struct scan *scan, uint32_t index, uint64_t to);
/* Searches the begins in [scan->at, scan->limit) in steps of max(step_min, 2 * length_max). In each
 * step, calls `search` for each literal, and then sorts the hits. */
void verify_steps(struct scan *scan, uint64_t step_min, verify_search search);
#define VERIFY_STEP (1u << 16)
/* Calls verify_steps with a search whose time is linear for each literal. */
void verify_linear(struct scan *scan);

/* ---- scan_*.c: the methods; each searches begins from scan->at until limit or scan->over ---- */
#define METHOD(name, literals, length_min, work, program) void program(struct scan *scan);
#include "plan/methods.def"
void scan_bytes(struct scan *scan); /* sets of one-byte literals */
/* Makes the set of byte values empty. */
void bytes_empty(struct find_bytes *bytes);
/* Adds a byte value to the set. */
void bytes_add(struct find_bytes *bytes, uint8_t value);

/* ---- borders.c: whole words and lines ---- */

/* Both functions are for plans with conditions. */
void borders_begin(struct engine_worker *worker, const struct trawl_plan *plan);
/* If the worker's tile has many candidates, clears bits whose byte before rules out an occurrence;
 * some such bits may stay. Position 0 of the tile is scan->at. */
void borders_apply(struct scan *scan, uint64_t words);

/* Returns whether all the plan's literals have one byte and no conditions, and fills `set`. */
bool bytes_begin(struct byte_set *set, const struct trawl_plan *plan);
/* Returns whether scan_bytes is the faster way to the answer, for a plan that bytes_begin took. */
bool scan_bytes_fits(const struct engine_worker *worker, enum want want);

/* Copies excerpts of the chunk, spread over the chunk, to worker->sample. Returns the number of
 * bytes; 0 if the chunk is shorter than PLAN_SAMPLE_BYTES_MIN. */
uint64_t worker_sample(struct engine_worker *worker, const struct engine_chunk *chunk);

/* ---- programs.c ---- */

/* Chooses the first program for the worker's plan. */
void choice_begin(struct engine_worker *worker);
/* Counts what the scan searched since `begin` by the worker's method, in `ns`. `candidates` and
 * `passed` are the scan's counts at `begin`. */
void worker_count(const struct scan *scan, uint64_t begin, uint64_t candidates, uint64_t passed,
                  uint64_t ns);
/* Runs before a chunk: makes the tables of method sampled if they pay; and if a look is due, looks
 * at the chunk and chooses the method from here on. The current method stays if it was faster than
 * the best price of the look. Errors: MEMORY. */
enum trawl_status worker_look(struct engine_worker *worker, const struct engine_chunk *chunk,
                              struct trawl_error *error);
/* Searches the begins in [scan->at, scan->limit) by the programs that the worker chose. */
void scan_run(struct scan *scan);
/* Returns the method by which the worker searches at the moment. */
enum trawl_method scan_method(const struct engine_worker *worker);

/* ---- scan_parts.c ---- */

/* Searches the begins in [scan->at, scan->limit) for each part of the plan: `which` is PLAN_ALONE
 * or PLAN_PARTS_HOST. Returns false if the plan has no parts; the scan then has not moved. */
bool scan_parts(struct scan *scan, enum plan_attachment which, struct cpu_parts **parts);
void parts_release(struct engine_worker *worker, struct cpu_parts *parts);

/* ---- scan_dense.c ---- */

/* Searches the begins in [from, to) by the automaton. Returns false if the automaton cannot search;
 * the scan then has not moved. Otherwise scan->at is where to go on: ≥ to unless scan->over. */
bool scan_dense(struct scan *scan, uint64_t from, uint64_t to);
/* For sets: sets work_max for the next positions. */
void dense_allow(struct scan *scan, uint64_t positions);
/* Ends positions that did not exceed work_max, and that decided this many bytes: keeps the unused
 * work for later positions. */
void dense_spare(struct scan *scan, uint64_t bytes);
/* Runs when positions have exceeded work_max. Leaves the text to the automaton from x on, each time
 * for longer. Returns false if making the automaton would not pay yet; the scan must then verify
 * the candidates from x on. */
bool dense_leaves(struct scan *scan, uint64_t x);

/* Returns whether the result has enough hits. The scan then stops at a position from which it can
 * go on. */
static inline bool scan_is_full(const struct scan *scan)
{
    return scan->result->hits.count >= cpu_sizes.hits;
}

/* Ends a program that costs too much in this text: the next program searches from x on. */
static inline void scan_leave(struct scan *scan, uint64_t x)
{
    scan->at = x > scan->run_until ? x : scan->run_until;
    scan->over = scan->is_left = true;
}

/* Clears the tile's bits of positions ≥ positions, all of which lie in the last word. */
static inline void tile_cut(struct find_tile *tile, uint64_t word_count, uint64_t positions)
{
    TRAWL_ASSERT(word_count > 0 && word_count <= FIND_TILE_WORDS);
    TRAWL_ASSERT(positions > 64 * (word_count - 1));
    if (positions < 64 * word_count)
        tile->mask[word_count - 1] &= (1ull << positions % 64) - 1;
}

#endif
