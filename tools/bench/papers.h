/* papers: `trawl-bench papers`, the tables and figures of the gallery's sources measured again.
 *
 * A report asks questions (a text, a pattern, the right answer), lets contestants answer them in
 * turn, and lays the figures out in tables beside what the source printed. Orderings, the plots and
 * all outputs are made from the tables; no sentence about a figure is written by hand. */
#ifndef BENCH_PAPERS_H
#define BENCH_PAPERS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <trawl.h>

#include "bench/files.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/process.h"
#include "bench/spawner.h"
#include "bench/text.h"
#include "bench/util.h"

/* ---- Figures ------------------------------------------------------------------------------ */

enum figure_state {
    FIGURE_EMPTY, /* not asked for */
    FIGURE_MEASURED,
    FIGURE_NO_GPU,
    FIGURE_MISSING, /* the program is not installed */
    FIGURE_REFUSED, /* the library does not do this, and says why */
    FIGURE_FAILED,
    FIGURE_WRONG, /* a wrong answer has no time */
    FIGURE_LATE,  /* the time for the whole run was up */
    FIGURE_STATES
};

enum host {
    HOST_ONE,     /* the CPU engine, one thread */
    HOST_ALL,     /* the CPU engine, all cores */
    HOST_GPU,     /* the CUDA engine as the sources used a device: one copy, one kernel */
    HOST_GPU_OWN, /* the CUDA engine as it comes */
    HOST_COMMAND, /* a whole process */
    HOST_FUNCTION /* code of this benchmark: a source's baseline */
};

/* Whose program a figure is of. */
enum side {
    SIDE_NEITHER,   /* a baseline of no source */
    SIDE_OWN,       /* trawl's own method */
    SIDE_PUBLISHED, /* a source's program or its baseline, on the same work */
    SIDES
};

/* The whole time, and what it is made of: everything from PLAN to OTHER adds up to it. */
#define PART_LIST(X)                                                                               \
    X(WHOLE, "whole", "total")          /* from the call to the answer */                          \
    X(PLAN, "plan", "plan")             /* building the plan */                                    \
    X(MEMORY, "memory", "allocation")   /* of memory on and for the device */                      \
    X(COPY_IN, "copy_in", "copy in")    /* text, tables */                                         \
    X(KERNEL, "kernel", "kernel")       /* by the device's clock */                                \
    X(COPY_OUT, "copy_out", "copy out") /* results */                                              \
    X(HOST, "host", "host work")        /* sorting, verifying, handing over */                     \
    X(OTHER, "other", "other")          /* what is left of the whole */                            \
    X(COPIES, "copies", "copies")       /* COPY_IN and COPY_OUT, as in PSS */                      \
    /* Of trawl's own method, beside PLAN: summed over threads, so that they add up to nothing. */ \
    X(READY, "ready", "copies for the device, all threads")                                        \
    X(SEARCH, "search", "searches, all workers")

enum part {
#define PART_ENUM(name, key, label) PART_##name,
    PART_LIST(PART_ENUM)
#undef PART_ENUM
        PARTS
};
extern const char *const part_keys[PARTS], *const part_labels[PARTS];

#define NAME_BYTES 96u

/* What one contestant took for one question, one sample per run. */
struct figure {
    enum figure_state state;
    enum host host; /* what it ran on; a baseline's function is on cores */
    enum side side;
    struct samples part[PARTS]; /* beside WHOLE: PLAN, where the library ran, and what it says */
    double factor;              /* the time of the whole question / the time of what was run */
    uint32_t runs;              /* wanted: as many as the source has */
    uint64_t child_grids, child_spills, child_withheld;
    uint64_t chunks;      /* of trawl's own method, in the last run */
    uint64_t occurrences; /* that it met there */
    uint64_t answers;     /* the question's: positions, or cells of the matrix that hold one */
    char who[NAME_BYTES], on[NAME_BYTES]; /* who ran on what, for the data files */
    char note[TRAWL_ERROR_MESSAGE_BYTES];
};

/* The median, or the mean, in seconds; false where there is none. */
bool figure_median(const struct figure *figure, enum part part, double *seconds);
bool figure_mean(const struct figure *figure, enum part part, double *seconds);
/* "no GPU", "wrong" and so on; "" for a measured one. */
const char *figure_state_name(enum figure_state state);

/* ---- Tables ------------------------------------------------------------------------------- */

#define TABLE_ROWS_MAX 256u
#define TABLE_COLUMNS_MAX 32u
#define CAPTION_BYTES 768u

enum cell_kind {
    CELL_EMPTY,
    CELL_PUBLISHED,
    CELL_TIME,
    CELL_SPEEDUP,
    CELL_GRIDS,
    CELL_SPILLS,
    CELL_WITHHELD,
    CELL_KINDS
};

struct cell {
    enum cell_kind kind;
    enum part part;
    double number;               /* as published, in the table's unit */
    const struct figure *figure; /* what was measured here */
    const struct figure *base;   /* SPEEDUP: base's time / figure's time */
};

struct table {
    char title[160], unit[NAME_BYTES], corner[NAME_BYTES];
    char caption[CAPTION_BYTES]; /* what is inside the times */
    bool means;                  /* cells are means, so that they add up; else medians */
    bool folded;                 /* long: the page shows it when asked */
    double per_second;           /* a time's number is seconds times this */
    uint32_t row_count, column_count;
    char row[TABLE_ROWS_MAX][NAME_BYTES], column[TABLE_COLUMNS_MAX][NAME_BYTES];
    double row_number[TABLE_ROWS_MAX]; /* where rows are places on an axis; else 0 */
    struct cell cell[TABLE_ROWS_MAX][TABLE_COLUMNS_MAX];
};

/* Three digits that count. */
void number_text(double value, char text[NAME_BYTES]);
/* The number that stands in a cell; false where it holds none. */
bool cell_value(const struct table *table, const struct cell *cell, double *value);
/* The number, or the word in its place. Behind a median: (the mean) where it is further away than a
 * twentieth, ~ where the runs are apart by more than half of it, [runs] where they are fewer. */
void cell_text(const struct table *table, const struct cell *cell, char text[NAME_BYTES]);

/* A view of a table: rows along x, a line per column. */
struct plot {
    const struct table *table;
    char title[160], x_label[NAME_BYTES];
    uint32_t row_begin, row_count;
    uint32_t columns; /* bits */
    bool joined;      /* marks joined by lines: the rows have an order */
};

/* ---- Claims ------------------------------------------------------------------------------- */

enum claim_kind {
    CLAIM_RATIO,     /* left's time / right's, against the bound */
    CLAIM_GAIN,      /* (left / right) / (base_left / base_right), against the bound */
    CLAIM_BEST,      /* the most of right / left over all cases, against the bound */
    CLAIM_CROSSINGS, /* where left stops being slower than right or begins to, along x */
    CLAIM_KINDS
};

#define CLAIM_CASES_MAX 40u

struct claim_case {
    char name[NAME_BYTES];
    double x;         /* CROSSINGS: where */
    double published; /* the same value from the source's figures; 0: it gives none */
    const struct figure *left, *right, *base_left, *base_right;
    enum part left_part, right_part;
};

/* What a source says, or what this run adds, and the figures that decide it. The sentence is made
 * from them alone: it turns when they turn. */
struct claim {
    enum claim_kind kind;
    bool ours;     /* no source says so */
    bool at_least; /* the value is said to be at least the bound; else at most */
    double bound;  /* CROSSINGS: where the source has its crossing; 0: it says nothing */
    char left[NAME_BYTES], right[NAME_BYTES];
    char unit[24];       /* CROSSINGS: of x */
    char published[160]; /* how the source puts it, where it gives no number for each case */
    uint32_t count;
    struct claim_case cases[CLAIM_CASES_MAX];
};

#define SENTENCE_BYTES 1600u

/* Of the cases that were measured, how many are as the claim says. */
struct claim_count {
    uint32_t known, holds;
};
struct claim_count claim_count(const struct claim *claim);
/* False where nothing of it was measured. */
bool claim_sentence(const struct claim *claim, char text[SENTENCE_BYTES]);

#define PAPER_TABLES_MAX 8u
#define PAPER_CLAIMS_MAX 96u
#define PAPER_PLOTS_MAX 4u
#define PAPER_NOTES_MAX 24u
#define NOTE_BYTES 480u
#define PAPER_FIGURES_MAX 768u

struct paper {
    const char *name, *title, *source, *hardware;
    double load_after; /* of the system, when all was measured; below 0: not known */
    uint32_t table_count, claim_count, plot_count, note_count, figure_count;
    struct table table[PAPER_TABLES_MAX];
    struct claim claim[PAPER_CLAIMS_MAX];
    struct plot plot[PAPER_PLOTS_MAX];
    char note[PAPER_NOTES_MAX][NOTE_BYTES];
    struct figure figure[PAPER_FIGURES_MAX];
};

struct table *paper_table(struct paper *paper, double per_second, const char *unit,
                          const char *corner, const char *title, ...)
    __attribute__((format(printf, 5, 6)));
void table_caption(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
uint32_t table_row(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
uint32_t table_column(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void table_published(struct table *table, uint32_t row, uint32_t column, double number);
void table_time(struct table *table, uint32_t row, uint32_t column, const struct figure *figure,
                enum part part);
void table_speedup(struct table *table, uint32_t row, uint32_t column, const struct figure *figure,
                   const struct figure *base);
/* Child grids of the figure's last run: that ran, that the device refused, that were not asked for
 * (GRIDS, SPILLS, WITHHELD). */
void table_grids(struct table *table, uint32_t row, uint32_t column, const struct figure *figure,
                 enum cell_kind kind);
/* The parts of the time of all of a device's algorithms among figures [first, ...). */
void paper_parts(struct paper *paper, uint32_t first, const char *caption);
/* And those of trawl's own method. */
void paper_own_parts(struct paper *paper, uint32_t first);
struct figure *paper_figure(struct paper *paper);
void paper_note(struct paper *paper, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct plot *paper_plot(struct paper *paper, const struct table *table, uint32_t row_count,
                        uint32_t columns, bool joined, const char *x_label, const char *title);

/* The claim with these words, begun if there is none yet. */
struct claim *paper_claim(struct paper *paper, enum claim_kind kind, bool ours, const char *left,
                          const char *right);
/* One more case of it; NULL where one of the figures is. */
struct claim_case *claim_add(struct claim *claim, const char *name, const struct figure *left,
                             enum part left_part, const struct figure *right, enum part right_part);
/* A source's claim that left takes at most as long as right, or at least; published: its own ratio,
 * or 0. And ours, which says nothing beforehand. */
void paper_faster(struct paper *paper, const char *left_name, const struct figure *left,
                  enum part left_part, const char *right_name, const struct figure *right,
                  enum part right_part, double published, const char *name);
void paper_slower(struct paper *paper, const char *left_name, const struct figure *left,
                  enum part left_part, const char *right_name, const struct figure *right,
                  enum part right_part, double published, const char *name);
void paper_ours(struct paper *paper, const char *left_name, const struct figure *left,
                enum part left_part, const char *right_name, const struct figure *right,
                enum part right_part, const char *name);

/* ---- Questions and contestants ------------------------------------------------------------ */

enum question_kind { ASK_POSITIONS, ASK_FIRST, ASK_MATRIX };

/* A text and a pattern, or records and patterns, and the right answer. */
struct question {
    enum question_kind kind;
    const char *name; /* of the text, for the data files */
    const uint8_t *text;
    uint64_t text_bytes;
    const struct trawl_pattern *patterns;
    uint64_t pattern_count;
    struct trawl_text *handle;           /* of the text, for trawl */
    bool loaded;                         /* the text lies on the device before the time begins */
    uint64_t *place;                     /* POSITIONS, FIRST: all occurrences, ascending */
    uint64_t place_count;                /* MATRIX: cells that hold an index */
    const struct trawl_records *records; /* MATRIX, with the next two */
    const int64_t *matrix;               /* the right answer */
    int64_t *answer;                     /* room for one */
    struct trawl_match *matches;         /* room for place_count + 1 */
};

/* A process and what it must write. */
struct command_line {
    const char *argument[16]; /* ends in NULL */
    char options[64];         /* split in place */
    uint32_t options_count;   /* the pattern is argument[options_count + 2] */
    uint64_t output_bytes, head_hash, output_hash;
    int status;
    bool missing;   /* the program is not installed */
    bool needs_gpu; /* it is told to use one */
};

struct contestant {
    const char *label;
    enum host host;
    const char *algorithm;              /* NULL: trawl's own */
    const struct command_line *command; /* COMMAND */
    /* FUNCTION: does the work and says how long it took; false: the answer was wrong. */
    bool (*function)(void *context, double *seconds);
    void *context;
    struct figure *figure;
};

#define RACE_MAX 64u

struct race {
    struct contestant contestant[RACE_MAX];
    uint32_t count;
};

struct papers {
    const struct options *options;
    struct machine machine;
    struct spawner spawner;
    struct files files;
    char grep_version[128], command_version[128], command_path[PATH_MAX];
    char device[256]; /* its name; empty: there is none */
    char no_device[TRAWL_ERROR_MESSAGE_BYTES];
    struct trawl_searcher *searcher[HOST_GPU_OWN + 1];
    uint32_t threads;  /* of HOST_ALL */
    double load_begin; /* of the system, before anything was measured; below 0: not known */
    double begin_seconds;
    uint32_t wrong_count, failed_count;
    uint64_t check_count; /* answers compared */
    struct paper *paper;  /* at hand */
};

/* Open the searchers there are. Closing is for the end. */
void papers_open(struct papers *papers);
void papers_close(struct papers *papers);

/* One more contestant, with a figure of its own. */
struct figure *race_library(struct papers *papers, struct race *race, enum host host,
                            const char *algorithm, const char *label);
struct figure *race_command(struct papers *papers, struct race *race,
                            const struct command_line *command, const char *label);
struct figure *race_function(struct papers *papers, struct race *race,
                             bool (*function)(void *context, double *seconds), void *context,
                             const char *label);

/* All contestants in turn, `runs` times each after one run that is not counted; fewer where one
 * takes longer than --cell-seconds in all. Every answer is checked. */
void papers_race(struct papers *papers, const struct question *question, const struct race *race,
                 uint32_t runs);
/* The parts of a race: the run that is not counted, unless it took all the time there is and what
 * it took is to be kept; */
void papers_enter(struct papers *papers, const struct question *question, const struct race *race,
                  uint32_t runs, bool keeps);
/* who comes at a place of a round: the order moves on from round to round, and those on a device
 * come together, since a device that has waited is slow to wake up; */
bool contestant_on_device(const struct contestant *contestant);
uint32_t race_at(const struct race *race, uint32_t round, uint32_t place);
/* before each run that counts, but for commands: the same contestant's run that does not count.
 * Else the one whose program ran last would find its code, buffers and text in the caches, and
 * others, which come back after many, would not; */
void papers_warm(struct papers *papers, const struct question *question,
                 const struct contestant *contestant);
bool papers_wants_more(const struct papers *papers, const struct contestant *contestant);
/* one run of one contestant: what it took, or false where it is out of the race; */
bool papers_run(struct papers *papers, const struct question *question,
                const struct contestant *contestant, bool first, double seconds[PARTS]);
/* and what is kept of it. */
void figure_keep(struct figure *figure, const double seconds[PARTS]);
/* Is there time left for the whole? */
bool papers_late(const struct papers *papers);

/* ---- Texts and right answers -------------------------------------------------------------- */

/* A corpus cut or repeated to `bytes` (0: as it is), at most --largest. */
struct corpus {
    char name[SOURCE_NAME_BYTES + 64];
    uint8_t *bytes;
    uint64_t bytes_count;
};

enum corpus_kind { CORPUS_BIBLE, CORPUS_WORLD, CORPUS_ECOLI, CORPUS_LETTERS, CORPUS_KINDS };

void corpus_make(const struct papers *papers, enum corpus_kind kind, uint64_t bytes,
                 struct corpus *corpus);
void corpus_free(struct corpus *corpus);
uint64_t papers_bytes(const struct papers *papers, uint64_t bytes); /* at most --largest */

/* The question of one pattern in one text, with its answer found by memchr and memcmp. */
void question_open(struct question *question, enum question_kind kind, const char *name,
                   const uint8_t *text, uint64_t text_bytes, const struct trawl_pattern *pattern);
void question_close(struct question *question);

/* The arguments of a command: what it does is said by expect_... below. */
void command_grep(const struct papers *papers, struct command_line *line, const char *options,
                  const char *pattern, const char *path);
void command_trawl(const struct papers *papers, struct command_line *line, const char *options,
                   const char *pattern, const char *path);

/* What grep -F writes: the lines with an occurrence, or with -o -b each occurrence after the end
 * of the last and where it begins. */
void expect_lines(const struct question *question, struct command_line *line);
void expect_only_matching(const struct question *question, struct command_line *line);
void expect_output(const void *output, uint64_t output_bytes, struct command_line *line);

/* Algorithms of the gallery that begin so, on this engine, and are not in `known`: what was added
 * to the gallery since. Returns how many names were written. */
uint32_t papers_others(const char *prefix, enum trawl_engine engine, const char *const *known,
                       uint32_t known_count, const char **names, uint32_t names_max);

/* ---- The reports -------------------------------------------------------------------------- */

void paper_pss(struct papers *papers);
void paper_bmh(struct papers *papers);
void paper_swift(struct papers *papers);
void paper_word(struct papers *papers);
void paper_records(struct papers *papers);

/* An empty report of that name; NULL: there is none. */
struct paper *paper_open(const char *name);

/* ---- Outputs ------------------------------------------------------------------------------ */

void papers_print(const struct papers *papers, const struct paper *paper);
void papers_markdown(const struct papers *papers, const struct paper *paper, FILE *file);
/* Claims as sentences: the source's, then ours. */
void papers_claims(const struct paper *paper, const char *not_measured, FILE *file);
/* Each cell in which a published program takes less time than trawl for the same whole job on the
 * same kind of processor. */
void papers_losses(struct paper *const *paper, uint32_t paper_count, FILE *file);
void papers_json(const struct papers *papers, struct paper *const *paper, uint32_t paper_count,
                 FILE *file);
void papers_csv_head(FILE *file);
void papers_csv(const struct paper *paper, FILE *file);
void papers_svg(const struct papers *papers, const struct paper *paper, FILE *file);
/* All Markdown of all reports. */
void papers_page(const struct papers *papers, struct paper *const *paper, uint32_t paper_count,
                 FILE *file);

#define PAPERS_MAX 8u
#define PAPERS_FORM 2 /* of the JSON: which version of this program can read it */

/* What papers_json wrote: machine and reports. Fails where the file is of another form. */
uint32_t papers_load(const char *path, struct papers *papers, struct options *options,
                     struct paper *paper[PAPERS_MAX]);
/* Does the page say what these figures say, and nothing else about them? Prints what it does not.
 * Returns the number of sentences without figures. */
uint32_t papers_check(const struct papers *papers, struct paper *const *paper, uint32_t paper_count,
                      const char *page_path);

#endif
