/* scout: threads that read the directories of a tree before the walk comes to them.
 *
 * The walk (tree.c) stays in charge: it takes one directory after the other in its own order, and
 * reads itself what no reader has read. Readers follow the order of the entries, at most AHEAD_MAX
 * directories before the walk. They know no rules, so they may read a directory that the walk then
 * skips; they leave out names that begin with a dot.
 */
#ifndef TRAWL_SCOUT_H
#define TRAWL_SCOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "trawl/files/directory.h"

struct scouts;

/* A directory that the walk is in, or that was read ahead. */
struct scout_node {
    struct tree_directory *directory;
    struct stat status;
    char *bytes; /* the first entries, as getdents64 returns them */
    size_t bytes_count;
    bool at_end;    /* there are no more entries */
    size_t scanned; /* offset in `bytes` of the first entry that no reader has looked at */
    size_t depth;   /* 0 for the root */
    bool taken;     /* the walk is in the directory */
    bool dropped;   /* its reader frees the node */
    atomic_bool reading;
    struct scout_node *previous, *next;
    const struct scout_node *parent;
    struct tree_directory *parent_directory; /* held for the reader */
    char name[];
};

/* Prepares up to `readers` threads, which start if the tree turns out to be large. NULL: no memory,
 * no readers, or few descriptors. */
struct scouts *scouts_open(uint32_t readers);
/* Waits for no reader, since one may hang in a dead file system that the walk skips. Accepts
 * NULL. */
void scouts_close(struct scouts *scouts);

/* Tells the readers the first entries of a directory that the walk has read itself. NULL: no
 * memory. */
struct scout_node *scouts_add(struct scouts *scouts, size_t depth, struct tree_directory *directory,
                              const char *bytes, size_t bytes_count);
/* The walk is at the entry `name` of the directory `parent`, which may be NULL. Returns what was
 * read of the directory `name`; waits if a reader is reading it. NULL: nothing was read. */
struct scout_node *scouts_take(struct scouts *scouts, struct scout_node *parent, const char *name);
/* The walk closes the directory, whose other entries are not read ahead any more. */
void scouts_shut(struct scouts *scouts, struct scout_node *node);
/* The walk leaves the directory, or skips it. Both functions accept NULL for the node. */
void scouts_drop(struct scouts *scouts, struct scout_node *node);

#endif
