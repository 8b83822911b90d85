/* bench.h: what the files of the measuring program share.
 *
 * The program reads rows on standard input and writes one line of JSON for each row. A line of
 * input is a kind of thing and its fields, KEY=VALUE, with tabs between them (README.md):
 *   row   a name, how many rounds
 *   ask   a text, patterns, the call, options: what the following contestants are to answer;
 *         alike=1: no oracle knows it, they are compared with the first of them
 *   as    a contestant: a name, who it is, its options
 * A row ends where the next begins, or at an empty line. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <trawl.h>

/* ---- util.c --------------------------------------------------------------------------------- */

#define SAMPLES_MAX 256u

/* Durations of one thing, one per round. */
struct samples {
    double seconds[SAMPLES_MAX];
    uint32_t count;
};

void samples_add(struct samples *samples, double seconds);

double clock_seconds(void);
/* What this process, all its threads, has had of processors. */
double processor_seconds(void);

/* splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine. */
struct seeded {
    uint64_t state;
};
uint64_t seeded_u64(struct seeded *seeded);
uint64_t seeded_below(struct seeded *seeded, uint64_t bound);

/* Print "trawl-bench: ..." and exit with status 2: the benchmark could not run. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

void *allocate(uint64_t bytes);
char *copy_text(const char *text);

/* A string of JSON, quotes included; and seconds as an array. */
void print_json_string(FILE *file, const char *text);
void print_json_samples(FILE *file, const struct samples *samples);

/* ---- Input -------------------------------------------------------------------------------- */

#define FIELDS_MAX 32u

struct fields {
    char *line; /* split in place */
    const char *key[FIELDS_MAX], *value[FIELDS_MAX];
    uint32_t count;
};

/* Takes the line. */
void fields_split(char *line, struct fields *fields);
/* The value of a key, or `otherwise`. Numbers may end in K, M or G. */
const char *field(const struct fields *fields, const char *key, const char *otherwise);
uint64_t field_number(const struct fields *fields, const char *key, uint64_t otherwise);
double field_seconds(const struct fields *fields, const char *key, double otherwise);

/* ---- Questions ---------------------------------------------------------------------------- */

/* What is asked of a text. HASHED calls deliver occurrences or cells, which are compared too. */
#define CALL_LIST(X)           \
    X(COUNT, "count")          \
    X(BUILD, "build")          \
    X(FIRST, "first")          \
    X(POSITIONS, "positions")  \
    X(BATCHES, "batches")      \
    X(BEGINS, "begins")        \
    X(PINNED, "pinned")        \
    X(DEVICE, "begins-device") \
    X(CELLS, "cells")

enum call {
#define CALL_ENUM(name, word) CALL_##name,
    CALL_LIST(CALL_ENUM)
#undef CALL_ENUM
        CALLS
};
enum call call_named(const char *name);
bool call_is_of_records(enum call call);
/* Whether the answer is an array of begins, which says nothing of patterns. */
bool call_is_of_begins(enum call call);

/* An answer in short: how many, and a sum over all of them that knows no order. */
struct answer {
    uint64_t count, sum;
    bool summed; /* false: the count alone is known */
};
uint64_t answer_mix(uint64_t a, uint64_t b, uint64_t c);
bool answers_agree(const struct answer *a, const struct answer *b);

#define EXPECTED_MAX 64u

struct expected {
    enum call call;
    uint64_t bytes;
    struct answer answer;
};

struct question {
    struct fields fields;
    const uint8_t *bytes;
    uint64_t bytes_count;
    struct trawl_pattern *patterns;
    uint64_t pattern_count;
    uint8_t *pattern_bytes;
    uint32_t flags;        /* enum trawl_plan_flag */
    uint64_t record_bytes; /* all records are as long; 0: the text is one */
    uint64_t *offsets;
    struct expected expected[EXPECTED_MAX];
    uint32_t expected_count;
};

/* text.c: texts are kept from question to question while the same ones are asked for. */
void question_open(struct question *question);
void question_close(struct question *question);
void texts_drop_unused(const struct question *questions, uint32_t count);

/* oracle.c: what is right for the text's first `bytes`, by code that the library has no part in. */
struct answer oracle_answer(const struct question *question, enum call call, uint64_t bytes);

/* Numbered pieces of work by some threads. Returns the seconds from when all of them run. */
double pieces_run(void (*work)(void *context, uint64_t index), void *context, uint64_t count,
                  uint32_t threads);
uint32_t cores_count(void);

/* ---- Contestants -------------------------------------------------------------------------- */

#define PART_LIST(X)    \
    X(PLAN, "plan")     \
    X(IN, "copy_in")    \
    X(KERNEL, "kernel") \
    X(SHIFTS, "shifts") \
    X(OUT, "copy_out")  \
    X(SEARCH, "search")

enum run_part {
#define PART_ENUM(name, word) PART_##name,
    PART_LIST(PART_ENUM)
#undef PART_ENUM
        PARTS
};

/* One run. `why` is not empty where it was not done. */
struct bench_run {
    double seconds, part[PARTS];
    struct answer answer;
    uint64_t memory_bytes, output_bytes, chunks, occurrences;
    int status;
    char why[TRAWL_ERROR_MESSAGE_BYTES], note[160], method[24];
};

struct contestant {
    struct fields fields;
    const char *name;
    struct question *question;
    enum call call;
    uint32_t threads;
    bool ours;      /* a wrong answer fails the whole measurement */
    bool bound;     /* it only reads or copies: it has no answer */
    bool agrees;    /* no oracle knows the answer: it is compared with the first one's */
    uint64_t bytes; /* the text's first so many are searched; less than all: a share */
    void (*run)(struct contestant *contestant, bool full, struct bench_run *run);
    void (*close)(struct contestant *contestant);
    void *state;
    /* what came out */
    struct samples whole, part[PARTS];
    struct bench_run last;
    double first_plan_seconds;
    uint64_t memory_bytes;
    bool right, out;
    char method[24]; /* what the plan chose */
};

/* Whether this contestant is one of the file's kinds; then its functions are set. `full`: look at
 * every occurrence; else only at how many there are, where looking would take time. */
bool library_contestant(struct contestant *contestant, const char *kind);
bool rival_contestant(struct contestant *contestant, const char *kind);
bool hyperscan_contestant(struct contestant *contestant, const char *kind);
bool device_contestant(struct contestant *contestant, const char *kind);
bool command_contestant(struct contestant *contestant, const char *kind);

/* The version of the library of that name; NULL: it is not installed. */
const char *hyperscan_version(void);

/* library.c: searchers, and texts that were loaded, stay from row to row; this closes them. */
void library_close(void);
/* Unloads the texts of these bytes, from each searcher; NULL: all texts. */
void library_unload(const uint8_t *bytes);
/* The most memory that the library holds in one run of the contestant. */
uint64_t library_memory(struct contestant *contestant);

/* device.c: memory of the driver's first device, and pinned memory of the host. 0, NULL: none. */
uint64_t device_allocate(uint64_t bytes);
void device_free(uint64_t address);
bool device_fetch(uint64_t address, void *to, uint64_t bytes);
void *device_pin(uint64_t bytes);
void device_unpin(void *pointer);

/* ---- Rows ---------------------------------------------------------------------------------- */

#define QUESTIONS_MAX 4u
#define CONTESTANTS_MAX 64u

struct bench_row {
    struct fields fields;
    struct question question[QUESTIONS_MAX];
    struct contestant contestant[CONTESTANTS_MAX];
    uint32_t question_count, contestant_count;
};

/* race.c: run all and print the line of JSON. */
void row_run(struct bench_row *row);
/* Did one of the project's own contestants find what is not right? */
bool race_went_wrong(void);

/* ---- load.c: a server's clients ------------------------------------------------------------- */

int load_main(const char *address, const char *clients, const char *seconds);

#endif
