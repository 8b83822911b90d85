/* files: the parts of a collection's state: its entries (files and directories), and the blocks of
 * memory with the bytes of files. */
#ifndef SERVE_FILES_H
#define SERVE_FILES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/job/supply.h"
#include "trawl/files/tree.h"

/* Where the bytes of a file are in a block. A newer state may lack the file, or may have the file
 * in a newer block; state_file_at then returns NULL for that state. */
struct tape_range {
    uint64_t begin, end; /* offsets in the block; the file's line end is at `end` */
    uint32_t file;       /* index in state.files */
};

/* Concatenated bytes of many files; a line end follows each file. */
struct served_block {
    /* Number of files, over all states, that lie in the block; 1 more while a batch makes the
     * block. At 0 the block is freed. */
    atomic_uint file_count;
    uint8_t *bytes;
    /* bytes_count includes the line ends. mapped_bytes is bytes_count in whole pages. */
    uint64_t bytes_count, mapped_bytes;
    struct tape_range *ranges; /* the files of the block, sorted by offset */
    uint64_t range_count;
    /* The whole block as a text, which is loaded onto GPUs where there is room. */
    struct trawl_text *text;
    bool on_device;
    uint64_t filter_bytes; /* memory of the text's filter; 0: it has none */
};

/* The kinds of entries of a state. Only files are searched and lie in blocks. */
enum entry_kind {
    ENTRY_FILE,
    ENTRY_DIRECTORY, /* a directory that the collection's walk has entered, or could not read */
    ENTRY_LEFT       /* a file or directory that the server's options skip */
};

/* An entry of a state: a file or a directory. States share an unchanged entry, and the last state
 * that has it frees it. A file of 0 bytes is in a block, too. */
struct served_file {
    enum entry_kind kind;
    /* why a directory, or the status of a file of kind ENTRY_LEFT, cannot be read; 0: no error */
    int os_code;
    enum tree_left why; /* why an entry of kind ENTRY_LEFT is skipped */
    bool is_directory;  /* an entry of kind ENTRY_LEFT is a directory */
    /* supplied.bytes points into `block`. NULL: a search opens the file, because no block holds it
     * or because the file is not plain. */
    struct supplied_file supplied;
    struct served_block *block; /* NULL: no block holds the file */
    uint64_t block_begin;       /* offset of the file's bytes in the block */
    /* True: the block has the bytes of the file itself. False: it has the decompressed bytes of a
     * compressed file, or the file has holes. Then the block only tells a pass whether the file has
     * an occurrence, and the search itself opens the file. */
    bool is_plain;
    /* The file cannot be kept in memory: reading or decompressing failed, it changed meanwhile, or
     * its decompressed bytes are too many. */
    bool refused;
    /* The file had changed less than RECENT_NS before it was read, so another change may leave its
     * times unchanged. */
    bool recent;
    uint64_t born;                 /* number of the first state with this entry */
    struct served_file *next_gone; /* next file in the list state.gone */
    /* The path below the root, without a leading slash. If the root is a file: the file's name. */
    char path[];
};

/* A block of a state: how many of the block's files belong to the state, and their total size,
 * counting the one line end that is appended to each file. */
struct tape_block {
    struct served_block *block;
    uint64_t file_count, live_bytes;
};

struct served_names;
struct served_order;
struct shelf;

/* The entries of a collection at one time. A path keeps its index in `files` from state to state,
 * even if the contents change. */
struct state {
    atomic_uint holder_count;
    uint64_t number;            /* number of this state of the collection, from 1 */
    struct served_file **files; /* index_count entries; NULL: the index is free */
    uint32_t index_count, file_count;
    uint64_t bytes_count;      /* sum of the files' sizes */
    struct tape_block *blocks; /* sorted by live_bytes, the largest first */
    uint32_t block_count;
    uint32_t unheld_count;      /* files that no block holds */
    uint32_t unplain_count;     /* files that a block holds and that are not plain */
    struct served_names *table; /* hash table from paths to indices */
    struct served_order *order; /* indices in the order of --sort=path */
    struct shelf *shelf;
    size_t room;                 /* capacity of `files`, while the state is being made */
    uint32_t free_from;          /* while the state is being made: no index below is free */
    struct state *older, *newer; /* linked list of all states that are in use */
    /* Files that this state has and the next state lacks, linked by next_gone. */
    struct served_file *gone;
};

void state_drop(struct state *state);

/* A state's indices in the order of --sort=path. States with the same names share the order. */
struct served_order {
    atomic_uint holder_count;
    uint32_t counts[2];      /* counts[0] files, then counts[1] other entries */
    uint32_t reported_count; /* number of other entries that a view must look at (state_order) */
    uint32_t items[];
};

/* Returns the file of the state whose bytes are this range of the block. Returns NULL if the state
 * lacks the file, or has the file elsewhere. */
static inline const struct served_file *state_file_at(const struct state *state,
                                                      const struct served_block *block,
                                                      const struct tape_range *range)
{
    const struct served_file *file = state->files[range->file];

    return file != NULL && file->block == block && file->block_begin == range->begin ? file : NULL;
}

#endif
