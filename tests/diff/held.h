/* held: a search that may fail, held against the expected answer. Where the search fails, what the
 * search gave before is the beginning of that answer, and what the header says stays untouched is.
 * Nothing is printed and no check is counted, so that threads may call these functions. */
#ifndef TRAWL_DIFF_HELD_H
#define TRAWL_DIFF_HELD_H

#include "diff/diff_input.h"
#include "trawl.h"

enum held_call {
    HELD_COUNT,
    HELD_POSITIONS,
    HELD_BEGINS_INTO,
    HELD_COUNT_BY_PATTERN,
    HELD_COUNT_LINES,
    HELD_LINES_WITHOUT,
    HELD_FIRST,
    HELD_BATCHES,
    HELD_WINDOWS,
    HELD_CALLS
};

#define HELD_MESSAGE_BYTES 400

struct held {
    const struct diff_input *input;
    const struct diff_expected *expected;
    const struct trawl_plan *plan;
    struct trawl_searcher *searcher;
    struct trawl_text *text;
    uint64_t room;         /* of arrays */
    uint64_t lines_max;    /* of counts of lines */
    uint64_t stop_after;   /* matches, or windows, after which the sink stops */
    uint32_t window_flags; /* TRAWL_WINDOW_... */
    /* What the last call filled: a device may write there until held_end. */
    void *array;
    /* Of the last call: the sink stopped; the answer was right; otherwise what was wrong first. */
    bool stopped, right;
    char message[HELD_MESSAGE_BYTES];
};

/* Builds the input's plan by these options, with the input's flags and line end; NULL: the usual
 * options. Overwrites the patterns' bytes afterwards, since the plan has copied the bytes. */
enum trawl_status held_plan(const struct diff_input *input,
                            const struct trawl_plan_options *options, struct trawl_plan **plan,
                            struct trawl_error *error);

/* An array has room for all, no sink stops and no flag is set, until the fields are changed. */
struct held held_begin(const struct diff_input *input, const struct diff_expected *expected,
                       const struct trawl_plan *plan, struct trawl_searcher *searcher,
                       struct trawl_text *text);
/* held->right says whether the whole answer was right, as far as the call came. */
enum trawl_status held_search(struct held *held, enum held_call call, struct trawl_error *error);
void held_end(struct held *held);

const char *held_name(enum held_call call);

#endif
