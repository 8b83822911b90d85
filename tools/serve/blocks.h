/* blocks: the bytes of many files in one piece of memory, and how they come there.
 */
#ifndef SERVE_BLOCKS_H
#define SERVE_BLOCKS_H

#include "serve/collection.h"

/* Where blocks of a collection lie, and what loads them. */
struct shelf {
    int base;                        /* the directory that paths begin at */
    bool unpacks;                    /* --search-zip: compressed files are held unpacked */
    struct trawl_plan *plan;         /* finds nothing: for reading */
    struct trawl_searcher *searcher; /* that loads texts */
    pthread_mutex_t lock;            /* of the searcher */
    uint32_t loaded_count;
    bool no_devices;
    _Atomic uint64_t mapped_bytes; /* of all blocks */
    pthread_mutex_t states_lock;   /* of: */
    struct state *newest;          /* of the states, which are linked */
};

bool shelf_open(struct shelf *shelf, struct trawl_runtime *runtime, char *message);
void shelf_close(struct shelf *shelf);

/* A file that no block holds yet. NULL: out of memory. */
struct served_file *served_file_make(const char *path, const struct stat *status);
void served_file_free(struct served_file *file, struct shelf *shelf);

/* Files that are to come into one new block. */
struct batch_item {
    uint32_t index;                   /* in the state's files: for the caller */
    struct served_file *made;         /* gets the bytes; its status says how many */
    const struct served_file *source; /* whose block has them; NULL: the file is read */
    uint64_t begin, room;             /* 0: it is not to be held */
    uint8_t *unpacked;
};

struct file_batch {
    struct shelf *shelf;
    struct batch_item *items;
    size_t count, capacity;
    uint64_t bytes_count; /* about how long the block becomes */
    atomic_size_t next;
    struct served_block *block;
};

/* False: out of memory. Takes nothing over. */
bool batch_add(struct file_batch *batch, uint32_t index, struct served_file *made,
               const struct served_file *source, bool is_to_be_held);
/* Make the block. What cannot be read is not held afterwards, and refused. False: out of memory,
 * and nothing is held. */
bool batch_fill(struct file_batch *batch);
void batch_close(struct file_batch *batch);

/* Is it the same file, unchanged? */
bool same_status(const struct stat *one, const struct stat *other);

/* Open a path below a directory, and follow no link. -1: errno. */
int open_below(int directory, const char *path, int flags);

#endif
