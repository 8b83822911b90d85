/* inside: the members of a collection (collection.h), for the files that implement it. A state is
 * the list of the collection's files at one time. The kernel's change notices lead to the next
 * state; where notices are not enough, a walk reads directories. */
#ifndef SERVE_INSIDE_H
#define SERVE_INSIDE_H

#include "serve/collection.h"
#include "serve/states.h"
#include "serve/watch.h"

#define TOO_FAST "the files change faster than they can be listed"
#define OPEN_LEVELS 32u /* maximum number of directories that a walk keeps open */

/* refresh_bytes: while a search waits, at most this many bytes of changed files are read; the
 * collection's thread reads the other files later. quiet_ns: a file of more than refresh_bytes is
 * reloaded only when it has been unchanged for this time. Tests set both lower. */
extern uint64_t refresh_bytes, quiet_ns;
/* At most this many changed parts of the tree are walked separately. If more parts change, the
 * whole tree is walked. */
#define PARTS_MAX 8u

/* If more names than this were written to since the tree was last checked, the tree is walked. */
#define WRITTEN_MAX 64u

/* A name that was written to since the tree was last checked. It may have been another hard link
 * of a known file, so it is kept until it turns out to be a separate file. */
struct written_name {
    char *path;
    uint32_t cookie; /* identifies the notice that moved the name away; 0: none */
    bool is_gone;    /* no file has the name */
};

/* A directory that must be walked; `deep`: with all directories below it. */
struct changed_part {
    char *path;
    bool deep;
};

struct collection {
    struct collection_options options;
    char *root; /* the root's path without links */
    /* The directory to which paths are relative: the root, or the directory of a root file. */
    char *base;
    char *file; /* the name of a root that is a file; NULL: the root is a directory */
    /* A shallow copy of options.settings, with changes for the collection's own walks. */
    struct settings *walking;
    struct shelf shelf;

    /* Held by the thread that makes a new state. Guards the members from here to conflict_count. */
    pthread_mutex_t refresh;
    /* NULL: the kernel sends no notices, so each search looks at all files. */
    struct watches *watches;
    /* If the kernel has rejected watches: the time, by now_ns(), of the next attempt. 0: no attempt
     * is planned. */
    uint64_t watch_again_ns;
    bool must_walk; /* anything may have changed, so the whole tree is to be walked */
    bool anew;      /* all files must be reread */
    bool renamed;   /* a walk may have missed a file that was moved at the same time */
    struct changed_part parts[PARTS_MAX];
    size_t part_count;
    /* indices of files whose contents may have changed; an index may come twice */
    uint32_t *dirty;
    size_t dirty_count, dirty_capacity;
    struct written_name written[WRITTEN_MAX];
    size_t written_count;
    char **fresh; /* paths of new files; owned */
    size_t fresh_count, fresh_capacity;
    char *path; /* buffer for one path */
    size_t path_capacity;
    /* How long the last refresh took. */
    uint64_t refresh_ns;
    /* Number of consecutive walks of the whole tree in which a directory had two paths. */
    uint32_t conflict_count;

    pthread_mutex_t lock; /* guards `state`; held only briefly */
    struct state *state;  /* the newest state */

    pthread_t thread; /* a thread that refreshes after notices, loads files, and merges blocks */
    /* waits_for_quiet: a large file changed within quiet_ns, so the thread will look again. */
    bool has_thread, waits_for_quiet;
    int wake; /* an eventfd that ends the thread's wait for notices */
    atomic_bool is_ending, is_loading;
    /* begin_ns: when the last load began. load_ns: how long it took. refresh_count: how many
     * refreshes had files to look at. */
    _Atomic uint64_t begin_ns, load_ns, refresh_count;
};

/* The function of collection.thread. Returns NULL when the collection is closed. */
void *tend_collection(void *collection);

/* Completes `state` with what the batch made, and makes `state` the newest state. The caller holds
 * collection->refresh. */
void collection_publish(struct collection *collection, struct state *state,
                        struct file_batch *batch);

/* Returns true if an errno means that a path does not exist. */
static inline bool is_gone(int os_code)
{
    return os_code == ENOENT || os_code == ENOTDIR;
}

/* Reads the kernel's notices, and notes which files must be checked and which directories must be
 * walked. The caller holds collection->refresh. */
void take_notices(struct collection *collection);
/* Removes collection->parts[at] from the parts of the tree that must be walked. */
void drop_part(struct collection *collection, size_t at);
/* Reads the status of a file below a directory. Does not follow a link at the path's end. The path
 * may be too long for a single system call. Returns false on failure; errno says why. */
bool status_below(int directory, const char *path, struct stat *status);
void drop_fresh(struct collection *collection);

/* Returns true if the bounds (--from, --until) include the file at this path below the base. */
bool is_within_bounds(const struct collection *collection, const char *path);

/* Returns true if the options let a walk skip files by rules like those of .gitignore. */
bool walks_by_rules(const struct file_settings *files);
/* Returns the part of an absolute path without links that lies below the base; NULL if the path is
 * not below the base. */
const char *path_below(const struct collection *collection, const char *path);

/* Writes the operand to `path` as an absolute path without "." and double slashes. Sets
 * *is_folder to true if the operand ends like a directory's name, and otherwise to false.
 * Returns false if the operand has a part "..". */
bool path_normalize(const char *directory, const char *operand, char *path, bool *is_folder);

#endif
