/* collection: a tree of files that the server keeps in memory and on GPUs, up to date with changes
 * on disk.
 *
 * There are four kinds of objects:
 *   collection  a root directory (or file), with watches and the newest state; paths are relative
 *               to its base: the root, or the directory of a root that is a file
 *   state       which files there were at a time, with their bytes; immutable, reference-counted
 *   block       the concatenated bytes of many files, searched as a single text
 *   view        the files that a command line names, in the order of --sort=path
 *
 * A search uses one state, so it sees all files as of a single moment, even if they change
 * meanwhile. collection_now first reads the kernel's change notices, and then returns the newest
 * state, so that the state is never older than the call.
 */
#ifndef SERVE_COLLECTION_H
#define SERVE_COLLECTION_H

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "serve/files.h"
#include "trawl/job/command_job.h"
#include "trawl/job/walk.h"

struct collection;

/* Something that a view must report, although it is not a file of the state. */
struct view_report {
    char *name; /* the name in messages; owned */
    /* WALK_ERROR: a path could not be read. WALK_FILE: the operand is a directory but is not
     * walked, so the command opens and reports it; or --files lists a file whose status could not
     * be read. */
    enum walk_kind kind;
    int os_code;
};

/* The files that one operand names. The first file is files[begin]. */
struct operand_files {
    uint64_t begin;
    const char *operand; /* how the names of the files begin; borrowed from the request */
    size_t operand_bytes;
    bool has_slash;    /* a slash follows the operand in the names */
    bool is_operand;   /* the operand is a file: its name is the operand */
    size_t path_bytes; /* length of the operand's path below the base, with the slash */
};

#define VIEW_SPECIAL (UINT32_C(1) << 31)

/* The files that a command line names, in the order in which the command lists them with
 * --sort=path, or with --sortr=path if the request has this option. Immutable. */
struct served_view {
    /* For each file: its index in state.files, or VIEW_SPECIAL plus an index in `specials`. Points
     * into the state's order, or to `own`, an array that the view frees. */
    const uint32_t *files;
    uint64_t file_count;
    uint32_t *own;
    struct operand_files *parts;
    struct view_report *specials;
    /* error_count: number of specials of kind WALK_ERROR */
    size_t part_count, special_count, error_count;
    uint8_t *seen; /* bit i is set if the view names file i of the state */
    bool left_out; /* some file was skipped by a rule about files in directories */
};

/* A buffer for the name of a view's file (view_name). The user clears the struct, and frees
 * `bytes`. */
struct view_names {
    char *bytes;
    size_t capacity, part; /* part: index in view.parts of the part with the last named file */
};

struct collection_options {
    /* `root` is the path as the user typed it. `name` and `root` are borrowed until
     * collection_close. */
    const char *name, *root;
    /* The options of the command trawl that say which files are served; borrowed until
     * collection_close. */
    struct settings *settings;
    /* Only files whose path below the base is at least `from` and less than `until` are served, in
     * the order of --sort=path. NULL: no bound. Borrowed until collection_close. */
    const char *from, *until;
    struct trawl_runtime *runtime; /* borrowed until collection_close */
    uint64_t host_bytes_max; /* limit for the files' bytes in memory; 0: half of the free memory */
    bool no_filter;          /* --no-filter */
    bool watch; /* use the kernel's notices; false: each search looks at all files again */
};

struct collection_facts {
    const char *name, *root;
    uint64_t file_count, bytes_count;
    /* how many of the files' bytes are in memory, and how many are on GPUs, too */
    uint64_t held_bytes, device_bytes;
    uint64_t unheld_count; /* files that no block holds, so that each search reads them */
    /* load_ns: how long the last load took, or how long the present load has taken. refresh_count:
     * how many refreshes had files to look at. */
    uint64_t state_number, load_ns, refresh_count;
    bool loading;
    bool unpacks; /* compressed files are decompressed, as with --search-zip */
};

/* Opens a collection, and starts a thread that loads its files. Searches may begin immediately;
 * they themselves read files that are not loaded yet. Returns false on failure;
 * message[SETTINGS_ERROR_BYTES] says why. */
bool collection_open(struct collection **collection, const struct collection_options *options,
                     char *message);
void collection_close(struct collection *collection);

/* Returns a state that is not older than the call. The caller releases the state with state_drop.
 * Returns NULL if out of memory or descriptors, if the root cannot be opened, or if files kept
 * being moved for half a second; message says why. */
struct state *collection_now(struct collection *collection, char *message);

/* Returns the view of the state's files that a job with these operands searches. The caller drops
 * the view before the state. `directory` is the client's working directory, an absolute path
 * without links. If it is NULL, operands are relative to the root, and files that the collection
 * does not serve are skipped. Without operands, each name begins with `prefix` and a slash, unless
 * `prefix` is NULL. Operands are as the user typed them; they and `prefix` are borrowed until
 * view_free. Reads the job's settings, exclude and filter, and sets show_names if a directory is
 * searched. Opens only operands that the state lacks. Options about files cost a few hundred
 * nanoseconds for each file. Returns NULL if an operand names a file that the collection does not
 * serve, or if the view cannot be made; message and *http_status say why. */
struct served_view *collection_view(struct collection *collection, const struct state *state,
                                    struct command_job *job, const char *directory,
                                    const char *prefix, const struct value_item *operands,
                                    size_t operand_count, int *http_status, char *message);
/* Drops from the view the files whose bit is not set in `bits`, which has a bit for each file of
 * the state. Returns false if out of memory. */
bool view_keep(struct served_view *view, const uint8_t *bits, struct guard *guard);
void view_free(struct served_view *view);
/* Returns the name that the command shows for files[at]. Calls with the same `names` must have
 * ascending `at`. A name lasts until the next call; the name of an operand lasts as long as the
 * operand. Returns NULL if out of memory. */
const char *view_name(const struct served_view *view, const struct state *state, uint64_t at,
                      struct view_names *names);

/* Opens a file below the root without following links, and returns the descriptor. If `file` is
 * NULL, opens the collection's base. Returns -1 on failure; errno then says why, ESTALE if the file
 * is no longer a regular file. */
int collection_open_file(const struct collection *collection, const struct served_file *file);

/* Returns true if the operand, typed in the absolute path `directory`, is the collection's root or
 * lies below it. The file need not exist. Also returns true for an operand with "..", because
 * collection_view rejects it with a message. */
bool collection_has(const struct collection *collection, const char *directory,
                    const char *operand);

/* Reloads all files, on SIGHUP: the only way to notice writes through shared mappings or through
 * hard links from outside the root, and changes of ignore files above the root. */
void collection_reload(struct collection *collection);

void collection_facts(struct collection *collection, struct collection_facts *facts);

#endif
