/* walk: finds the files to search: the operands, and in recursive searches the files of
 * directories.
 */
#ifndef TRAWL_WALK_H
#define TRAWL_WALK_H

#include "trawl/job/supply.h"
#include "trawl/job/command_job.h"
#include "trawl/files/tree.h"

/* The name of a file that --write makes, with the process's number, before mkstemp's XXXXXX. */
#define WALK_OWN_NAME ".trawl-%ld-"

enum walk_kind {
    WALK_FILE,  /* a file to search */
    WALK_INPUT, /* standard input */
    WALK_LOOP,  /* a link to a directory that contains it; walk_report prints a warning */
    WALK_ERROR, /* a file or directory that cannot be read; os_code says why */
    WALK_NOTE,  /* a file or directory was skipped; `name` is the message */
};

/* What walk_next found. */
struct walk_item {
    enum walk_kind kind;
    /* the path as messages show it; borrowed until the next call */
    const char *name;
    /* WALK_FILE: the file's path relative to `directory` is `name + open_at`; with `directory`
     * NULL, relative to the working directory */
    size_t open_at;
    struct tree_directory *directory;
    /* WALK_FILE: a DT_ constant of <dirent.h>, perhaps DT_UNKNOWN */
    unsigned char type;
    bool is_operand;                      /* the command line names the file */
    int os_code;                          /* WALK_ERROR: errno */
    const struct supplied_file *supplied; /* if the job's caller supplies files; otherwise NULL */
    const void *supplier;                 /* if `supplied`: for supply.open */
    /* if `supplied`: the file is known to contain no string of the plan */
    bool holds_nothing;
    /* files before this item that were skipped because they contain no string of the plan: their
     * number and the sum of their bytes */
    uint64_t passed_files, passed_bytes;
    uint64_t begin, end; /* a unit of a file (run/units.h): text offsets */
};

struct walk {
    struct command_job *job; /* the first directory changes job->show_names from -1 to 1 */
    const struct value_item *operands;
    size_t operand_count, operand_at; /* number of operands; index of the next operand */
    struct tree *tree;                /* tree of the current operand; NULL: no tree */
    bool below_working_directory;     /* no operand was given: names are shown without "./" */
    void *taken;  /* --write: paths of the files found so far, a tree of search.h; NULL: none */
    char *note;   /* the text of the last WALK_NOTE about a backup */
    char own[32]; /* WALK_OWN_NAME of this process */
    unsigned open_levels; /* how many directories may be open at a time */
};

/* Returns how many options (-f, --exclude-from) read a list from standard input. */
size_t walk_lists_of_input(const struct settings *settings);

/* Returns true if the files below directories are searched. */
bool walk_recurses(const struct settings *settings);
/* Returns true if standard input is searched. */
bool walk_reads_input(const struct settings *settings, const struct value_item *operands,
                      size_t operand_count);

/* Prepares a walk of the operands. Without operands, the walk finds standard input or, in most
 * recursive searches, the files of the working directory. */
void walk_open(struct walk *walk, struct command_job *job, const struct value_item *operands,
               size_t operand_count, unsigned open_levels);

/* Finds the next file, or something to report. False: there are no more files. With --write, a file
 * to which several names lead is found once, and backups and the command's own new files are not.
 */
bool walk_next(struct walk *walk, struct walk_item *item);

void walk_close(struct walk *walk);

/* Prints the message of an item of kind WALK_LOOP, WALK_ERROR or WALK_NOTE. */
void walk_report(struct command_job *job, const struct walk_item *item);

/* Returns true if devices, pipes and sockets are skipped. */
bool walk_skips_special_files(const struct settings *settings, bool is_operand);

/* Returns true if --exclude, --include, --exclude-dir or --directories=skip skips an operand. The
 * caller must know whether the operand is a directory. */
bool walk_skips_operand(const struct walk *walk, const char *name, bool is_directory);

#endif
