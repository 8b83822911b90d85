/* rows: what `trawl-bench cpu` measures, one row per text and pattern. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/search.h"
#include "bench/text.h"
#include "bench/util.h"

#define ROWS_MAX 160
#define ROW_NAME_BYTES 64

struct row {
    char name[ROW_NAME_BYTES]; /* "dna m=16 present" */
    const char *alphabet;
    const char *kind; /* "present", "absent", "word", or of the worst cases which */
    uint8_t *pattern;
    uint64_t pattern_bytes;
    uint64_t expected; /* occurrences in the whole text */

    /* memmem is timed on a prefix where the whole would take too long. */
    uint64_t memmem_bytes, memmem_expected;

    /* Worst cases: a random text of the same size with a pattern of the same length. */
    uint8_t *plain_pattern;
    uint64_t plain_expected;

    double bar_read;                /* least ratio to the read speed with one thread; 0: none */
    double bar_plain;               /* least ratio to the random text with one thread; 0: none */
    char method[METHOD_NAME_BYTES]; /* what the plan chose */
    char note[96];                  /* of a named word: the word */

    struct samples read_one, read_all, memmem, one, all, plain_one, plain_all;
};

struct rows {
    struct row row[ROWS_MAX];
    uint32_t count;
    uint64_t text_bytes;
    uint32_t threads; /* of the columns "all" */
    const char *reader_name;
    char texts[4][SOURCE_NAME_BYTES + 64]; /* what each alphabet's text is */
    uint32_t text_count;
};

/* Speeds in bytes per second, by the median. */
double row_speed(const struct rows *rows, const struct samples *samples);
double row_memmem_speed(const struct row *row);
/* candidate's speed / baseline's speed, both over the whole text; 0 if either was not measured. */
double row_ratio(const struct samples *candidate, const struct samples *baseline);
/* "ok", "low" where a bar is missed, "" where there is none. */
const char *row_verdict(const struct rows *rows, const struct row *row);

/* May the options want a row of this alphabet, or of "worst"? */
bool rows_may_want(const struct options *options, const char *alphabet);

/* Fill the text of an alphabet, "az", "english", "dna" or "periodic", and name it. */
void rows_fill_alphabet(struct rows *rows, const struct options *options, const char *alphabet,
                        uint8_t *text);

/* A pattern of the text, or the same with a byte changed, so that the text does not hold it; if the
 * options want the row, and the text is twice as long. */
void rows_add_length(struct rows *rows, const struct options *options, const char *alphabet,
                     const uint8_t *text, uint64_t pattern_bytes, bool present, uint32_t threads);

/* Rows of one alphabet's text: each length, present and absent, and the named words of English. */
void rows_add_alphabet(struct rows *rows, const struct options *options, const char *alphabet,
                       const uint8_t *text, uint32_t threads);

/* The worst cases. Each text of them has a number; rows_fill_worst makes it, rows_add_worst adds
 * the rows that search it. */
#define WORST_LENGTHS 4
#define WORST_TEXTS (4 + WORST_LENGTHS)
bool rows_want_worst(const struct options *options, uint32_t worst_text);
void rows_fill_worst(uint8_t *text, uint64_t text_bytes, uint32_t worst_text);
void rows_add_worst(struct rows *rows, const struct options *options, uint32_t worst_text,
                    const uint8_t *text, const uint8_t *plain_text, uint32_t threads);

#endif
