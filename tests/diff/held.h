/* held: makes a call that may fail, and compares the results with the expected answer. If the call
 * fails, the results so far must be the beginning of the right answer (if reading fails, of the
 * right answer for the bytes that could be read), and outputs that trawl.h calls untouched must be
 * untouched. The functions print nothing and count no checks, so any thread may call them. */
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
    /* feeds the text in pieces; if no stream accepts the plan, makes the call HELD_POSITIONS */
    HELD_STREAM,
    /* loads records, which are cut from the text in the host's memory, and requests all shapes of
     * answers about them; if the simple search cannot check the plan, makes the call HELD_POSITIONS
     */
    HELD_RECORDS,
    HELD_CALLS
};

#define HELD_MESSAGE_BYTES 400

struct held {
    const struct diff_input *input;
    const struct diff_expected *expected;
    const struct trawl_plan *plan;
    struct trawl_searcher *searcher;
    struct trawl_text *text;
    uint64_t room;         /* how many start offsets the array can hold */
    uint64_t lines_max;    /* limit that the call gets for the count of lines */
    uint64_t stop_after;   /* number of matches, or windows, after which the sink stops */
    uint32_t window_flags; /* enum trawl_which, enum trawl_with */
    /* The array that the last call filled. A device may write to it until held_end. */
    void *array;
    /* About the last call: whether the sink stopped the search, and whether the answer was right.
     * If not, `message` says what was wrong first. */
    bool stopped, right;
    char message[HELD_MESSAGE_BYTES];
};

/* Builds the input's plan with these options (NULL: the default ones), and the input's flags and
 * line end. Overwrites the patterns' bytes afterwards, because the plan must have copied them. */
enum trawl_status held_plan(const struct diff_input *input,
                            const struct trawl_plan_options *options, struct trawl_plan **plan,
                            struct trawl_error *error);

/* Returns a call's settings: the array has room for all occurrences, the sink does not stop, and no
 * flag is set. The caller may change the fields. */
struct held held_begin(const struct diff_input *input, const struct diff_expected *expected,
                       const struct trawl_plan *plan, struct trawl_searcher *searcher,
                       struct trawl_text *text);
/* Makes the call and returns its status. Sets held->right to true if the answer up to where the
 * call stopped was right. */
enum trawl_status held_search(struct held *held, enum held_call call, struct trawl_error *error);
void held_end(struct held *held);

const char *held_name(enum held_call call);

#endif
