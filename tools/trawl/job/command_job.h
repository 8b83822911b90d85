/* command_job: a run of the command: settings, patterns, searcher, output, and results so far. */
#ifndef TRAWL_COMMAND_JOB_H
#define TRAWL_COMMAND_JOB_H

#include "trawl.h"
#include "trawl/files/tree.h"
#include "trawl/options/patterns.h"
#include "trawl/text/output.h"

/* Sums over files for the summary of --json. */
struct json_totals {
    /* As in ripgrep's `stats`. `searches` and `bytes_searched` are about all files; the other
     * members are about files for which --json printed something. */
    uint64_t searches, with_match, bytes_searched, bytes_printed, lines, matches, elapsed_ns;
};

/* Sums over all files, for --stats and --json. All members have type uint64_t: totals.c adds them
 * as an array. */
struct job_sums {
    struct json_totals json;
    uint64_t file_count, selected_count; /* files searched; selected lines, or occurrences */
    uint64_t binary_count, failed_count; /* files left at a NUL without a match; errors of files */
    /* sums over all searches, from struct trawl_stats */
    uint64_t text_bytes, match_count, candidate_count;
    uint64_t chunk_count, device_chunk_count, search_ns;
    /* as in struct trawl_algorithm_stats */
    uint64_t device_copy_ns, device_back_ns, device_kernel_ns, device_shifts_ns, device_host_ns;
    uint64_t child_grids, child_spills, child_withheld;
    uint64_t change_count;
    uint64_t method_bytes[TRAWL_METHODS_COUNT]; /* bytes that each method searched */
};

/* A change of the way in which a thread searches, for --stats. */
struct job_method_change {
    char name[96]; /* the file, or the end of its name */
    struct trawl_change of;
};

struct job_totals {
    struct job_sums sums;
    /* the last changes: change i of sums.change_count is in changes[i % TRAWL_CHANGES_KEPT] */
    struct job_method_change changes[TRAWL_CHANGES_KEPT];
    struct trawl_way ways[TRAWL_WAYS_KEPT]; /* up to the one without a name */
    uint32_t thread_count;                  /* maximum number of threads that a search had */
    uint32_t worker_count; /* workers of the pool, or of a file's pool (units.c) if that has more */
    uint64_t elapsed_ns;   /* time of the whole run */
    char engine[32], instruction_set[16], note[160]; /* facts about the last search */
};

struct exclude;
struct filter;
struct supply;
struct pool_worker;
struct text_scan;
struct string_counts;
struct conditions;
struct edits;
struct line_search;

/* Says whether an earlier group of lines was printed, so that the next group needs a separator. */
enum groups {
    GROUPS_NONE, /* no earlier group was printed */
    /* a group was printed, but by a job whose output comes earlier */
    GROUPS_BEFORE,
    GROUPS_PRINTED, /* this job has printed a group */
    GROUPS_UNKNOWN, /* files before the current file are still being searched */
};

/* A run of the command. If several workers search files, each worker has its own job
 * (pool_turns.h). */
struct line;
struct command_job {
    const struct settings *settings;
    struct patterns *patterns;
    struct trawl_searcher *searcher; /* searches the next text */
    /* the worker that searches with this job, if several workers search; otherwise NULL */
    struct pool_worker *worker;
    struct output *output; /* where the report goes */
    /* rules of --include and --exclude; NULL: no such options */
    struct exclude *exclude;
    struct filter *filter;    /* rules for files of directories; NULL: no rules */
    struct filter *pre_globs; /* the globs of --pre-glob; NULL: none */
    /* files that a server supplies (supply.h); NULL: directories are walked */
    const struct supply *supply;
    /* The threads and devices that the job's searchers share; NULL: each has its own, as have
     * searchers of one thread and the reader of fasta.c in any case. */
    struct trawl_runtime *runtime;
    /* the counts of --count-by-pattern; NULL: the option was not given */
    struct string_counts *string_counts;
    struct string_counts_part *string_counts_part; /* those of this job alone */
    /* searches the rest of a scan's text (run/units.h); NULL: not possible */
    enum trawl_status (*search_units)(struct text_scan *scan, struct trawl_error *error);
    struct conditions *conditions; /* those of --and and --andnot (run/conditions.h); NULL: none */
    struct line_search *line_search; /* what this job has opened for them; NULL: nothing */
    /* clears `fits` of lines that do not meet the conditions, and returns how many of the lines it
     * has decided, at least one; NULL: there are no conditions */
    size_t (*lines_meet)(struct text_scan *scan, const uint8_t *bytes, struct line *lines,
                         size_t count);
    struct edits
        *edits; /* --diff: the printed lines with replacements (print/edits.h); else NULL */
    bool input_is_closed; /* the process began without standard input */
    /* 1: names are printed; 0: not; -1: only if the operand turns out to be a directory */
    int show_names;
    enum groups groups;
    /* a line was selected in some file; tg -L: none was in some file; --files: there is a file */
    bool selected;
    bool error_seen; /* an error occurred, so the exit status is 2, except after a match under -q */
    bool left_out;   /* a server's rules for files of directories skipped something */
    uint64_t left[LEFT_KINDS]; /* what a walk's rules skipped (files/tree.h) */
    bool has_searched;         /* files were searched that `totals` does not count */
    bool truncated;            /* --max-total or --max-output ended the search */
    bool done;                 /* nothing more can change the outcome */
    uint64_t searched_bytes;   /* sum over all texts */
    struct job_totals totals;
};

#define EXIT_SELECTED 0     /* a line was selected */
#define EXIT_NOT_SELECTED 1 /* no line was selected */
#define EXIT_ERROR 2        /* an error occurred */

/* Reasons for which files, and directories with all that they hold, were not searched, or not
 * whole. */
#define JOB_SKIPPED_COUNT 7
struct job_skipped {
    const char *why;
    uint64_t count;
};
void job_skipped(const struct command_job *job, struct job_skipped skipped[JOB_SKIPPED_COUNT]);

/* Prints a line on standard error, after the output so far. */
void job_message(struct command_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints why the job, or a part of it, fails. The job's guard notes a lack of memory, with which a
 * message ends (MESSAGE_EXHAUSTED). */
void job_fail(struct command_job *job, const char *message);

/* Prints a message about a file, unless -s is set, and sets job->error_seen. The job's guard notes
 * a lack of memory or descriptors. */
void job_file_error(struct command_job *job, const char *name, int os_code);

/* Prints, unless -s is set, in which encoding a file was read by --encoding=guess; "": nothing. */
void job_report_guess(struct command_job *job, const char *name, const char *guess);

/* Returns true if several files may be searched by one call, to find those without an occurrence:
 * all have the same report, and no occurrence can cross a line end. */
bool job_may_pass_over(const struct command_job *job);
/* Returns true if the report of a file without an occurrence is empty. */
bool job_passes_over_silently(const struct command_job *job);

/* How a job's output gets into the order of the files, if several workers search. A worker keeps
 * messages and separators until its turn comes (run/pool_turns.c). */

/* --max-total: waits until all files before the job's current one are reported, and returns how
 * many lines may still be selected; 0: the search is over. */
uint64_t pool_total_left(struct command_job *job);
/* Prints a message on standard error in the order of the output. */
void pool_say(struct pool_worker *worker, const char *text);
/* Returns true if the caller is to print a separator between groups and pass its start to
 * pool_mark_separator. The separator is dropped later if it is not needed. */
bool pool_wants_separator(struct pool_worker *worker, size_t separator_bytes);
void pool_mark_separator(struct pool_worker *worker, size_t begin);
/* Called after kept output was cut: forgets the mark of a separator that is gone. */
void pool_cut_back(struct pool_worker *worker);

#endif
