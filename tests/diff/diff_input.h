/* diff_input: makes texts and patterns for the tests that compare the library with a simple search:
 * random inputs, and worst cases. The random state that a caller passes determines the input. */
#ifndef TRAWL_DIFF_DIFF_INPUT_H
#define TRAWL_DIFF_DIFF_INPUT_H

#include "oracle/oracle_naive.h"
#include "test.h"

#define INPUT_PATTERNS_MAX 2500
#define INPUT_PATTERN_BYTES_MAX 5000

/* A text and patterns. The struct owns the memory. */
struct diff_input {
    const char *kind; /* name of the kind of text; a static string */
    uint8_t *text;
    uint64_t text_bytes;
    struct naive_bytes *patterns;
    uint64_t pattern_count;
    uint32_t flags; /* enum naive_flag, which has the numbers of enum trawl_plan_flag */
    uint8_t line_end;
    bool has_line_end_also; /* line_end_also (NUL unless it is set) ends lines, too */
    uint8_t line_end_also;
};

/* The bytes of a pattern. */
static inline uint8_t *input_pattern(const struct diff_input *input, uint64_t index)
{
    return (uint8_t *)(uintptr_t)input->patterns[index].bytes;
}

struct diff_expected {
    struct naive_match *matches;
    uint64_t match_count;
    uint64_t line_count;
    uint64_t line_count_inverted;
};

static inline struct naive_query input_query(const struct diff_input *input)
{
    return (struct naive_query){input->patterns, input->pattern_count,     input->flags,
                                input->line_end, input->has_line_end_also, input->line_end_also};
}

/* Makes a text of random kind and of at most text_bytes_max bytes, and patterns for the text. */
void input_generate(struct test_random *random, uint64_t text_bytes_max, struct diff_input *input);
/* Makes a worst-case text and pattern, both of about the given size. */
void input_generate_worst(struct test_random *random, uint32_t kind, uint64_t text_bytes,
                          uint64_t pattern_bytes, struct diff_input *input);
uint32_t input_worst_kinds(void);
/* Makes a periodic text in which occasionally a byte is changed. In some inputs the period is
 * longer than half of the pattern; in others it is a word or a line, and the pattern is two to five
 * of these. */
void input_generate_border(struct test_random *random, struct diff_input *input);
/* Makes a text of copies of a short pattern. Most copies have a changed bit, in half of the inputs
 * all at the same byte: a search that never compares that byte would report every copy. */
void input_generate_near_misses(struct test_random *random, uint64_t text_bytes,
                                struct diff_input *input);
/* Makes lines with patterns and near copies of them at their starts, inside and at their ends.
 * `shape` chooses the patterns: bytes, a long pattern, few or many words. */
#define INPUT_LINE_SHAPES 6
void input_generate_lines(struct test_random *random, uint64_t shape, struct diff_input *input);
/* Makes many strings that begin alike, up to two of which are very long, and a text in which nearly
 * each offset is a candidate. */
void input_generate_nested(struct test_random *random, struct diff_input *input);
/* Makes a set of strings of 1 to 300 bytes, some of which are equal to other strings or are ends of
 * other strings. */
void input_generate_mixed(struct test_random *random, uint64_t text_bytes_max,
                          struct diff_input *input);
/* Replaces the letters a, b, c... of two of three inputs by other bytes: z, y, x...; 0, 1, 2...; or
 * 255, 254.... More of these inputs ignore case, with letters of either case in the text. Otherwise
 * no test would notice folding that forgets `z`, or tables that forget byte 255. */
void input_rename(struct test_random *random, struct diff_input *input);
void input_free(struct diff_input *input);

/* Kinds of texts. */
enum input_kind {
    INPUT_LETTERS_1,
    INPUT_LETTERS_2,
    INPUT_LETTERS_4,
    INPUT_LETTERS_26,
    INPUT_LETTERS_256,
    INPUT_DNA,
    INPUT_PERIODIC,
    INPUT_ALMOST_ONE_LETTER,
    INPUT_AB,
    INPUT_FIBONACCI,
    INPUT_THUE_MORSE,
    INPUT_PHASE_SLIPS,
    INPUT_WORDS,
    INPUT_MIXED_CASE,
    INPUT_KINDS
};
const char *input_fill(struct test_random *random, enum input_kind kind, uint8_t *bytes,
                       uint64_t bytes_count);

/* Makes an input with a text of the kind, and without patterns. */
void input_begin(struct test_random *random, enum input_kind kind, uint64_t text_bytes,
                 struct diff_input *input);
/* Adds a pattern to the input, which copies the bytes. */
void input_add_pattern(struct diff_input *input, const uint8_t *bytes, uint64_t bytes_count);

/* Computes the expected matches by a simple search. */
void expected_compute(const struct diff_input *input, struct diff_expected *expected);
void expected_free(struct diff_expected *expected);

/* Allocates memory as malloc does, but ends the test if there is none. */
void *test_memory(uint64_t bytes);

#endif
