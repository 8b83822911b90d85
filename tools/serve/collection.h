/* collection: a tree of files that the server holds in memory and on devices, and that follows the
 * changes of its files.
 *
 * Four kinds of objects:
 *   collection  a root directory (or file), with watches and the newest state
 *   state       which files there were at a time, with their bytes; immutable, reference-counted
 *   block       the bytes of many files, one after the other, searched as a single text
 *   view        the files that a command line names, in the order in which the command finds them
 *
 * A search that holds a state sees all files as they were at one time, whatever happens to the
 * files meanwhile. collection_now reads the kernel's notices first, so the state that it returns is
 * not older than the call.
 */
#ifndef SERVE_COLLECTION_H
#define SERVE_COLLECTION_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "trawl/supply.h"
#include "trawl/command_job.h"
#include "trawl/walk.h"

/* Returns whether an errno means a shortage of memory or descriptors, so that the same call may
 * succeed later. A walk that met a shortage has not found all files. */
static inline bool is_shortage(int os_code)
{
    return os_code == ENOMEM || os_code == EMFILE || os_code == ENFILE;
}

/* The bytes of one file in a block. In a newer state the file may be gone, or may lie in a newer
 * block: then state_file_at returns NULL. */
struct tape_range {
    uint64_t begin, end; /* offsets in the block; `end` is that of the file's line end */
    uint32_t file;       /* index in state.files */
};

/* Bytes of many files, one after the other; a line end follows each file. */
struct served_block {
    /* Number of holds on the block: one for each file that lies in the block, and one for the batch
     * that makes the block. The last hold's end frees the block. */
    atomic_uint file_count;
    uint8_t *bytes;
    /* bytes_count: with line ends. mapped_bytes: bytes_count in whole pages. */
    uint64_t bytes_count, mapped_bytes;
    struct tape_range *ranges; /* the files of the block, sorted by offset */
    uint64_t range_count;
    /* The whole block as a text; loaded onto devices where there is room. */
    struct trawl_text *text;
    bool on_device;
};

/* A file in a state. States share a file that did not change; the file is freed with the last state
 * that has it. A file of 0 bytes is held like any other. */
struct served_file {
    /* `bytes` points into `block`. NULL: a search opens the file, since no block holds it or the
     * file is not plain. */
    struct supplied_file supplied;
    struct served_block *block; /* NULL: no block holds the file */
    uint64_t block_begin;       /* offset of the file's bytes in the block */
    /* The block has the file's own bytes. Otherwise the block has unpacked bytes of a compressed
     * file (--search-zip), or the file has holes: then a pass learns from the block whether the
     * file has an occurrence, and searches open the file. */
    bool is_plain;
    /* The file cannot be held: reading failed, or the file changed while it was read. */
    bool refused;
    /* The file had changed less than RECENT_NS before the server read the file. A further change
     * may then leave the file's times as they were. */
    bool recent;
    uint64_t born;                 /* number of the first state that has the file */
    struct served_file *next_gone; /* next file of the list state.gone */
    /* Path below the root, without a leading slash; the name of the file if the root is a file. */
    char path[];
};

/* A block of a state: how many of the block's files the state has, and their bytes with line
 * ends. */
struct tape_block {
    struct served_block *block;
    uint64_t file_count, live_bytes;
};

struct collection;
struct served_names;
struct shelf;

/* The files of a collection at one time. A file has the same index in `files` in all states, also
 * after the contents change. */
struct state {
    atomic_uint holder_count;
    uint64_t number; /* 1 for a collection's first state, then 1 more for each state */
    /* Number of the set of names: states with equal `names` have the same files at the same
     * indices. */
    uint64_t names;
    struct served_file **files; /* index_count entries; NULL: the index is free */
    uint32_t index_count, file_count;
    uint64_t bytes_count;      /* sum of the files' sizes */
    struct tape_block *blocks; /* sorted by live_bytes, the largest first */
    uint32_t block_count;
    uint32_t unheld_count;      /* files that no block holds */
    uint32_t unplain_count;     /* files that a block holds and that are not plain */
    bool unreadable;            /* the walk met directories that it could not read */
    struct served_names *table; /* hash table from paths to indices */
    struct shelf *shelf;
    size_t room;                 /* capacity of `files`, while the state is being made */
    uint32_t free_from;          /* while the state is being made: no index below is free */
    struct state *older, *newer; /* linked list of all states that somebody holds */
    /* Files that this state has and the next state has not, linked by next_gone. */
    struct served_file *gone;
};

/* Returns the file of the state whose bytes are this range of the block. NULL: in the state that
 * file is gone, or lies elsewhere. */
static inline const struct served_file *state_file_at(const struct state *state,
                                                      const struct served_block *block,
                                                      const struct tape_range *range)
{
    const struct served_file *file = state->files[range->file];

    return file != NULL && file->block == block && file->block_begin == range->begin ? file : NULL;
}

/* One item that the walk of a command line found: a file of the state, or something to report
 * between files. */
struct view_item {
    const char *name; /* name in the command's output */
    /* Index in state.files. UINT32_MAX: no file; with WALK_FILE an operand that is a directory and
     * is not walked, which the command reports after opening it. */
    uint32_t file;
    enum walk_kind kind;
    int os_code;
    unsigned char type;
    bool is_operand;
};

/* The files that one command line names, reference-counted and immutable once made. */
struct served_view {
    atomic_uint holder_count;
    uint64_t names;
    struct view_item *items;
    uint32_t *files; /* item i's file; UINT32_MAX: item i is an operand or no file */
    uint64_t item_count;
    uint8_t *seen;  /* one bit for each file of the state: the view names the file */
    bool left_out;  /* value of job->left_out after the walk */
    int show_names; /* value of job->show_names after the walk */
    char *storage;  /* the bytes of all items' names */
    char *key;      /* everything that determines the walk, as bytes (view_key) */
    size_t key_bytes;
    uint64_t bytes; /* approximate memory of the view */
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
    /* load_ns: how long the last load took, or has taken so far. refresh_count: refreshes that
     * changed the state. */
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
 * memory or descriptors are short, or names changed during each of several walks, for half a
 * second. */
struct state *collection_now(struct collection *collection, char *message);
void state_drop(struct state *state);

/* Returns the view of the files that a job with these operands searches; the caller drops it. The
 * view belongs to *state or to a newer state, which then replaces *state. `directory` is the
 * client's working directory, an absolute path without links. NULL means the root, and restricts
 * the view to files that the collection serves. Operands are as typed. Of the job the function uses
 * settings, exclude and show_names. NULL: message says why, for example that the collection lacks a
 * file of the view. *is_unable: the reason is a shortage, or that names changed in each of several
 * walks, for seconds. Cost: one walk; nothing if an equal view was made since the last change of
 * names. */
struct served_view *collection_view(struct collection *collection, struct state **state,
                                    struct command_job *job, const char *directory,
                                    const struct value_item *operands, size_t operand_count,
                                    bool *is_unable, char *message);
void view_drop(struct served_view *view);

/* Opens a file below the root without following links and returns the descriptor. file NULL: opens
 * the root's directory. -1: errno says why; ESTALE: the file is no longer a regular file. */
int collection_open_file(const struct collection *collection, const struct served_file *file);

/* Returns whether the operand, typed in the absolute path `directory`, is the collection's root or
 * lies below it; the file may be missing. Returns true for an operand with "..", since
 * collection_view refuses such an operand with a message. */
bool collection_has(const struct collection *collection, const char *directory,
                    const char *operand);

/* Loads all files again, for SIGHUP. Changes that bring no notices are seen only so: writes through
 * shared mappings and through hard links from outside the root, and ignore files above the root. */
void collection_reload(struct collection *collection);

void collection_facts(struct collection *collection, struct collection_facts *facts);

#endif
