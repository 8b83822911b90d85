/* watch: the kernel's notices of what happens in directories (inotify).
 */
#ifndef SERVE_WATCH_H
#define SERVE_WATCH_H

#include <stdbool.h>

struct watches;

enum notice_kind {
    NOTICE_CONTENT, /* bytes or attributes of a file */
    NOTICE_NAME,    /* a file came, went or was renamed */
    NOTICE_TREE,    /* something about directories */
    NOTICE_LOST     /* notices were lost: anything may have happened */
};

struct notice {
    enum notice_kind kind;
    const char *directory; /* of CONTENT and NAME, as it was added; borrowed until the next call */
    const char *name;      /* in it; likewise */
};

/* NULL: errno says why. */
struct watches *watches_open(void);
void watches_close(struct watches *watches);
/* To be polled: readable where there are notices. */
int watches_descriptor(const struct watches *watches);

/* Watch an open directory, and call it `path` in notices. *known: it was watched by this path when
 * an earlier walk ended. False: it cannot be watched, errno says why; EXDEV: it has two paths in
 * one walk, since it is mounted twice or was moved meanwhile. If `known` is NULL, paths stay as
 * they are, and false means that it has another one, too. */
bool watches_add(struct watches *watches, int descriptor, const char *path, bool *known);
/* Directories that are not added between these are watched no more. */
void watches_begin(struct watches *watches);
void watches_end(struct watches *watches);

/* The next notice, without waiting. False: there is none. */
bool watches_next(struct watches *watches, struct notice *notice);

#endif
