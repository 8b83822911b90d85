/* inside: what a collection is made of, for the files that make it.
 */
#ifndef SERVE_INSIDE_H
#define SERVE_INSIDE_H

#include "serve/states.h"
#include "serve/watch.h"

#define TOO_FAST "the files change faster than they can be listed"
#define OPEN_LEVELS 32u /* of directories, by a walk */
#define VIEWS_MAX 64u   /* that are kept */

#define REFRESH_BYTES (UINT64_C(64) << 20) /* read while a search waits; more by the thread */
#define PARTS_MAX 8u                       /* of a tree, that changed; more: all of it */

/* A directory that is to be walked, with those below it or without. */
struct changed_part {
    char *path;
    bool deep;
};

struct collection {
    struct collection_options options;
    char *root; /* its path without links */
    char *base; /* the directory that paths begin at: the root, or a file's directory */
    char *file; /* the name of a root that is a file, else NULL */
    struct settings walking; /* options.settings, to walk with; shares what they point to */
    struct shelf shelf;

    pthread_mutex_t refresh; /* held by the thread that makes states. It guards: */
    struct watches *watches; /* NULL: none can be had, so files are looked at each time; */
    uint64_t watch_again_ns; /* not 0: since too few can be had, which is tried again then */
    bool must_walk;          /* anything may have changed, */
    bool anew;               /* no file is to be kept */
    bool renamed;            /* what a view's walk finds may have changed */
    struct changed_part parts[PARTS_MAX];
    size_t part_count;
    uint32_t *dirty; /* files whose contents may have changed, by index; some twice */
    size_t dirty_count, dirty_capacity;
    char *path; /* room for one */
    size_t path_capacity;
    uint64_t refresh_ns;
    uint32_t
        conflict_count; /* walks of all one after the other in which a directory had two paths */

    pthread_mutex_t lock;                 /* held for moments. It guards: */
    struct state *state;                  /* the newest */
    struct served_view *views[VIEWS_MAX]; /* that was used last before the others; NULL: none */
    uint64_t view_bytes;                  /* of all those views */

    pthread_t thread; /* refreshes after notices, loads, and merges blocks */
    bool has_thread, waits_for_quiet;
    int wake; /* an eventfd that it waits for, too */
    atomic_bool is_ending, is_loading;
    _Atomic uint64_t begin_ns, load_ns, refresh_count;
};

/* The body of collection.thread. */
void *tend_collection(void *collection);

/* A state becomes the newest, with what the batch made. With `refresh`. */
void collection_publish(struct collection *collection, struct state *state,
                        struct file_batch *batch);

/* Watch a directory, and where git has rules in it, as watches_add does. With `refresh`. */
bool watch_directory(struct collection *collection, int descriptor, const char *path,
                     enum watch_cause cause);

/* Does a walk leave files out by ripgrep's rules? */
bool walks_by_rules(const struct file_settings *files);
/* Does a walk that begins below a directory find what one finds there that begins at it? It may not
 * know the rules above, where it is another file system, and how deep it is. */
bool walks_alike_below(const struct file_settings *files);

/* What is below the base, of an absolute path without links; NULL: it is not. */
const char *path_below(const struct collection *collection, const char *path);

/* All that a view was made by, as bytes. */
struct view_key {
    char *bytes;
    size_t count, capacity;
    bool failed;
};

void view_key_add(struct view_key *key, const void *bytes, size_t count);
void view_key_add_list(struct view_key *key, const struct value_item *items, size_t count);

/* A kept view of these names, to be dropped; NULL: there is none. */
struct served_view *views_find(struct collection *collection, const struct view_key *key,
                               uint64_t names);
/* Keep a view before all others, in the place of those that were used last. Takes the key's bytes
 * over. all: what all requests may take; NULL: any memory. */
void views_keep(struct collection *collection, struct view_key *key, struct served_view *view,
                const struct guard *all);

/* Of each operand the first one with the same text, to be freed; NULL: out of memory. */
size_t *operand_firsts(const struct value_item *operands, size_t count);

#endif
