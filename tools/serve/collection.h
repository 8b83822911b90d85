/* collection: a tree of files, held in memory and on devices, that follows what happens to them.
 *
 * Four objects, each made once and then only read:
 *   collection  a root directory (or file), its watches, and its newest state
 *   state       which files there are, and their bytes, at one time; counted holders
 *   tape        the bytes of a state's files in few large blocks, for searches of all of them
 *   view        the files that one command line names, in the order in which the command finds them
 *
 * A state is complete: a search that holds one sees all files as they were, whatever happens to
 * them meanwhile. collection_now reads the kernel's notices first, so the state it returns is not
 * older than the call.
 */
#ifndef SERVE_COLLECTION_H
#define SERVE_COLLECTION_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "trawl/held.h"
#include "trawl/job.h"
#include "trawl/walk.h"

/* Does this fail only now? Of a walk: there is more than it found. */
static inline bool is_shortage(int os_code)
{
    return os_code == ENOMEM || os_code == EMFILE || os_code == ENFILE;
}

/* A part of a block that was made of one file. It is a file of a state if state_file_at says so. */
struct tape_range {
    uint64_t begin, end; /* in the block, without the line end */
    uint32_t file;       /* index in state.files */
};

/* Bytes of files that lie one after the other, each followed by a line end. */
struct served_block {
    atomic_uint file_count; /* of all states: those that hold it */
    uint8_t *bytes;
    uint64_t bytes_count, mapped_bytes;
    struct tape_range *ranges; /* of all of them, in order */
    uint64_t range_count;
    struct trawl_text *text; /* of all of them; loaded onto devices where there is room */
    bool on_device;
};

/* A file in a state. The same file, unchanged, is shared by many states; it lasts as long as the
 * oldest of them. A file without bytes is held like others. */
struct served_file {
    struct held_file held; /* bytes in `block`; NULL: it is opened when it is searched, since no
                              block holds it, or since it is not plain */
    struct served_block *block; /* NULL: not held */
    uint64_t block_begin;       /* of its bytes in the block */
    bool is_plain; /* the block has the file's own bytes: neither unpacked nor with holes.
                      Otherwise the block tells only whether there is an occurrence (of
                      compressed files: under --search-zip), and the file is opened */
    bool refused;  /* it cannot be held: its bytes are not what its size says, or reading
                      failed */
    bool recent;   /* it had just changed when it was read: its times may not tell whether
                      it changed again */
    uint64_t born; /* the number of the first state that has it */
    struct served_file *next_gone; /* in state.gone */
    char path[]; /* below the root, without a slash at the beginning; of a collection
                    that is one file, its name */
};

/* A block of a state: files of it, and how many bytes they have, with line ends. */
struct tape_block {
    struct served_block *block;
    uint64_t file_count, live_bytes;
};

struct collection;
struct served_names;
struct shelf;

/* A file keeps its index as long as it is there, whatever becomes of its contents. */
struct state {
    atomic_uint holder_count;
    uint64_t number; /* grows with each state of the collection */
    uint64_t names;  /* which set of names: views of the same `names` hold the same file indices */
    struct served_file **files; /* NULL: the index is free */
    uint32_t index_count, file_count;
    uint64_t bytes_count;      /* of all files */
    struct tape_block *blocks; /* the largest first */
    uint32_t block_count;
    uint32_t unheld_count;      /* files that no block holds */
    uint32_t unplain_count;     /* files that a block holds, and that are not plain */
    bool unreadable;            /* there are directories that cannot be read */
    struct served_names *table; /* finds files by their paths */
    struct shelf *shelf;
    size_t room;                 /* of files, while it is made, */
    uint32_t free_from;          /* and that those before this index are taken */
    struct state *older, *newer; /* of those that somebody holds */
    struct served_file *gone;    /* files that it has and its successor had not */
};

/* The file of a state that a range of its block is; NULL: it is gone, or was read anew since. */
static inline const struct served_file *state_file_at(const struct state *state,
                                                      const struct served_block *block,
                                                      const struct tape_range *range)
{
    const struct served_file *file = state->files[range->file];

    return file != NULL && file->block == block && file->block_begin == range->begin ? file : NULL;
}

/* What a walk of one command line found: files by their index in state.files, and what was to be
 * said between them. */
struct view_item {
    const char *name; /* as the command shows it */
    uint32_t file;    /* UINT32_MAX: none; of WALK_FILE: an operand that is a directory and is not
                         walked, of which the command says so when it has opened it */
    enum walk_kind kind;
    int os_code;
    unsigned char type;
    bool is_operand;
};

struct served_view {
    atomic_uint holder_count;
    uint64_t names;
    struct view_item *items;
    uint32_t *files; /* of items that are files and no operands; UINT32_MAX: another one */
    uint64_t item_count;
    uint8_t *seen;  /* a bit for each file of the state: it names this one */
    bool left_out;  /* as job->left_out */
    int show_names; /* as job->show_names afterwards */
    char *storage;  /* of names */
    char *key;      /* all that it was made by, as bytes */
    size_t key_bytes;
    uint64_t bytes; /* of memory, about */
};

struct collection_options {
    const char *name, *root;       /* root: as given; borrowed until collection_close */
    struct settings *settings;     /* which files: the command's options; borrowed likewise */
    struct trawl_runtime *runtime; /* borrowed likewise */
    uint64_t host_bytes_max;       /* of files held in memory; 0: half of what is free */
    bool watch;                    /* false: files are looked at again for each search */
};

struct collection_facts {
    const char *name, *root;
    uint64_t file_count, bytes_count;
    uint64_t held_bytes, device_bytes; /* of these in memory, and on devices too */
    uint64_t unheld_count;             /* files that are read at each search */
    uint64_t state_number, load_ns, refresh_count;
    bool loading;
    bool unpacks; /* what is compressed, as --search-zip does */
};

/* Open a collection and begin to load it in a thread; at once searchable for what is loaded: the
 * rest is read from its files. False: message[SETTINGS_ERROR_BYTES] says why. */
bool collection_open(struct collection **collection, const struct collection_options *options,
                     char *message);
void collection_close(struct collection *collection);

/* The state of now. To be dropped. NULL: message says why: a shortage, or names changed during each
 * of several walks, for half a second. */
struct state *collection_now(struct collection *collection, char *message);
void state_drop(struct state *state);

/* The files that a job with these operands searches: of *state, or of a newer one, which then takes
 * its place. `directory` is the client's working directory, as an absolute path without links
 * (NULL: the root, and of its files those that are served); operands are as typed. The job has
 * settings, exclude and show_names; its filter is made anew. NULL: message says why; that is so,
 * too, if a file is among them that the collection has not. *is_unable: the reason is a shortage,
 * or that names changed in each of several walks, for seconds. To be dropped. Cost: a walk, or
 * nothing if the same was asked since names changed last. */
struct served_view *collection_view(struct collection *collection, struct state **state,
                                    struct command_job *job, const char *directory,
                                    const struct value_item *operands, size_t operand_count,
                                    bool *is_unable, char *message);
void view_drop(struct served_view *view);

/* A descriptor of a file, opened below the root without following links; NULL: of the root's
 * directory. -1: errno, ESTALE if it is no regular file any more. */
int collection_open_file(const struct collection *collection, const struct served_file *file);

/* Does the collection hold the operand as typed in the directory, an absolute path, or what lies
 * below? Of one with ".." collection_view says that it is refused. */
bool collection_has(const struct collection *collection, const char *directory,
                    const char *operand);

/* Load everything anew: SIGHUP. What notices do not tell of: writes through shared mappings and
 * through hard links from elsewhere, ignore files above the root. */
void collection_reload(struct collection *collection);

void collection_facts(struct collection *collection, struct collection_facts *facts);

#endif
