/* watch: watches directories with inotify, and reads the kernel's change notices. */
#ifndef SERVE_WATCH_H
#define SERVE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct watches;

/* Why a directory is watched: git may keep rules in it, or the collection's walk entered it. */
enum watch_cause { WATCH_RULES, WATCH_FILES };

enum notice_kind {
    NOTICE_CONTENT, /* contents or attributes of a file changed */
    NOTICE_NAME,    /* a file was created, removed or renamed */
    NOTICE_TREE,    /* a directory was created, removed or renamed, or its attributes changed */
    /* notices were lost, so anything may have changed; no other member is set */
    NOTICE_LOST
};

struct notice {
    enum notice_kind kind;
    bool is_moved;         /* the file had another name or directory before */
    bool is_written;       /* the file's bytes changed */
    bool is_deleted;       /* the name was removed */
    uint32_t cookie;       /* not 0: the number that the two notices of a move share */
    bool is_walked;        /* the collection's walk entered the directory */
    const char *directory; /* path given to watches_add; borrowed until the next call */
    /* Name in the directory, borrowed until the next call; "": the directory itself. */
    const char *name;
};

/* Opens an inotify instance. Returns NULL on failure; errno says why. */
struct watches *watches_open(void);
void watches_close(struct watches *watches);
/* Returns a descriptor for poll, which is readable when there are notices. */
int watches_descriptor(const struct watches *watches);

/* Watches an open directory; notices will call it `path`. Returns false on failure; errno says why.
 * EXDEV: the directory is watched under a different path that may be right, because it is mounted
 * twice or was moved meanwhile. */
bool watches_add(struct watches *watches, int descriptor, const char *path, enum watch_cause cause);
/* watches_begin_walk begins a walk of the directory `part`, or of the whole tree if `part` is "".
 * `part` is borrowed until watches_end_walk, which stops watching directories of the part that the
 * walk has not added. A walk that is not deep needs no watches_end_walk. */
void watches_begin_walk(struct watches *watches, const char *part, bool is_deep);
void watches_end_walk(struct watches *watches);

/* Reads the next notice. Returns false immediately if no notice is waiting. */
bool watches_next(struct watches *watches, struct notice *notice);

/* Returns true if the path is the directory or lies below it; every path lies below "". */
bool is_in(const char *path, const char *directory);

#endif
