/* scene: the text of a search, its place, and the searcher, for the table of calls and faults
 * (table_test.c). Every answer is compared with the naive search of tests/oracle. */
#ifndef TRAWL_TESTS_SIM_SCENE_H
#define TRAWL_TESTS_SIM_SCENE_H

#include "diff/held.h"
#include "diff/shapes.h"
#include "sim_host.h"
#include "trawl.h"

enum place {
    PLACE_MEMORY,
    PLACE_LOADED,      /* memory, and the searcher has loaded the text */
    PLACE_PART,        /* a part of a loaded text, which continues before and after the part */
    PLACE_LENT,        /* a device's memory, where the text is searched */
    PLACE_LENT_COPIED, /* a device's memory without room after the text: a load copies the text */
    PLACE_FILE,
    PLACE_PIPE,
    PLACE_COMPRESSED,
    PLACES
};

/* The calls in addition to those of enum held_call: begins into an array that is pinned or on a
 * device. */
enum {
    CALL_BEGINS_PINNED = HELD_CALLS,
    CALL_BEGINS_ON_DEVICE,
    CALLS,
};

enum scene_text { TEXT_CYCLE, TEXT_LETTERS, TEXT_FLOOD, TEXT_PARTS, TEXT_DNA, TEXT_RECORDS };

/* A row of the table: a text, patterns, and how the plan is made from them. */
struct scene_row {
    const char *name;
    enum scene_text text;
    uint64_t text_bytes; /* with TEXT_RECORDS: the minimum number of occurrences in a record, on
                            average */
    const char *patterns[4];
    uint64_t piece_bytes; /* bytes of a further pattern, a piece of the text; 0: no such pattern */
    bool folds_utf8;      /* case is ignored among characters; the text has only ASCII */
    struct trawl_plan_options options;
    /* expressions of which the plan is made, if any; in the text these match the patterns and
     * nothing else */
    const char *expressions[4];
};

struct scene {
    struct diff_input input;
    struct diff_expected expected;
    struct trawl_plan_options options;
    bool folds_utf8;
    const char *const *expressions; /* NULL: the plan is made of the patterns */
    bool has_records;
    struct shapes_case records;

    enum place place;
    enum trawl_engine engine;
    uint32_t devices, threads;
    uint64_t chunk_bytes;
    enum trawl_map map;
    uint64_t room;  /* how many start offsets the arrays can hold */
    bool has_other; /* a second text is loaded, which is not searched */

    uint8_t *memory; /* the text, after `before` bytes */
    uint64_t before, memory_bytes;
    /* address of the text and the bytes around it, on the last device, in this context */
    uint64_t lent;
    struct cuda_context *context;
    int file, pipe_end;
    char path[40];

    struct trawl_plan *plan;
    struct trawl_searcher *searcher;
    struct trawl_text *text, *whole, *other;
    bool is_loaded;
    struct held held;
    /* the array that the last call filled; a device may write there until the call ends */
    uint64_t *array;
    struct cuda_context *pinned_in;
    bool is_pinned, is_registered;
};

void scene_make_row(struct scene *s, const struct scene_row *row);
/* Makes a random input with few occurrences, some of them at boundaries of chunks, and a method
 * that accepts it. */
void scene_make_random(struct scene *s, struct test_random *random, uint64_t chunk_bytes);
/* Makes a text of this many letters, and no pattern, a pattern, several patterns, or a pattern with
 * an error. */
void scene_make_edge(struct scene *s, uint32_t plan, uint64_t text_bytes);
/* Makes a text of several stripes, and plants a pattern of pattern_bytes bytes before and across
 * each multiple of SCENE_STRIPE, where a stripe of a split text may begin. */
#define SCENE_STRIPE 4096u
void scene_make_border(struct scene *s, uint64_t pattern_bytes);
/* Puts the text where `place` says. The caller has reset the simulated driver. */
void scene_put(struct scene *s, enum place place, struct test_random *random);
void scene_take_away(struct scene *s);
void scene_free(struct scene *s);

/* Makes the plan, the searcher and the text, unless they exist, and loads the text. */
enum trawl_status scene_open(struct scene *s, struct trawl_error *error);
/* Makes a call, and checks all of its results. Sets *right to true if they are right up to where
 * the call stopped. */
enum trawl_status scene_call(struct scene *s, uint32_t call, bool *right,
                             struct trawl_error *error);
void scene_close(struct scene *s);

const char *scene_call_name(uint32_t call);
bool scene_is_stream(const struct scene *s);
bool scene_is_lent(const struct scene *s);

#endif
