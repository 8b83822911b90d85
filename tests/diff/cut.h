/* cut: divides a text into records, and checks what trawl_ask_records reports about them. */
#ifndef TRAWL_DIFF_CUT_H
#define TRAWL_DIFF_CUT_H

#include "diff/diff_input.h"
#include "trawl.h"

#define CUT_SHAPES 6u       /* TRAWL_RECORDS_BITS and the next ones */
#define CUT_GUARD_BYTES 16u /* after each array of an answer; must stay CUT_UNTOUCHED */
#define CUT_UNTOUCHED 0x77u
#define CUT_MESSAGE_BYTES 200

/* Records in a text. The struct owns its arrays and borrows the text. */
struct cut {
    const struct diff_input *input;
    uint64_t record_count;
    uint64_t *offsets; /* record_count + 1; the first may be greater than 0 */
    int32_t *offsets_narrow;
    uint32_t offset_bytes; /* 0, 4 or 8 */
    uint8_t *validity;
    uint64_t validity_bytes;
    uint64_t validity_begin;
    bool has_validity;
    uint32_t *counts; /* for each record, the number of occurrences of each pattern in it */
    struct naive_match *matches; /* all records' occurrences; those of record i, counted from its */
    uint64_t *firsts;            /* begin, are [firsts[i], firsts[i + 1]) */
};

/* Divides the input's text into short, long, empty or null records, or with boundaries in, before
 * and after the expected matches. If no matches are given, or if only whole words or lines count,
 * the expected occurrences are those that a simple search finds in each record. Otherwise they are
 * the expected matches that are inside a record. */
void cut_make(struct test_random *random, const struct diff_input *input,
              const struct diff_expected *expected, struct cut *cut);
void cut_free(struct cut *cut);
/* Returns the records in the library's form, in the host's memory. */
struct trawl_record_array cut_array(const struct cut *cut);

/* A question about the records, and its arrays in the host's memory. */
enum { CUT_VALUES, CUT_PATTERNS, CUT_BEGINS, CUT_ENDS, CUT_ARRAYS };
struct cut_answer {
    enum trawl_what shape;
    struct trawl_answer into;    /* as before the call; its arrays are the next ones */
    uint8_t *arrays[CUT_ARRAYS]; /* NULL: not wanted */
    uint64_t bytes[CUT_ARRAYS];  /* without the bytes of the guard */
    uint64_t count;              /* the right count */
};
/* Returns where an answer names its array. */
void **cut_array_in(struct trawl_answer *into, uint32_t array);

/* Draws the room and the width of numbers, and makes arrays for that room. */
void cut_ask(struct test_random *random, const struct cut *cut, enum trawl_what shape,
             struct cut_answer *answer);
/* Checks the call's status, its `into` and the arrays of the answer. After a status other than OK
 * and LIMIT only the guards are checked. Returns false and a message if something is wrong. */
bool cut_judge(const struct cut *cut, const struct cut_answer *answer, enum trawl_status status,
               const struct trawl_answer *into, char message[CUT_MESSAGE_BYTES]);
void cut_answer_free(struct cut_answer *answer);

#endif
