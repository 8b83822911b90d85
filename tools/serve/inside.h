/* inside: the members of a collection, for the files that implement the collection. */
#ifndef SERVE_INSIDE_H
#define SERVE_INSIDE_H

#include "serve/collection.h"
#include "serve/states.h"
#include "serve/watch.h"

#define TOO_FAST "the files change faster than they can be listed"
#define OPEN_LEVELS 32u /* directories that a walk keeps open */

/* Bytes of files that are read while a search waits; the collection's thread reads the rest. A
 * larger file is loaded again once the file has not changed for quiet_ns. Tests set both lower. */
extern uint64_t refresh_bytes, quiet_ns;
/* Limit for changed parts of the tree that are walked separately. If more parts change, the whole
 * tree is walked. */
#define PARTS_MAX 8u

/* A directory that is to be walked, `deep`: with all directories below it. */
struct changed_part {
    char *path;
    bool deep;
};

struct collection {
    struct collection_options options;
    char *root; /* the root's path without links */
    /* The directory that paths are relative to: the root, or the directory of a root that is a
     * file. */
    char *base;
    char *file; /* the name of a root that is a file; else NULL */
    /* Copy of options.settings for the collection's own walks; shares the pointers. */
    struct settings walking;
    struct shelf shelf;

    /* Held by the thread that makes a state. Guards the members up to conflict_count: */
    pthread_mutex_t refresh;
    /* NULL: the kernel gives no watches, so each search looks at all files. */
    struct watches *watches;
    /* Not 0: the kernel gave too few watches; time of now_ns() at which to try again. */
    uint64_t watch_again_ns;
    bool must_walk; /* anything may have changed, so the whole tree is to be walked */
    bool anew;      /* all files are to be read again */
    bool renamed;   /* a walk may have missed a file that was moved meanwhile */
    struct changed_part parts[PARTS_MAX];
    size_t part_count;
    uint32_t *dirty; /* indices of files whose contents may have changed; may contain duplicates */
    size_t dirty_count, dirty_capacity;
    char **fresh; /* paths of new files; owned */
    size_t fresh_count, fresh_capacity;
    char *path; /* buffer for one path */
    size_t path_capacity;
    /* Duration of the last refresh. */
    uint64_t refresh_ns;
    /* Successive walks of the whole tree in which a directory had two paths. */
    uint32_t conflict_count;

    pthread_mutex_t lock; /* Held for moments only. Guards `state`: */
    struct state *state;  /* the newest state */

    pthread_t thread; /* refreshes after notices, loads files, and merges blocks */
    /* waits_for_quiet: a large file changed within quiet_ns, so the thread looks at the file again
     * later. */
    bool has_thread, waits_for_quiet;
    int wake; /* an eventfd that ends the thread's wait for notices */
    atomic_bool is_ending, is_loading;
    /* When the last load began, and how long that load took; number of refreshes that changed the
     * state. */
    _Atomic uint64_t begin_ns, load_ns, refresh_count;
};

/* The body of collection.thread. Returns NULL when the collection is closed. */
void *tend_collection(void *collection);

/* Completes `state` by what the batch made, and makes it the newest. The caller holds
 * collection->refresh. */
void collection_publish(struct collection *collection, struct state *state,
                        struct file_batch *batch);

/* Returns whether an errno means that a path does not exist. */
static inline bool is_gone(int os_code)
{
    return os_code == ENOENT || os_code == ENOTDIR;
}

/* Reads the kernel's notices, and notes what has to be looked at or walked. The caller holds
 * collection->refresh. */
void take_notices(struct collection *collection);
/* Forgets a part that is to be walked. */
void drop_part(struct collection *collection, size_t at);
/* Reads the status of a file below a directory, without following a link at the path's end; takes
 * paths that are too long for one call of the kernel, too. False: errno says why. */
bool status_below(int directory, const char *path, struct stat *status);
void drop_fresh(struct collection *collection);

/* Returns whether the collection's bounds (--from, --until) let it serve the file at this path
 * below the base. */
bool is_within_bounds(const struct collection *collection, const char *path);

/* Returns whether a walk may leave files out by ripgrep's rules. */
bool walks_by_rules(const struct file_settings *files);
/* Returns the part below the base of an absolute path without links; NULL: the path is not below
 * the base. */
const char *path_below(const struct collection *collection, const char *path);

/* Writes the operand to `path` as an absolute path without "." and double slashes. *is_folder: the
 * operand ends like a directory's name. False: the operand has a part "..". */
bool path_normalize(const char *directory, const char *operand, char *path, bool *is_folder);

#endif
