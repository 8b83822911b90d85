/* tree: lists the files of a directory, recursively.
 *
 * Only the root is opened by its path. Every other directory is opened relative to its parent's
 * descriptor, or reopened by ".." of a child, so paths may have any length. No function is
 * recursive, so trees may have any depth. The default order is grep's: the order in which the
 * directory lists its entries, or by inode number if there are more than 10,000 (see tree.c).
 */
#ifndef TRAWL_TREE_H
#define TRAWL_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/options/flags.h"

struct guard;

struct exclude;
struct filter;
struct tree;

/* An open directory with a reference count, since threads that open files in it may outlast the
 * walk. */
struct tree_directory {
    int descriptor;
    atomic_uint holder_count; /* the directory is closed when no holder is left */
};

void tree_directory_drop(struct tree_directory *directory); /* does nothing for NULL */

enum tree_kind {
    TREE_FILE, /* anything but a directory */
    TREE_LOOP, /* a link to a directory that contains it */
    /* os_code is the error of a directory or link that could not be read, ENOMEM, or ECANCELED if
     * the guard ended the walk */
    TREE_ERROR,
    TREE_NOTE, /* an entry was skipped; path is "PATH: skipped: REASON" */
    TREE_LEFT, /* an entry was skipped (tree_options.reports_left); `why` says by which rule */
};

/* Which rule skipped an entry. */
enum tree_left {
    LEFT_NOT,       /* the entry was not skipped */
    LEFT_BY_RULE,   /* a rule of an ignore file, or the boundary of a file system */
    LEFT_HIDDEN,    /* the name begins with a dot */
    LEFT_TOO_DEEP,  /* --max-depth */
    LEFT_TOO_LARGE, /* --max-filesize */
    LEFT_BY_OPTION, /* a glob, a type, --ignore-file or a similar option */
    LEFT_EXCLUDED,  /* --exclude or a similar option; with reports_left, LEFT_BY_OPTION */
    LEFT_KINDS
};

struct tree_entry {
    enum tree_kind kind;
    /* the root's name, then the path below the root; borrowed until the next call */
    const char *path;
    /* TREE_FILE: the file's name in `directory` is path + name_at. Count up holder_count if
     * `directory` is used after the next call. */
    size_t name_at;
    struct tree_directory *directory;
    /* TREE_FILE, TREE_LEFT: a DT_ constant of <dirent.h>, perhaps DT_UNKNOWN */
    unsigned char type;
    enum tree_left why; /* TREE_LEFT */
    int os_code;        /* TREE_ERROR */
};

/* `enter` is called for each directory, before its entries are read. */
struct tree_watcher {
    void (*enter)(void *context, int descriptor, const char *path);
    void *context;
};

struct tree_options {
    const struct exclude *exclude;     /* NULL: nothing is excluded */
    const struct filter *filter;       /* NULL: no rules */
    const struct file_settings *files; /* depth and size limits, order */
    bool follow;                       /* follow symbolic links */
    bool skip_special_files;           /* skip devices, pipes and sockets */
    bool reports_left;                 /* report each skipped entry, as TREE_LEFT */
    /* only links are checked for loops, and the root's name keeps all slashes at its end */
    bool as_ripgrep;
    unsigned open_levels;               /* maximum number of directories open at a time; ≥ 2 */
    uint64_t *left;                     /* [LEFT_KINDS]: counts of what was skipped, by kind */
    const struct tree_watcher *watcher; /* NULL: no watcher */
    const struct guard *guard;          /* limits of the search; NULL: no limits */
};

/* Begins to list the tree below `root`. NULL: errno says why. */
struct tree *tree_open(const char *root, const struct tree_options *options);
void tree_close(struct tree *tree);

/* Finds the next file, or something else to report. False: the tree has no more entries. */
bool tree_next(struct tree *tree, struct tree_entry *entry);

#endif
