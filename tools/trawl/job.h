/* job: one run of the command: settings, patterns, searcher, output, and what was seen so far. */
#ifndef TRAWL_JOB_H
#define TRAWL_JOB_H

#include <sys/stat.h>

#include "trawl/patterns.h"
#include "trawl/output.h"
#include "trawl/settings.h"

/* Of the files that --json printed something of. */
struct json_totals {
    uint64_t searches, with_match, bytes_searched, bytes_printed, lines, matches, elapsed_ns;
};

/* Sums over all files, for --stats and --json: 64-bit numbers alone, which totals.c adds up. */
struct job_sums {
    struct json_totals json;
    uint64_t file_count, selected_count;
    uint64_t text_bytes, match_count, candidate_count;
    uint64_t chunk_count, device_chunk_count, search_ns;
    uint64_t device_copy_ns, device_kernel_ns, child_grids, child_spills, child_withheld;
    uint64_t method_bytes[TRAWL_METHODS_COUNT];
    uint64_t host_searched_ns, host_ready_ns, host_waited_ns; /* summed over threads */
    uint64_t devices_searched_ns, devices_waited_ns;
    uint64_t output_ns;
    uint64_t bound_ns[TRAWL_BOUND_OUTPUT + 1]; /* of the searches that were bound so */
};

struct job_totals {
    struct job_sums sums;
    uint32_t thread_count;
    uint32_t worker_count; /* that took files */
    uint64_t elapsed_ns;   /* of it all */
    char engine[32], instruction_set[16], note[160];
};

struct encoding;
struct exclude;
struct filter;
struct held;
struct matrix;
struct pool_worker;
struct progress;
struct string_counts;
struct tree_watcher;

/* Was a line printed, so that the next group of lines needs a separator? */
enum groups {
    GROUPS_NONE,
    GROUPS_PRINTED,
    GROUPS_UNKNOWN, /* files before this one are still being searched */
};

/* Of files that are searched by several workers each worker has a job of its own (pool_turns.h). */
struct command_job {
    const struct settings *settings;
    struct patterns *patterns;
    struct trawl_searcher *searcher; /* for the next text */
    struct pool_worker *worker;      /* whose job it is; NULL outside of pool.c's work */
    struct output *output;
    struct exclude *exclude;             /* what --include and --exclude leave out; NULL: nothing */
    struct filter *filter;               /* of the files of directories; NULL: all */
    const struct held *held;             /* the files are there (held.h); NULL: they are walked */
    const struct tree_watcher *watcher;  /* of the directories that are walked; NULL: nobody */
    struct trawl_runtime *runtime;       /* for searchers with all threads; NULL: their own */
    struct progress *progress;           /* NULL: none wanted */
    struct matrix *matrix;               /* --matrix, else NULL */
    struct string_counts *string_counts; /* --count-by-pattern, --unmatched-patterns; else NULL */
    bool silent;                         /* messages are not wanted: they come again */
    bool input_is_closed;
    int show_names; /* 1, 0, or -1: as the operand turns out to be a directory or not */
    enum groups groups;
    bool selected; /* a line was, in some file */
    bool error_seen;
    bool left_out;     /* by the rules about files of directories, something was */
    bool done;         /* nothing more can change the outcome */
    bool prints_alone; /* whose turn to print it is, with a searcher of all threads: interrupt.h */
    uint64_t begin_ns;
    uint64_t searched_bytes, searched_found; /* by searchers that the display does not follow */
    struct job_totals totals;
};

#define EXIT_SELECTED 0
#define EXIT_NOT_SELECTED 1
#define EXIT_ERROR 2

/* One line on standard error, after what was printed so far. */
void job_message(struct command_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A message that -s hides, about a file; the exit status will be 2. */
void job_file_error(struct command_job *job, const char *name, int os_code);

/* As job_file_error, with the message made. */
void job_file_fault(struct command_job *job, const char *message);

/* An open file. */
struct job_file {
    int descriptor;
    const struct stat *status;
    const char *name;
    const void *bytes; /* all of it, NULL: to be read from the descriptor */
    uint64_t bytes_count;
    bool may_be_compressed;
    bool is_operand;                 /* named on the command line */
    const struct encoding *encoding; /* a regular file's, converted; NULL: it is none */
};

/* Search it and report on it. */
void job_search(struct command_job *job, const struct job_file *file);
/* Would a line of this file be printed into the file itself, without end? If the output is a
 * regular file. */
bool job_is_own_output(const struct settings *settings, const struct stat *status);

/* Is what is said of a file without an occurrence always the same, and can no occurrence lie across
 * a line end, so that files may be searched together? */
bool job_may_pass_over(const struct command_job *job);
/* ... and is that nothing at all? */
bool job_passes_over_silently(const struct command_job *job);
/* Report on a file that is known to hold nothing. */
void job_pass_over(struct command_job *job, const char *name);
/* --files: the name of a file, on a line. */
void job_print_name(struct command_job *job, const char *name);

#endif
