/* walk: from the operands to the files to be searched, through directories if that is requested.
 */
#ifndef TRAWL_WALK_H
#define TRAWL_WALK_H

#include "trawl/held.h"
#include "trawl/job.h"
#include "trawl/tree.h"

enum walk_kind {
    WALK_FILE,
    WALK_INPUT, /* standard input */
    WALK_LOOP,  /* to be warned of */
    WALK_ERROR,
    WALK_NOTE, /* name: what is to be said of a file that was left out */
};

/* What comes next. */
struct walk_item {
    enum walk_kind kind;
    const char *name;                 /* as it is shown; borrowed until the next call */
    size_t open_at;                   /* WALK_FILE: what is opened is name + open_at ... */
    struct tree_directory *directory; /* ... in this directory, NULL: the working directory */
    unsigned char type;               /* WALK_FILE: one of dirent's DT_, if it is known */
    bool is_operand;
    int os_code;                  /* WALK_ERROR */
    const struct held_file *held; /* NULL: in the file system */
    bool holds_nothing;           /* held: no string of the plan, which is known already */
};

struct walk {
    struct command_job *job; /* whose show_names is decided by the first item */
    const struct value_item *operands;
    size_t operand_count, operand_at;
    struct tree *tree;            /* of the current operand, or NULL */
    bool below_working_directory; /* no operand: names are shown without "./" */
    unsigned open_levels;         /* how many directories may stay open */
};

/* Is standard input one of the texts? */
bool walk_reads_input(const struct settings *settings, const struct value_item *operands,
                      size_t operand_count);

/* Without operands, standard input or, if recursive, the working directory. */
void walk_open(struct walk *walk, struct command_job *job, const struct value_item *operands,
               size_t operand_count, unsigned open_levels);

/* False: there are no more, and the tree is closed. A caller that stops before closes it. */
bool walk_next(struct walk *walk, struct walk_item *item);

/* Say what an item is that is no file: WALK_LOOP, WALK_ERROR or WALK_NOTE. */
void walk_tell(struct command_job *job, const struct walk_item *item);

/* Are devices, pipes and sockets to be left out? */
bool walk_skips_devices(const struct settings *settings, bool is_operand);

/* The same as walk_next asks of a tree's entries, for an operand that turned out to be a directory
 * or not. */
bool walk_skips_operand(const struct walk *walk, const char *name, bool is_directory);

#endif
