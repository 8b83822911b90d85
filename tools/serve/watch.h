/* watch: the kernel's notices of what happens in directories (inotify).
 */
#ifndef SERVE_WATCH_H
#define SERVE_WATCH_H

#include <stdbool.h>

struct watches;

/* Why a directory is watched: a view walked it, git may have rules there, the collection walked it.
 */
enum watch_cause { WATCH_VIEW, WATCH_RULES, WATCH_FILES };

enum notice_kind {
    NOTICE_CONTENT, /* bytes or attributes of a file */
    NOTICE_NAME,    /* a file came, went or was renamed */
    NOTICE_TREE,    /* the same of a directory, or its attributes are others */
    NOTICE_LOST     /* notices were lost: anything may have happened */
};

struct notice {
    enum notice_kind kind;
    bool is_walked; /* the collection walked the directory; of LOST no matter, as what follows */
    const char *directory; /* as it was added; borrowed until the next call */
    const char *name;      /* in it; likewise. "": the directory itself */
};

/* NULL: errno says why. */
struct watches *watches_open(void);
void watches_close(struct watches *watches);
/* To be polled: readable where there are notices. */
int watches_descriptor(const struct watches *watches);

/* Watch an open directory, and call it `path` in notices. False: it cannot be watched, errno says
 * why. EXDEV: it has another path, too: it is mounted twice, or was moved meanwhile. With
 * WATCH_VIEW paths stay as they are. */
bool watches_add(struct watches *watches, int descriptor, const char *path, enum watch_cause cause);
/* A walk of the directory `part` ("": all; borrowed until the end) begins. Directories below it
 * that are not added until the end are watched no more. A walk that is not deep needs no end. */
void watches_begin(struct watches *watches, const char *part, bool is_deep);
void watches_end(struct watches *watches);

/* The next notice, without waiting. False: there is none. */
bool watches_next(struct watches *watches, struct notice *notice);

/* Is the path this directory ("": all), or below it? */
bool is_in(const char *path, const char *directory);

#endif
