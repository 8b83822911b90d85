/* floods: the rows of `trawl-bench floods`: sets that are dense in a text, against the same sets on
 * random letters.
 */
#ifndef BENCH_FLOODS_H
#define BENCH_FLOODS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/answers.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/text.h"
#include "bench/util.h"

#define FLOODS_ROWS_MAX 160u
#define FLOODS_NAME_BYTES 160u
#define FLOODS_BAR 20.0 /* most times as long as on random letters */

/* What is wanted of a search. */
#define WANT_LIST(X)          \
    X(COUNT, "count")         \
    X(LINES, "lines")         \
    X(POSITIONS, "positions") \
    X(BATCHES, "in batches")  \
    X(BY_PATTERN, "count by pattern")

enum want {
#define WANT_ENUM(name, label) WANT_##name,
    WANT_LIST(WANT_ENUM)
#undef WANT_ENUM
        WANTS
};
#define WANT_BIT(name) (1u << WANT_##name)

extern const char *const want_labels[WANTS];

enum flood_set {
    SET_PIECES,   /* substrings of what the text repeats, at seeded places */
    SET_RUNS,     /* a byte, once to `most` times */
    SET_RUNS_B,   /* the same, and then b */
    SET_HEAD,     /* 8 times the byte, then 8 random letters */
    SET_FACTORS,  /* all substrings of the text of these lengths */
    SET_PREFIXES, /* of the text */
    SET_WORDS     /* English words of `least` letters and more, and `word` */
};

enum flood_text {
    TEXT_LETTERS, /* random ones, repeated after `period` bytes */
    TEXT_RUN,     /* one byte */
    TEXT_FIBONACCI,
    TEXT_THUE_MORSE,
    TEXT_ENGLISH
};

enum flood_case {
    CASE_AS_IS,
    CASE_ANY,     /* ignored; the text has letters of both */
    CASE_ANY_UTF8 /* likewise, and some s and k of the text are U+017F and U+212A */
};

/* A set and a text, before anything is made of them. */
struct flood {
    const char *patterns, *on; /* as readers see them */
    enum flood_set set;
    uint64_t count, least, most; /* patterns, and their bytes; what the set does not need is 0 */
    const char *word;
    enum flood_text text;
    uint64_t period;
    uint8_t byte;
    bool lines;
    enum flood_case letters;
    uint32_t wants; /* bits */
};

extern const struct flood floods[];
extern const uint32_t flood_count;

/* "PATTERNS; ON; WANTED" */
void flood_name(const struct flood *flood, enum want want, char name[FLOODS_NAME_BYTES]);

/* ---- floods_text.c: what is searched for, and where ---- */

struct flood_patterns {
    struct trawl_pattern *patterns;
    uint64_t count;
    uint8_t *bytes;       /* where they lie, if not in the part */
    struct source source; /* where they lie, of words */
};

/* What the text repeats, without line ends and other cases, or its beginning: patterns come from
 * there. The caller's, to be freed. */
struct flood_part {
    uint8_t *bytes;
    uint64_t bytes_count;
};

/* false: English was not found, so there is no such row. */
bool flood_part_make(const struct flood *flood, const struct options *options,
                     struct flood_part *part);
void flood_patterns_make(const struct flood *flood, const struct options *options,
                         const struct flood_part *part, struct flood_patterns *patterns);
void flood_patterns_free(struct flood_patterns *patterns);
/* Fill the dense text, and the random one. */
void flood_fill(const struct flood *flood, const struct flood_part *part, uint8_t *text,
                uint64_t text_bytes);
void flood_fill_random(const struct flood *flood, uint8_t *text, uint64_t text_bytes);
/* For CASE_ANY_UTF8: the text with each letter in a byte of its own, and where each was. */
uint64_t flood_unfold(const uint8_t *text, uint64_t text_bytes, uint8_t *letters, uint32_t *begins);

/* For struct trawl_utf8: what the capitals and characters are that the texts have. */
uint32_t flood_variants(void *context, uint32_t code_point,
                        uint32_t variants[TRAWL_UTF8_VARIANTS_MAX]);
bool flood_is_word(void *context, uint32_t code_point);

/* ---- What came out ---- */

enum { SIDE_DENSE, SIDE_RANDOM, SIDES };

struct flood_side {
    uint64_t found; /* occurrences, or lines where these are wanted */
    double first_seconds;
    struct samples samples;
};

struct flood_result {
    char name[FLOODS_NAME_BYTES];
    const struct flood *flood;
    enum want want;
    uint64_t pattern_count;
    struct flood_side side[SIDES];
};

struct flood_results {
    struct flood_result row[FLOODS_ROWS_MAX];
    uint32_t count;
    uint64_t text_bytes;
    const struct flood *skipped[FLOODS_ROWS_MAX];
    uint32_t skipped_count;
};

/* How many times as long as on random letters, by the medians. */
double flood_ratio(const struct flood_result *result);
/* Nanoseconds for each occurrence where all of them are delivered and they are many; else 0. */
double flood_each(const struct flood_results *results, const struct flood_result *result);
const char *flood_verdict(const struct flood_result *result);

/* ---- floods_report.c ---- */

void floods_report_begin(const struct flood_results *results);
void floods_report_skipped(const struct flood *flood);
void floods_report_row(const struct flood_results *results, const struct flood_result *result);
/* What the rows come to, and the files that the options ask for. */
void floods_report_end(const struct flood_results *results, const struct machine *machine,
                       const struct options *options);

#endif
