/* worker: what one thread of the CPU engine owns, and one scan's state. */
#ifndef TRAWL_CPU_WORKER_H
#define TRAWL_CPU_WORKER_H

#include "cpu/dense.h"
#include "cpu/find.h"
#include "cpu/set_matcher.h"
#include "engine.h"
#include "plan/parts.h"

#define WORK_SPARED_MAX 1024u /* of a set's work */
#define WORKER_SAMPLE_BYTES (16u << 10)
#define WORKER_SHORT_BYTES (16u << 10)
#define WORKER_SHORT_SLACK (3 * FIND_LOAD_SLACK)

/* The strings of a set whose strings are of one byte each. */
struct byte_set {
    struct find_bytes bytes;
    uint32_t literal[256]; /* the first of that byte */
    uint32_t count[256];   /* so many are */
    bool repeats;          /* more than one of some byte */
};

#define TRIAL_TURN 3u /* steps by one way */
#define TRIAL_STEPS (4 * TRIAL_TURN)

/* A set that may be searched by buckets or by classes: which way takes less time here? */
struct set_trial {
    bool by_classes;
    uint32_t step;     /* of a trial, whose steps are by the one and by the other way; 0: none */
    uint64_t left;     /* bytes of text until the step ends, or until a trial may begin */
    uint64_t interval; /* bytes from the last trial to the next */
    uint64_t spent;    /* what the search took since then, as far as it is counted */
    uint64_t ns[2];    /* this trial's steps took so long, by buckets and by classes, */
    uint64_t bytes[2]; /* for so many bytes */
};

/* A plan searched in parts (plan/parts.h): workers for the parts, what each part found in one
 * chunk, and whether the text at hand lets the parts take less time than the whole plan. */
struct cpu_parts {
    const struct plan_parts *of; /* NULL: the worker's plan has no parts */
    struct engine_worker *workers[PLAN_PARTS_MAX];
    struct engine_result found[PLAN_PARTS_MAX];
};

/* How the worker searches the text now. It begins with the plan's choice and learns from the text:
 * the plan itself never changes. */
struct engine_worker {
    const struct find_ops *find;
    const struct trawl_plan *plan;
    struct cpu_parts *parts;          /* owned; NULL until a trial made it */
    bool by_parts;                    /* the last trial said so */
    uint64_t parts_left;              /* bytes of text until the next trial; UINT64_MAX: none */
    const struct plan_tuning *tuning; /* the plan's, or `own` */
    struct plan_tuning own;           /* made from the text */
    const struct plan_costs *costs;
    struct plan_prices prices; /* by the plan, or by the last look */
    uint64_t look_left;        /* bytes of text, then it may be looked at; UINT64_MAX: never */
    uint64_t searched;         /* bytes of text since the last look, since when the method */
    bool has_begun;            /* and was no longer learning; they took so many ns */
    double took;               /* by the clock, */
    double priced;             /* or by the prices of the method and of the candidates */
    double least;              /* ns per byte that no method of the literal undercuts */
    uint64_t sampled_after; /* bytes of text, then it is worth making the tables of that method: */
    const struct sampled_tables *sampled;
    enum trawl_method method; /* the plan's, or every once that does not pay */
    struct plan_probe
        probes[PLAN_PROBES_MAX]; /* the plan's, and offsets that candidates failed at */
    uint64_t probe_offset_min;
    uint64_t probe_offset_max;
    uint32_t probe_count;  /* fewer than the plan's where heads are compared */
    uint32_t first_probes; /* tested at every position */
    uint64_t learned;      /* the literal's offset where the last candidate failed */
    uint8_t head[64];      /* the literal, then zeros */
    uint32_t head_bytes; /* compared for all candidates at once; 0: they are verified one by one */
    bool at_borders;     /* occurrences begin only where words or lines may, */
    struct find_bytes inside; /* not after one of these bytes */
    bool bytes_only;          /* all strings are of one byte: */
    struct byte_set bytes;
    struct set_trial trial;
    const struct set_matcher *matcher; /* once the set was searched by classes, else NULL */
    struct set_scratch *scratch;       /* with a matcher */
    uint32_t tile_places;              /* LINES: of the next tile */
    bool lines_hit;                    /* LINES, by stems: many lines of the last tile have a hit */
    bool lines_kept;                   /* the same: of this tile one hit of each line is gathered */
    struct hits gathered;              /* of a tile */
    uint64_t counted;                  /* COUNT: of a tile, those that were not gathered */
    struct hits ordered;               /* the same in order, while it is made */
    struct dense_worker dense;         /* for sets whose candidates are dense */
    uint64_t dense_bytes;   /* begins that the automaton searched at the last dense part */
    uint64_t dense_left;    /* of them, that are to follow in the next chunk */
    uint64_t work_per_byte; /* that counts as dense */
    uint64_t work_spared;   /* that positions before did not take, at most WORK_SPARED_MAX */
    uint64_t dense_work;    /* the cost of dense parts while there was no automaton, */
    uint64_t dense_serial;  /* in searches with this plan */
    bool dense_waits;       /* it was too little for the automaton, in the last positions too */
    /* Nothing reads of these what was not written for the same tile. */
    struct find_tile tile;
    struct find_tile ends;      /* LINES: of the same text, where lines end */
    struct find_tile ends_also; /* where they end by the other line end */
    struct find_tile after;     /* the text's bytes that no occurrence follows */
    uint8_t short_text[WORKER_SHORT_BYTES + WORKER_SHORT_SLACK]; /* a copy of a short chunk */
    union {
        uint8_t sample[WORKER_SAMPLE_BYTES];  /* of the text, while it is looked at */
        uint32_t place_ends[SET_TILE_PLACES]; /* by position of a tile: where its sorted hits end */
    };
};

/* Sizes and thresholds. They decide how a text is searched, and never what is found: tests set them
 * lower, so that borders come close to each other. */
struct cpu_sizes {
    uint64_t short_one; /* shorter chunks are copied before they are searched, for one string; a */
    uint64_t short_set; /* longer one's end takes less than to copy all of it; and for a set */
    /* When a worker looks at the text, in bytes of it that it searches. */
    uint64_t look_after;   /* the text is longer than that, */
    uint64_t look_again;   /* and so much has come since, */
    double look_lost_ns;   /* and this was lost, or will be in this chunk: a look takes as long; 0:
                              looks do not ask for that, and prices are believed, not the clock */
    uint64_t look_first;   /* bytes of a part in which the method learns before it is timed */
    uint64_t tile_places;  /* begins of a tile; a multiple of 64, at most 64 * FIND_TILE_WORDS, */
    uint64_t class_places; /* and of a tile that is searched by classes, at most SET_TILE_PLACES */
    uint64_t stem_batch;   /* begins whose stems are looked up together, at most SET_STEM_BATCH */
    uint64_t named;        /* literals that are verified together, at most SET_NAMED_MAX */
    uint64_t trial_bytes;  /* of a step of a trial */
    uint64_t verify_step;  /* begins that two_way searches for one literal after the other */
    uint64_t work_factor;  /* bytes compared per byte of chunk and literal before two_way does */
    uint64_t dense_bytes;  /* begins of the automaton's first part of a dense text */
    uint64_t dense_step;   /* begins that it reads at a time, */
    uint64_t lane_bytes;   /* and at least so many of them by each lane */
    uint64_t border_share; /* fewer candidates per word of a tile are verified as they are */
    uint64_t hits;         /* of a result: then the scan stops, to be continued */
    /* When a worker tries whether the parts of a plan take less time, in bytes of text: */
    uint64_t parts_first;  /* are searched before the first trial */
    uint64_t parts_piece;  /* are each of a trial's pieces, at least 1 */
    uint64_t parts_again;  /* come from one trial to the next, at least */
    uint64_t parts_always; /* 1: the parts go on, whatever a trial says */
};
extern struct cpu_sizes cpu_sizes; /* replaced by tests */
extern const struct cpu_sizes cpu_sizes_default;

/* Take the plan's probes. */
void worker_probes_begin(struct engine_worker *worker);

/* ---- look.c ---- */

struct scan;

/* To the worker's sample: pieces of the chunk, spread over it; returns how many bytes, 0 of a small
 * chunk. */
uint64_t worker_sample(struct engine_worker *worker, const struct engine_chunk *chunk);
/* The scan searched from `begin` on by the worker's method, in so many ns; before, it had so many
 * candidates and words that passed. */
void worker_count(const struct scan *scan, uint64_t begin, uint64_t candidates, uint64_t passed,
                  uint64_t ns);
static inline void worker_count_anew(struct engine_worker *worker)
{
    worker->searched = 0;
    worker->took = worker->priced = 0;
}
/* Before a chunk: where a look is due, choose how to search from here on; have the tables for it.
 * What was quicker than a look's best price goes on. Errors: MEMORY. */
enum trawl_status worker_look(struct engine_worker *worker, const struct engine_chunk *chunk,
                              struct trawl_error *error);

/* One scan of one chunk. */
struct scan {
    struct engine_worker *worker; /* NULL: not by the methods of this engine */
    void *context;                /* of a search that verify_steps runs */
    const struct trawl_plan *plan;
    const struct engine_chunk *chunk; /* the caller's */
    enum want want;
    struct engine_result *result; /* the caller's */
    struct trawl_error *error;
    uint64_t at;         /* begins below this are done */
    uint64_t limit;      /* begins at or beyond this are not searched now, */
    uint64_t end;        /* and beyond this cannot be: not owned, or no room */
    uint64_t available;  /* valid bytes from chunk->bytes on */
    uint64_t loadable;   /* loadable ones */
    uint64_t run_until;  /* a run decided all begins below this */
    uint64_t work;       /* bytes compared, for candidates that failed and for occurrences */
    uint64_t work_max;   /* beyond this the scan turns to two_way, or the dense automaton */
    uint64_t work_begin; /* sets: the work when this began to be counted */
    uint64_t passed;     /* the first filter, or the first probes: positions, or words of them */
    uint64_t failed;     /* candidates that were none, in this scan */
    uint64_t tile_begin; /* the tile that is being verified; tile_words 0: none */
    uint64_t tile_words;
    bool ends_known;
    bool has_nulls;      /* once they are: lines go on behind some of them, which are NULs */
    uint64_t line_until; /* LINES: begins below this lie in a line that has its hit */
    uint64_t record;     /* where there are records: the one looked up last */
    /* SPANS: the longest hit of the last begin that was taken. Once no hit before it can reach a
     * begin, what is taken from there on is known. */
    uint64_t span_begin;
    uint64_t span_end;
    uint64_t span_reach; /* no occurrence seen, or begun before this scan, ends beyond */
    bool span_is_sure;
    bool keeps_lengths; /* of hits: an occurrence's length varies */
    bool over;          /* the scan has its answer */
    enum trawl_status status;
};

/* ---- engine_cpu.c ---- */

/* Begin a scan of begins in [from, chunk->owned), with nothing found in the result; worker and
 * context are NULL. */
void scan_begin(struct scan *scan, const struct trawl_plan *plan, const struct engine_chunk *chunk,
                uint64_t from, enum want want, struct engine_result *result,
                struct trawl_error *error);
/* Write to the result what was searched; returns the scan's status. */
enum trawl_status scan_end(const struct scan *scan);

/* ---- verify.c: from candidates to hits ---- */

/* An occurrence of `literal` of `length` bytes at x: check conditions, count, keep. */
void verify_emit(struct scan *scan, uint64_t x, uint32_t literal, uint64_t length);
/* The first byte where the literal and the text at x differ, `count` if none before that. */
uint64_t verify_mismatch(const struct scan *scan, uint32_t literal, uint64_t x, uint64_t count);
/* Hits by (offset, literal), for qsort. */
int verify_compare_hits(const void *a, const void *b);
/* LINES: a bit for each position of these words where a line ends, or a NUL is; they are the
 * tile's. Text is readable for FIND_LOAD_SLACK bytes beyond. */
const uint64_t *verify_ends(struct scan *scan, uint64_t begin, uint64_t words);
/* Where there are records: the last byte of that which holds x, as far as it is owned; *holds:
 * the record holds `length` bytes from x on. */
uint64_t verify_record_end(struct scan *scan, uint64_t x, uint64_t length, bool *holds);
/* The same bits as verify_ends makes, of records. */
void verify_record_ends(struct scan *scan, uint64_t begin, uint64_t words);
/* A candidate of the plan's one literal. Candidates come in ascending order. */
void verify_one(struct scan *scan, uint64_t x);
/* Every candidate of the worker's tile, whose position 0 is scan->at, through `verify`. */
void verify_tile(struct scan *scan, uint64_t word_count,
                 void (*verify)(struct scan *scan, uint64_t x));
/* The literal's bytes, without its tail, are at x: match the tail, then verify_emit. */
void verify_occurrence(struct scan *scan, uint32_t index, uint64_t x);

/* verifies all begins of the literal in [scan->at, to), in order. */
typedef void (*verify_search)(struct scan *scan, uint32_t index, uint64_t to);
/* Search [scan->at, scan->limit) for one literal after the other, in steps of at least this many
 * begins (and twice the longest occurrence), sorting the hits of each. */
void verify_steps(struct scan *scan, uint64_t step_min, verify_search search);
#define VERIFY_STEP (1u << 16)
/* verify_steps in linear time per literal. */
void verify_linear(struct scan *scan);

/* ---- scan_*.c: the methods; each searches begins from scan->at until limit or scan->over ---- */
void scan_tiles(struct scan *scan); /* every and grams */
void scan_sampled(struct scan *scan);
void scan_set(struct scan *scan);
void scan_classes(struct scan *scan); /* large sets */
/* By either, whichever the text lets take less time. */
void scan_either(struct scan *scan);
/* The worker's matcher is the plan's from here on, made for this text if it is not there. */
enum trawl_status classes_begin(const struct scan *scan);

void scan_bytes(struct scan *scan); /* strings of one byte */
/* No values of a byte, and one more. */
void bytes_empty(struct find_bytes *bytes);
void bytes_add(struct find_bytes *bytes, uint8_t value);

/* ---- borders.c: whole words and lines ---- */

/* Both for plans with conditions alone. */
void borders_begin(struct engine_worker *worker, const struct trawl_plan *plan);
/* Where candidates are many, clear the bits of the worker's tile, whose position 0 is scan->at,
 * where the byte before says that nothing begins. Some may stay. */
void borders_apply(struct scan *scan, uint64_t words);

/* Are all the plan's strings of one byte, without conditions? */
bool bytes_begin(struct byte_set *set, const struct trawl_plan *plan);
/* Then: is that the better way to what is wanted? */
bool scan_bytes_fits(const struct engine_worker *worker, enum want want);

/* Sets: the work that the next positions may take. */
void dense_allow(struct scan *scan, uint64_t places);
/* They did not take more, and decided so many bytes: what they did not take may be taken later. */
void dense_spare(struct scan *scan, uint64_t bytes);
/* They took more, so the automaton takes over from x on, each time for longer; scan->run_until is
 * after what it searched. False: it does not, and the candidates of begins from x on are to be
 * verified as before. */
bool dense_switch(struct scan *scan, uint64_t x);
/* A chunk begins: the automaton goes on as far as it was to go in the one before. False: there is
 * nothing to go on with, or it cannot. */
bool dense_budget_rest(struct scan *scan);
/* Search all by the automaton, which was asked for; false: it cannot. */
bool dense_all(struct scan *scan);
/* Search begins [from, to) by the automaton; false: it cannot, and did nothing from scan->at on.
 * Else scan->at is where to continue: `to` unless scan->over. */
bool scan_dense(struct scan *scan, uint64_t from, uint64_t to);

/* Enough hits for one result? The scan then stops at a position it can go on from. */
static inline bool scan_is_full(const struct scan *scan)
{
    return scan->result->hits.count >= cpu_sizes.hits;
}

/* Clear the tile's bits of positions from `places` on, which lie in the last of its words. */
static inline void tile_cut(struct find_tile *tile, uint64_t word_count, uint64_t places)
{
    TRAWL_ASSERT(word_count > 0 && word_count <= FIND_TILE_WORDS);
    TRAWL_ASSERT(places > 64 * (word_count - 1));
    if (places < 64 * word_count)
        tile->mask[word_count - 1] &= (1ull << places % 64) - 1;
}

#endif
