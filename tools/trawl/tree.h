/* tree: the files of a directory and of those below it, found by way of descriptors.
 *
 * Only the root is opened by its path, so a path may have any length; no function calls itself, so
 * a tree may have any depth. The default order is grep's: the directory's own, or by inode number
 * if there are more than 10,000 entries (see tree.c).
 */
#ifndef TRAWL_TREE_H
#define TRAWL_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/flags.h"

struct guard;

struct exclude;
struct filter;
struct tree;

/* A directory that is held open for those who open files in it. */
struct tree_directory {
    int descriptor;
    atomic_uint holder_count;
};

void tree_directory_hold(struct tree_directory *directory);
void tree_directory_drop(struct tree_directory *directory); /* NULL: nothing */

enum tree_kind {
    TREE_FILE,
    TREE_LOOP,  /* a directory that is above itself, by a link */
    TREE_ERROR, /* os_code: of a directory that could not be read, ENOMEM, or ECANCELED by the guard
                 */
    TREE_NOTE,  /* of what was left out: path is its path and why */
};

struct tree_entry {
    enum tree_kind kind;
    const char *path; /* the root's name and what follows; borrowed until the next call */
    size_t name_at;   /* TREE_FILE: the name in the directory is path + name_at ... */
    struct tree_directory *directory; /* ... and this the directory; hold it to keep it */
    unsigned char type;               /* TREE_FILE: one of dirent's DT_, DT_UNKNOWN too */
    int os_code;
};

/* Who wants to know of the directories: told of each before its entries are read. */
struct tree_watcher {
    void (*enter)(void *context, int descriptor, const char *path);
    void *context;
};

struct tree_options {
    const struct exclude *exclude;      /* NULL: takes all */
    const struct filter *filter;        /* NULL: takes all */
    const struct file_settings *files;  /* how deep, how large, in which order */
    bool follow;                        /* links, too */
    bool skip_devices;                  /* leave devices, pipes and sockets out */
    unsigned open_levels;               /* how many directories may stay open, at least 2 */
    bool *left_out;                     /* set where a rule or a limit leaves something out */
    const struct tree_watcher *watcher; /* NULL: nobody */
    const struct guard *guard;          /* that says when to end; NULL: nobody */
};

/* NULL: errno says why. */
struct tree *tree_open(const char *root, const struct tree_options *options);
void tree_close(struct tree *tree);

/* False: there are no more. */
bool tree_next(struct tree *tree, struct tree_entry *entry);

#endif
