/* watch: watches directories by inotify, and reads the kernel's notices. */
#ifndef SERVE_WATCH_H
#define SERVE_WATCH_H

#include <stdbool.h>

struct watches;

/* Why a directory is watched: git may have rules there; the collection's walk entered the
 * directory. */
enum watch_cause { WATCH_RULES, WATCH_FILES };

enum notice_kind {
    NOTICE_CONTENT, /* contents or attributes of a file changed */
    NOTICE_NAME,    /* a file was created, removed or renamed */
    NOTICE_TREE,    /* a directory was created, removed or renamed, or its attributes changed */
    NOTICE_LOST /* notices were lost, so anything may have changed; the other members are not set */
};

struct notice {
    enum notice_kind kind;
    bool is_moved;         /* the file came from a different directory or name */
    bool is_walked;        /* the collection's walk entered the directory */
    const char *directory; /* path given to watches_add; borrowed until the next call */
    /* Name in the directory, borrowed until the next call; "": the directory itself. */
    const char *name;
};

/* Opens an inotify instance. NULL: errno says why. */
struct watches *watches_open(void);
void watches_close(struct watches *watches);
/* Returns the descriptor to poll: readable when there are notices. */
int watches_descriptor(const struct watches *watches);

/* Watches an open directory, which notices call `path`. False: errno says why. EXDEV: the watch has
 * a different path that may be right, since the directory is mounted twice or was moved meanwhile.
 */
bool watches_add(struct watches *watches, int descriptor, const char *path, enum watch_cause cause);
/* watches_begin begins a walk of the directory `part`, borrowed until the end; "": the whole tree.
 * watches_end stops watching directories of the part that were not added since. A walk that is not
 * deep needs no end. */
void watches_begin(struct watches *watches, const char *part, bool is_deep);
void watches_end(struct watches *watches);

/* Reads the next notice without waiting. False: there is none. */
bool watches_next(struct watches *watches, struct notice *notice);

/* Returns whether the path is the directory or lies below it; every path lies below "". */
bool is_in(const char *path, const char *directory);

#endif
