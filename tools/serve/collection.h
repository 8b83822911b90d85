/* collection: a tree of files that the server holds in memory and on devices, and that follows the
 * changes of its files.
 *
 * Four kinds of objects:
 *   collection  a root directory (or file), with watches and the newest state
 *   state       which files there were at a time, with their bytes; immutable, reference-counted
 *   block       the bytes of many files, one after the other, searched as a single text
 *   view        the files that a command line names, in the order of --sort=path
 *
 * A search that holds a state sees all files as they were at one moment, also after the files have
 * changed. collection_now reads the kernel's notices before collection_now returns the newest
 * state, so that state is not older than the call.
 */
#ifndef SERVE_COLLECTION_H
#define SERVE_COLLECTION_H

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "serve/files.h"
#include "trawl/job/command_job.h"
#include "trawl/job/walk.h"

/* Returns whether an errno means a shortage of memory or descriptors, so that the same call may
 * succeed later. A walk that met a shortage has not found all files. */
static inline bool is_shortage(int os_code)
{
    return os_code == ENOMEM || os_code == EMFILE || os_code == ENFILE;
}

struct collection;

/* Something that a view reports although it is no file of the state. */
struct view_special {
    char *name; /* name in messages; owned */
    /* WALK_ERROR, or WALK_FILE: an operand that is a directory and is not walked, which the command
     * reports after opening it */
    enum walk_kind kind;
    int os_code;
};

/* The files that one operand names, from files[begin] on. */
struct view_part {
    uint64_t begin;
    const char *operand; /* how the names of the files begin; borrowed from the request */
    size_t operand_bytes;
    bool has_slash;    /* a slash follows the operand in the names */
    bool is_operand;   /* the operand is a file: its name is the operand */
    size_t path_bytes; /* length of the operand's path below the base, with the slash */
};

#define VIEW_SPECIAL (UINT32_C(1) << 31)

/* The files that a command line names, in the command's order for --sort=path. Immutable once
 * made. */
struct served_view {
    /* Indices in state.files, or VIEW_SPECIAL and an index in `specials`. Points into the state's
     * order, or to `own`. */
    const uint32_t *files;
    uint64_t file_count;
    uint32_t *own;
    struct view_part *parts;
    struct view_special *specials;
    size_t part_count, special_count, error_count; /* error_count: specials of kind WALK_ERROR */
    uint8_t *seen; /* bit i is set if the view names file i of the state */
    bool left_out; /* a rule for files of directories left out something */
};

/* Writes names of a view's files into a buffer of its own. All zero: ready; free `bytes`. */
struct view_names {
    char *bytes;
    size_t capacity, part; /* part: index in view.parts of the file named last */
};

struct collection_options {
    /* `root` is the path as the user typed it. `name` and `root` are borrowed until
     * collection_close. */
    const char *name, *root;
    /* The command's options that say which files are served; borrowed until collection_close. */
    struct settings *settings;
    /* Only files with from ≤ path < until are served, in the order of --sort=path. The bounds are
     * paths below the base; NULL: no bound. Borrowed until collection_close. */
    const char *from, *until;
    struct trawl_runtime *runtime; /* borrowed until collection_close */
    uint64_t host_bytes_max; /* limit for bytes of files in memory; 0: half of the free memory */
    bool watch;              /* false: each search looks at all files again */
};

struct collection_facts {
    const char *name, *root;
    uint64_t file_count, bytes_count;
    /* how many of the bytes are in memory; how many are also on devices */
    uint64_t held_bytes, device_bytes;
    uint64_t unheld_count; /* files that each search reads */
    /* load_ns: the time of the last load, or of the load that runs, so far. refresh_count: how many
     * refreshes changed the state. */
    uint64_t state_number, load_ns, refresh_count;
    bool loading;
    bool unpacks; /* compressed files are unpacked, as with --search-zip */
};

/* Opens a collection and starts a thread that loads its files. Searches may begin at once: they
 * read files that are not yet loaded. False: message[SETTINGS_ERROR_BYTES] says why. */
bool collection_open(struct collection **collection, const struct collection_options *options,
                     char *message);
void collection_close(struct collection *collection);

/* Returns a state that is not older than the call; the caller drops it. NULL: message says why:
 * memory or descriptors are short, or directories changed during each of several walks, for half a
 * second. */
struct state *collection_now(struct collection *collection, char *message);

/* Returns the view of the files of the state that a job with these operands searches; the caller
 * drops the view before the state. `directory` is the client's working directory, an absolute path
 * without links. NULL means the root, and restricts the view to files that the collection serves.
 * prefix: without operands, stands before the names, with a slash; NULL: nothing does; borrowed.
 * Operands are as typed, and borrowed until view_drop. The function reads the job's settings,
 * exclude, filter and show_names. Returns NULL if the collection lacks a file of the view, or if
 * the view cannot be made: message and *http_status say why. Opens only operands that the state
 * lacks. Options about files cost some hundred nanoseconds for each file. */
struct served_view *collection_view(struct collection *collection, const struct state *state,
                                    struct command_job *job, const char *directory,
                                    const char *prefix, const struct value_item *operands,
                                    size_t operand_count, int *http_status, char *message);
/* Leaves the files of the state whose bit is not set out of the view. False: memory is short. */
bool view_keep(struct served_view *view, const uint8_t *bits, struct guard *guard);
void view_drop(struct served_view *view);
/* Returns the name that the command shows for files[at]. Calls for the same `names` have ascending
 * `at`. The name lasts until the next call, that of an operand as long as the operand. NULL: out of
 * memory. */
const char *view_name(const struct served_view *view, const struct state *state, uint64_t at,
                      struct view_names *names);

/* Opens a file below the root without following links and returns the descriptor. file NULL: opens
 * the root's directory. -1: errno says why; ESTALE: the file is no longer a regular file. */
int collection_open_file(const struct collection *collection, const struct served_file *file);

/* Returns whether the operand, typed in the absolute path `directory`, is the collection's root or
 * lies below it; the file may be missing. Returns true for an operand with "..", since
 * collection_view refuses such an operand with a message. */
bool collection_has(const struct collection *collection, const char *directory,
                    const char *operand);

/* Loads all files again, for SIGHUP. Only so does the collection learn of changes without notices:
 * writes through shared mappings or through hard links from outside the root, and changes of ignore
 * files above the root. */
void collection_reload(struct collection *collection);

void collection_facts(struct collection *collection, struct collection_facts *facts);

#endif
