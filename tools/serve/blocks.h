/* blocks: reads many files into one block of memory, which is searched as a single text. A batch is
 * the set of changes that leads from one state of a collection to the next. */
#ifndef SERVE_BLOCKS_H
#define SERVE_BLOCKS_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "serve/files.h"
#include "trawl.h"

/* What all blocks and states of a collection share, and what is needed to load blocks onto GPUs. */
struct shelf {
    int base;     /* descriptor of the directory that paths are relative to */
    bool unpacks; /* --search-zip: blocks hold the decompressed bytes of compressed files */
    /* a plan of one string that is not UTF-8, for calls that need a plan but only read or load a
     * text */
    struct trawl_plan *plan;
    struct trawl_searcher *searcher; /* loads texts onto devices */
    pthread_mutex_t lock;            /* guards searcher, loaded_count and no_devices */
    /* Number of blocks on GPUs, ≤ LOADED_MAX. */
    uint32_t loaded_count;
    bool no_devices;
    bool filters;       /* blocks get filters, where there is memory for them */
    uint64_t bytes_max; /* approximate limit for mapped_bytes */
    /* Sum of all blocks' memory in bytes, each rounded up to pages. */
    _Atomic uint64_t mapped_bytes;
    /* Guards newest and the lists `older`, `newer` and `gone` of states. */
    pthread_mutex_t states_lock;
    struct state *newest; /* the newest state, at the end of a linked list of states */
};

bool shelf_open(struct shelf *shelf, struct trawl_runtime *runtime, char *message);
void shelf_close(struct shelf *shelf);

/* Returns how many more bytes blocks may hold. */
uint64_t shelf_room(const struct shelf *shelf);

/* Frees a file, and drops its reference to a block. */
void served_file_free(struct served_file *file, struct shelf *shelf);

/* A change between two states: an entry (a file or directory) that is new, changed, moved to a new
 * block, or removed. */
struct batch_item {
    uint32_t index; /* index in state.files */
    /* The entry after the change. made->supplied.status has the size. NULL: the entry is gone. */
    struct served_file *made;
    /* The file from whose block the bytes are copied; NULL: the bytes are read from disk. */
    const struct served_file *source;
    /* The place in the batch's block, with a line end. room 0: the block does not hold the file. */
    uint64_t begin, room;
    /* The decompressed bytes of a compressed file, until fill_item copies them into the block.
     * NULL: there are none. */
    uint8_t *unpacked;
};

/* The changes that lead from a state of a collection, its files at one time, to the next state. The
 * bytes of changed files go into a new block, unless a file is not to be kept in memory. */
struct file_batch {
    struct shelf *shelf;
    struct batch_item *items;
    size_t count, capacity;
    uint64_t bytes_count; /* length of the block; exact only after batch_fill */
    /* Index of the next item that a thread of batch_fill takes. */
    atomic_size_t next;
    struct served_block *block; /* the block that the batch fills */
};

/* Returns true if the batch's block would have at most bytes_max bytes with this file added. */
bool batch_fits(const struct file_batch *batch, const struct stat *status, uint64_t bytes_max);
/* Adds a file that is in no block yet, and returns it. The batch owns the file until state_publish.
 * is_to_be_held: batch_fill reads the file into the block. Returns NULL if out of memory. */
struct served_file *batch_make(struct file_batch *batch, uint32_t index, const char *path,
                               const struct stat *status, bool is_to_be_held);
/* Adds a copy of `source`, a file that is in a block; batch_fill will copy the bytes. Returns false
 * if out of memory. */
bool batch_copy(struct file_batch *batch, uint32_t index, const struct served_file *source);
/* Adds the removal of a file. Returns false if out of memory. */
bool batch_remove(struct file_batch *batch, uint32_t index);
/* Makes and fills the block. A file that cannot be read is marked as refused, and is not held.
 * Returns false if out of memory; then no file of the batch is held. */
bool batch_fill(struct file_batch *batch);
/* Frees the batch and its unpublished files. */
void batch_close(struct file_batch *batch);

/* Returns true if both statuses show the same file, with equal size, mode and times. */
bool same_status(const struct stat *one, const struct stat *other);

/* Opens a path below a directory, following no link. Returns the descriptor; -1: see errno. */
int open_below(int directory, const char *path, int flags);

#endif
