/* inside: the members of a collection, for the files that implement the collection. */
#ifndef SERVE_INSIDE_H
#define SERVE_INSIDE_H

#include "serve/states.h"
#include "serve/watch.h"

#define TOO_FAST "the files change faster than they can be listed"
#define OPEN_LEVELS 32u /* directories that a walk keeps open */
#define VIEWS_MAX 64u   /* views that a collection keeps */

/* A view fails if names have changed during each of its walks for this time. Tests set the variable
 * lower. */
extern uint64_t view_rounds_ns;

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
    bool renamed;   /* names or rules may have changed, so views have to walk again */
    struct changed_part parts[PARTS_MAX];
    size_t part_count;
    uint32_t *dirty; /* indices of files whose contents may have changed; may contain duplicates */
    size_t dirty_count, dirty_capacity;
    char *path; /* buffer for one path */
    size_t path_capacity;
    /* Duration of the last refresh. */
    uint64_t refresh_ns;
    /* Successive walks of the whole tree in which a directory had two paths. */
    uint32_t conflict_count;

    pthread_mutex_t lock; /* Held for moments only. Guards the members up to view_bytes: */
    struct state *state;  /* the newest state */
    struct served_view *views[VIEWS_MAX]; /* by last use, the most recent first; NULL: free */
    uint64_t view_bytes;                  /* sum of `bytes` over all views */

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

/* Watches a directory and its .git/info, where git may have rules. Fails as watches_add does. The
 * caller holds collection->refresh. */
bool watch_directory(struct collection *collection, int descriptor, const char *path,
                     enum watch_cause cause);

/* Returns whether the collection's bounds (--from, --until) let it serve the file at this path
 * below the base. */
bool is_within_bounds(const struct collection *collection, const char *path);

/* Returns whether a walk may leave files out by ripgrep's rules. */
bool walks_by_rules(const struct file_settings *files);
/* Returns whether a walk that begins at a lower directory finds the same files there as a walk of
 * the whole tree. A walk that begins lower may miss rules of the directories above and a border
 * between file systems, and counts depth from another directory. */
bool walks_alike_below(const struct file_settings *files);

/* Returns the part below the base of an absolute path without links; NULL: the path is not below
 * the base. */
const char *path_below(const struct collection *collection, const char *path);

/* Writes the operand to `path` as an absolute path without "." and double slashes. *is_folder: the
 * operand ends like a directory's name. False: the operand has a part "..". */
bool path_normalize(const char *directory, const char *operand, char *path, bool *is_folder);

/* Everything that determines the walk of a view, as bytes. Requests with equal keys get the same
 * view. */
struct view_key {
    char *bytes;
    size_t count, capacity;
    bool failed;
};

void view_key_add(struct view_key *key, const void *bytes, size_t count);
void view_key_add_list(struct view_key *key, const struct value_item *items, size_t count);

/* Returns a kept view with this key and this set of names; the caller drops it. NULL: there is
 * none. */
struct served_view *views_find(struct collection *collection, const struct view_key *key,
                               uint64_t names);
/* Keeps a view as the most recently used one, and drops the least recently used views to make room.
 * Takes ownership of the key's bytes. all: bounds the views' memory by a share of all requests'
 * memory; NULL: no bound. */
void views_keep(struct collection *collection, struct view_key *key, struct served_view *view,
                const struct guard *all);

/* Returns for each operand the index of the first operand with the same text; to be freed. NULL:
 * out of memory. */
size_t *operand_firsts(const struct value_item *operands, size_t count);

#endif
