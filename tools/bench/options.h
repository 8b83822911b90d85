/* options: what was typed after `trawl-bench cpu` and the other benchmarks' names. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <trawl.h>

struct options {
    const char *mode;    /* the benchmark: "cpu", "commands" and so on */
    const char *paper;   /* papers: one report's name; NULL: all */
    const char *program; /* argv[0] */
    const char *line;    /* the whole command line, for the reports */
    uint64_t text_bytes; /* of each text or file; a multiple of 4096 */
    uint32_t rounds;     /* timed runs of each thing */
    uint32_t threads;    /* "all" threads; 0: one per core */
    uint32_t small_runs; /* runs of the 1 KiB file */
    enum trawl_method method;
    const char *method_name;
    const char *instruction_set; /* NULL: the best */
    const char *filter;          /* NULL: every row; else a part of its name */
    const char *english_path;    /* NULL: looked for, else generated */
    const char *dna_path;
    const char *json_path; /* NULL: not written; likewise the next two */
    const char *svg_path;
    const char *markdown_path;
    const char *csv_path;
    const char *from_path;    /* papers: figures of an earlier run; NULL: measure */
    const char *data_folder;  /* of texts; NULL: TRAWL_DATA, else ../shared/data */
    const char *directory;    /* where files for commands are made; NULL: beside this */
    const char *command_path; /* the command; NULL: beside this program */
    uint64_t largest_bytes;   /* papers: no text is larger */
    uint32_t seconds_max;     /* papers, roofline: what is not begun by then is left out */
    double cell_seconds;      /* papers, roofline: most that one contestant gets for one question */
    bool sample;              /* give the plan a sample of the text */
    bool check;               /* papers: compare the page with the figures */
    bool falsify;             /* expect one occurrence too many: the run must fail */
};

/* Exits after --help, and with status 2 if something typed makes no sense. */
void options_parse(int argc, char **argv, struct options *options);

/* Is this row wanted? */
bool options_wants(const struct options *options, const char *row_name);

#endif
