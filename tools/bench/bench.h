/* bench.h: declarations shared by the files of trawl-bench.
 *
 * The program reads rows on standard input and writes a line of JSON for each row. An input line is
 * a word and fields KEY=VALUE, separated by tabs (README.md):
 *
 *   row   begins a row: name, number of rounds
 *   ask   a question for the competitors that follow: text, patterns, call, options. alike=1: the
 *         oracle cannot answer it, so the first competitor's answer is the expected one
 *   as    a competitor: name, kind, options
 *
 * A row ends at the next row or at an empty line.
 *
 * main.c reads the rows and runs the competitors in turns; bench_text.c makes texts and patterns.
 * library.c, rivals.c, command.c, server.c and bench_device.c implement the kinds of competitors;
 * bench_oracle.c computes the right answers. Misuse and lack of memory end the program (fail()). A
 * competitor that cannot run says so in bench_run.why, and the other competitors go on.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <trawl.h>

/* ---- util.c --------------------------------------------------------------------------------- */

#define SAMPLES_MAX 256u /* most rounds per row */

/* The times of a competitor, one per round. */
struct samples {
    double seconds[SAMPLES_MAX];
    uint32_t count;
};

double seconds_of(clockid_t clock);
double clock_seconds(void);

/* splitmix64 (Steele, Lea, Flood 2014), which gives the same numbers on every machine. */
struct seeded {
    uint64_t state;
};
uint64_t seeded_u64(struct seeded *seeded);
uint64_t seeded_below(struct seeded *seeded, uint64_t bound);

/* Prints "trawl-bench: ..." and exits with status 2: the benchmark could not run. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

void *allocate(uint64_t bytes);
char *copy_text(const char *text);

/* Runs work(context, 0), ..., work(context, count - 1) on threads. Returns the seconds from the
 * moment when all threads run until the last call has ended. */
double pieces_run(void (*work)(void *context, uint64_t index), void *context, uint64_t count,
                  uint32_t threads);
uint32_t cores_count(void);

/* ---- Input -------------------------------------------------------------------------------- */

#define FIELDS_MAX 32u /* most key=value pairs in a line */

struct fields {
    char *line; /* the input line, split in place */
    const char *key[FIELDS_MAX], *value[FIELDS_MAX];
    uint32_t count;
};

/* Splits the line in place; `fields` points into the line. */
void fields_split(char *line, struct fields *fields);
/* Returns the value of a key, or `otherwise`. Numbers may end in K, M or G (powers of 1024). */
const char *field(const struct fields *fields, const char *key, const char *otherwise);
uint64_t field_number(const struct fields *fields, const char *key, uint64_t otherwise);

/* ---- Questions ---------------------------------------------------------------------------- */

/* What a call asks about: the text, the lines of the text, the records of a tape, or records that
 * are loaded first. */
enum call_subject { OF_TEXT, OF_LINES, OF_TAPE, OF_RECORDS };

/* The calls. X(call, name in the input, subject, bytes of an item if the answer is an array). */
#define CALL_LIST(X)                                    \
    X(COUNT, "count", OF_TEXT, 0)                       \
    X(FIRST, "first", OF_TEXT, 0)                       \
    X(POSITIONS, "positions", OF_TEXT, 0)               \
    X(BATCHES, "batches", OF_TEXT, 0)                   \
    X(BEGINS, "begins", OF_TEXT, 8)                     \
    X(BY_PATTERN, "count-by-pattern", OF_TEXT, 0)       \
    X(LINES, "count-lines", OF_LINES, 0)                \
    X(OTHER_LINES, "count-lines-inverted", OF_LINES, 0) \
    X(CELLS, "cells", OF_TAPE, 0)                       \
    X(RECORDS_ANY, "records-any", OF_RECORDS, 1)        \
    X(RECORDS_CELLS, "records-cells", OF_RECORDS, 8)

enum call {
#define CALL_ENUM(name, word, subject, item) CALL_##name,
    CALL_LIST(CALL_ENUM)
#undef CALL_ENUM
        CALLS
};
enum call call_named(const char *name);
enum call_subject call_subject(enum call call);
uint64_t call_item_bytes(enum call call);

/* A digest of an answer: the number of its items (such as occurrences or cells), and a sum of their
 * hashes or offsets that does not depend on their order. */
struct answer {
    uint64_t count, sum;
    bool summed; /* false: `sum` is not known */
};
uint64_t answer_mix(uint64_t a, uint64_t b, uint64_t c);

#define EXPECTED_MAX 64u /* most right answers that are kept for a question */

struct expected {
    enum call call;
    uint64_t bytes; /* the answer is for the text's first `bytes` bytes */
    struct answer answer;
};

struct question {
    struct fields fields;
    const uint8_t *bytes;
    uint64_t bytes_count;
    struct trawl_pattern *patterns;
    uint64_t pattern_count;
    uint8_t *pattern_bytes;  /* the bytes of all patterns, one after the other */
    uint32_t flags;          /* enum trawl_plan_flag */
    uint64_t record_bytes;   /* length of each record; 0: lengths differ, or there are no records */
    const uint64_t *offsets; /* the text's: of the records, and of its end; NULL: no records */
    uint64_t record_count;
    struct expected expected[EXPECTED_MAX]; /* right answers computed so far */
    uint32_t expected_count;
};

/* bench_text.c: makes the question's text and patterns. Questions about the same text share it.
 * texts_drop_unused frees the texts that none of these questions uses. */
void question_open(struct question *question);
void question_close(struct question *question);
void texts_drop_unused(const struct question *questions, uint32_t count);

/* util.c: question_records returns how many whole records lie in the text's first `bytes` bytes,
 * and question_share their total length; `bytes` if the text has no records. */
uint64_t question_records(const struct question *question, uint64_t bytes);
uint64_t question_share(const struct question *question, uint64_t bytes);

/* bench_oracle.c: computes the right answer for the text's first `bytes` bytes, with none of the
 * library's code. */
struct answer oracle_answer(const struct question *question, enum call call, uint64_t bytes);

/* ---- Competitors -------------------------------------------------------------------------- */

#define PART_LIST(X)     \
    X(PLAN, "plan")      \
    X(IN, "copy_in")     \
    X(KERNEL, "kernel")  \
    X(SHIFTS, "shifts")  \
    X(OUT, "copy_out")   \
    X(HOST, "host_work") \
    X(SEARCH, "search")

enum run_part {
#define PART_ENUM(name, word) PART_##name,
    PART_LIST(PART_ENUM)
#undef PART_ENUM
        PARTS
};

/* On the simulated device: launches, child grids, reads of shifts and of the pattern, bytes read.
 */
#define COUNTS 5u

/* The result of a run. `why` says why the run was not possible; else empty. */
struct bench_run {
    double seconds, part[PARTS]; /* duration of the run; durations of its parts */
    struct answer answer;
    uint64_t memory_bytes;   /* 0: not measured */
    uint64_t counts[COUNTS]; /* on the simulated device: what kernels did; else 0 */
    int status;              /* exit status of a program */
    char why[TRAWL_ERROR_MESSAGE_BYTES], note[160], method[24];
};

struct competitor {
    struct fields fields;
    const char *name;          /* the name in tables */
    struct question *question; /* the question that the competitor answers */
    enum call call;
    uint32_t threads; /* threads of a search */
    bool ours;        /* a wrong answer from this competitor fails the whole measurement */
    /* the competitor is a bound: it only reads or copies the text, and has no answer */
    bool bound;
    bool agrees;    /* no oracle knows the answer: compare with the first competitor's answer */
    uint64_t bytes; /* the competitor searches the text's first `bytes` bytes, its share */
    void (*run)(struct competitor *competitor, bool full, struct bench_run *run);
    void (*close)(struct competitor *competitor); /* frees `state` */
    void *state; /* state that the competitor's kind keeps between runs */
    /* Results. */
    struct samples whole, part[PARTS];
    struct bench_run last;     /* the last run */
    double first_plan_seconds; /* time to build the plan in the last run before the rounds */
    uint64_t memory_bytes;     /* the most memory during a run */
    bool right, out;
    char method[24]; /* the method that the plan chose */
};

/* Each function returns true if its file implements the competitor's kind, and then sets the
 * competitor's functions. With `full`, run() looks at every occurrence; without it, run() need only
 * count them. */
bool library_competitor(struct competitor *competitor, const char *kind);
bool rival_competitor(struct competitor *competitor, const char *kind);
bool device_competitor(struct competitor *competitor, const char *kind);
bool command_competitor(struct competitor *competitor, const char *kind);
bool server_competitor(struct competitor *competitor, const char *kind);

/* util.c: the seconds of the clock that the competitor's `clock` names: processor time of this
 * process (cpu), or those that pass. */
double competitor_clock(const struct competitor *competitor);
bool competitor_works(const struct competitor *competitor); /* the clock is processor time */

/* library.c: closes searchers and loaded texts, which stay open from row to row. */
void library_close(void);
/* Unloads the texts that use this buffer from each searcher; NULL: all texts. */
void library_unload(const uint8_t *bytes);
/* bench_device.c: allocates memory on the driver's first device, or pinned host memory. 0 or NULL:
 * the allocation failed, or there is no device. */
uint64_t device_allocate(uint64_t bytes);
void device_free(uint64_t address);
bool device_fetch(uint64_t address, void *to, uint64_t bytes);
void *device_pin(uint64_t bytes);
/* Adds (`sign` 1) or subtracts (-1) what kernels have done so far, on the simulated device. */
void device_counts(int sign, uint64_t counts[COUNTS]);
void device_unpin(void *pointer);

/* ---- Rows ---------------------------------------------------------------------------------- */

#define QUESTIONS_MAX 4u    /* most questions per row */
#define COMPETITORS_MAX 64u /* most competitors per row */

struct bench_row {
    struct fields fields;
    struct question question[QUESTIONS_MAX];
    struct competitor competitor[COMPETITORS_MAX];
    uint32_t question_count, competitor_count;
};

#endif
