/* files: what a state of a collection consists of: the entries, and the blocks with the bytes of
 * files. */
#ifndef SERVE_FILES_H
#define SERVE_FILES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/job/supply.h"
#include "trawl/files/tree.h"

/* The bytes of one file in a block. A newer state may lack the file, or may have the file in a
 * newer block: then state_file_at returns NULL for that state. */
struct tape_range {
    uint64_t begin, end; /* offsets in the block; `end` is that of the file's line end */
    uint32_t file;       /* index in state.files */
};

/* Bytes of many files, one after the other; a line end follows each file. */
struct served_block {
    /* How many files of states lie in the block, and 1 more while a batch makes the block. At 0 the
     * block is freed. */
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

/* The kinds of entries of a state. Only files are searched and lie in blocks. */
enum entry_kind {
    ENTRY_FILE,
    ENTRY_DIRECTORY, /* a directory that the collection's walk has entered, or could not read */
    ENTRY_LEFT       /* a file or directory that the server's options leave out */
};

/* An entry of a state. States share an entry that did not change; the last state that has the entry
 * frees the entry. A file of 0 bytes lies in a block, too. */
struct served_file {
    enum entry_kind kind;
    /* Why a directory, or the status of a file that is ENTRY_LEFT, cannot be read; 0: no error */
    int os_code;
    enum tree_left why; /* ENTRY_LEFT */
    bool is_directory;  /* ENTRY_LEFT */
    /* `bytes` points into `block`. NULL: a search opens the file, since no block holds it or the
     * file is not plain. */
    struct supplied_file supplied;
    struct served_block *block; /* NULL: no block holds the file */
    uint64_t block_begin;       /* offset of the file's bytes in the block */
    /* True: the block has the file's own bytes. False: the block has the unpacked bytes of a
     * compressed file (--search-zip), or the file has holes. Then the block only tells a pass
     * whether the file has an occurrence, and the search itself opens the file. */
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

struct served_names;
struct served_order;
struct shelf;

/* The entries of a collection at one time. A path has the same index in `files` in all states, also
 * after the contents change. */
struct state {
    atomic_uint holder_count;
    uint64_t number;            /* counts the states of a collection, from 1 */
    struct served_file **files; /* index_count entries; NULL: the index is free */
    uint32_t index_count, file_count;
    uint64_t bytes_count;      /* sum of the files' sizes */
    struct tape_block *blocks; /* sorted by live_bytes, the largest first */
    uint32_t block_count;
    uint32_t unheld_count;      /* files that no block holds */
    uint32_t unplain_count;     /* files that a block holds and that are not plain */
    struct served_names *table; /* hash table from paths to indices */
    struct served_order *order; /* the indices by path */
    struct shelf *shelf;
    size_t room;                 /* capacity of `files`, while the state is being made */
    uint32_t free_from;          /* while the state is being made: no index below is free */
    struct state *older, *newer; /* linked list of all states that somebody holds */
    /* Files that this state has and the next state has not, linked by next_gone. */
    struct served_file *gone;
};

void state_drop(struct state *state);

/* Indices of a state's entries in the order of --sort=path, shared by states with the same names.
 */
struct served_order {
    atomic_uint holder_count;
    uint32_t counts[2];      /* counts[0] files, then counts[1] other entries */
    uint32_t reported_count; /* other entries that a view has to look at (state_order) */
    uint32_t items[];
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

#endif
