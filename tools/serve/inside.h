/* inside: what a collection is made of, for the files that make it.
 */
#ifndef SERVE_INSIDE_H
#define SERVE_INSIDE_H

#include <errno.h>

#include "serve/states.h"
#include "serve/watch.h"

/* Does a walk end with this error only now? Then there is more than it found. */
static inline bool is_shortage(int os_code)
{
    return os_code == ENOMEM || os_code == EMFILE || os_code == ENFILE;
}

#define OPEN_LEVELS 32u /* of directories, by a walk */
#define VIEWS_MAX 64u   /* that are kept */

/* A view, and all that it was made by, as bytes. */
struct kept_view {
    struct served_view *view; /* NULL: free */
    char *key;
    size_t key_bytes;
    uint64_t used; /* when, by collection.view_uses */
};

struct collection {
    struct collection_options options;
    char *root; /* its path without links */
    char *base; /* the directory that paths begin at: the root, or a file's directory */
    char *file; /* the name of a root that is a file, else NULL */
    struct settings walking; /* options.settings, to walk with; shares what they point to */
    struct shelf shelf;
    uint64_t host_bytes_max;

    pthread_mutex_t refresh; /* held by the thread that makes states. It guards: */
    struct watches *watches; /* NULL: none can be had, so files are looked at each time */
    bool must_walk;          /* names may have changed, */
    bool must_look;          /* and files of the same names, too */
    bool anew;               /* no file is to be kept */
    bool renamed;            /* what a walk finds may have changed */
    uint32_t *dirty;         /* files whose contents may have changed, by index; some twice */
    size_t dirty_count, dirty_capacity;
    char *path; /* room for one */
    size_t path_capacity;
    uint64_t number, names, refresh_ns;
    uint32_t conflict_count; /* walks one after the other in which a directory had two paths */

    pthread_mutex_t lock; /* held for moments. It guards: */
    struct state *state;  /* the newest */
    struct kept_view views[VIEWS_MAX];
    uint64_t view_uses;

    pthread_t thread; /* refreshes after notices, loads, and merges blocks */
    bool has_thread, waits_for_quiet;
    int wake; /* an eventfd that it waits for, too */
    atomic_bool is_ending, is_loading;
    _Atomic uint64_t begin_ns, load_ns, refresh_count;
};

/* The body of collection.thread. */
void *tend_collection(void *collection);

/* Watch a directory, and where git has rules in it; `known` as of watches_add. With `refresh`. */
bool watch_directory(struct collection *collection, int descriptor, const char *path, bool *known);

/* What is below the base, of an absolute path without links; NULL: it is not. */
const char *path_below(const struct collection *collection, const char *path);

#endif
