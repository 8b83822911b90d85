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
    uint64_t bytes_max;            /* of all blocks, about, */
    _Atomic uint64_t mapped_bytes; /* and how many they have */
    pthread_mutex_t states_lock;   /* of: */
    struct state *newest;          /* of the states, which are linked */
};

bool shelf_open(struct shelf *shelf, struct trawl_runtime *runtime, char *message);
void shelf_close(struct shelf *shelf);

/* How many more bytes may be held. */
uint64_t shelf_room(const struct shelf *shelf);

void served_file_free(struct served_file *file, struct shelf *shelf);

/* What is to be changed in a state: files that are to come into one new block, and others. */
struct batch_item {
    uint32_t index;                   /* in the state's files */
    struct served_file *made;         /* gets the bytes; its status says how many. NULL: there is
                                         no file any more */
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

/* Is the block shorter than that with one more file? */
bool batch_fits(const struct file_batch *batch, const struct stat *status, uint64_t bytes_max);
/* A file that no block holds yet. It is the batch's until it is published. NULL: out of memory. */
struct served_file *batch_make(struct file_batch *batch, uint32_t index, const char *path,
                               const struct stat *status, bool is_to_be_held);
/* The same of a file that a block holds. False: out of memory. */
bool batch_copy(struct file_batch *batch, uint32_t index, const struct served_file *source);
/* There is no such file any more. False: out of memory. */
bool batch_remove(struct file_batch *batch, uint32_t index);
/* Make the block. What cannot be read is not held afterwards, and refused. False: out of memory,
 * and nothing is held. */
bool batch_fill(struct file_batch *batch);
/* With the files that were not published. */
void batch_close(struct file_batch *batch);

/* Is it the same file, unchanged? */
bool same_status(const struct stat *one, const struct stat *other);

/* Open a path below a directory, and follow no link. -1: errno. */
int open_below(int directory, const char *path, int flags);

#endif
