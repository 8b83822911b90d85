/* contest: the rows of `trawl-bench commands`: who runs, on what, and what came out. */
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/files.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/process.h"
#include "bench/util.h"

/* GREP gives the right answer, RG where ignore files are read, which GREP does not know. CAT and WC
 * only move bytes from a pipe: a pipe's speed. */
#define RUNNER_LIST(X)         \
    X(TRAWL, "trawl")          \
    X(GREP, "grep -F")         \
    X(RG, "rg -F")             \
    X(RG_READ, "rg --no-mmap") \
    X(UGREP, "ugrep -F")       \
    X(CAT, "cat")              \
    X(WC, "wc -c")

enum runner {
#define RUNNER_ENUM(name, label) RUNNER_##name,
    RUNNER_LIST(RUNNER_ENUM)
#undef RUNNER_ENUM
        RUNNERS
};
#define RUNNER_BIT(name) (1u << RUNNER_##name)

extern const char *const runner_labels[RUNNERS];

/* What a row is, before anything has run. */
struct contest {
    const char *name;
    enum file_kind file;
    const char *pattern; /* NULL: pattern_bytes of the file at a seeded place */
    uint64_t pattern_bytes;
    const char *options; /* for trawl and its peers, separated by spaces */
    const char *threads; /* trawl's -j; NULL: as it chooses */
    uint32_t runners;    /* bits: who runs beside trawl and grep; ugrep: wherever it can */
    uint32_t baseline;   /* bits: the best of these is what the ratio is taken to */
    double bar;          /* least ratio; 0: none */
    uint64_t memory_bar; /* most memory of trawl in bytes; 0: none */
    bool fed;            /* the file comes through a pipe, from cat */
    bool ignores;        /* of the tree: what its ignore files name is left out */
};

extern const struct contest contests[];
extern const uint32_t contest_count;

struct runner_result {
    bool ran;
    bool same_answer;       /* as the judge's; CAT and WC have none */
    struct outcome outcome; /* of the run before the timed ones */
    uint64_t memory_bytes;  /* the most of all runs */
    struct samples samples;
};

struct contest_result {
    const struct contest *contest;
    char pattern[FILE_PATTERN_BYTES_MAX + 1];
    uint64_t text_bytes;
    struct runner_result runner[RUNNERS];
};

/* Who says what the right answer is: GREP or RG. */
enum runner contest_judge(const struct contest *contest);
/* The baseline's best median / trawl's median; 0 if no baseline ran. *best is who that is. */
double contest_ratio(const struct contest_result *result, enum runner *best);
/* "ok", "low", "" without a bar, "skipped" where no baseline ran. */
const char *contest_verdict(const struct contest_result *result);

struct contest_results {
    struct contest_result *result;
    uint32_t count;
    char versions[RUNNERS][128]; /* empty: not installed */
    const struct files *files;
};

/* The results on the terminal, as JSON and as Markdown. */
void contest_report_begin(const struct contest_results *results);
void contest_report_row(const struct contest_result *result);
void contest_report_json(const struct contest_results *results, const struct machine *machine,
                         const struct options *options);
void contest_report_markdown(const struct contest_results *results, const struct machine *machine,
                             const struct options *options);

#endif
