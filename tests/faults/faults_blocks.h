/* faults_blocks: an allocator that counts the memory blocks that the library has not freed. */
#ifndef TRAWL_FAULTS_FAULTS_BLOCKS_H
#define TRAWL_FAULTS_FAULTS_BLOCKS_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "trawl.h"

static _Atomic int64_t live_blocks, live_bytes;

static inline void *blocks_take(void *context, uint64_t bytes, uint64_t alignment)
{
    void *pointer = NULL;

    (void)context;
    if (bytes == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        abort(); /* trawl.h promises that bytes > 0 and that the alignment is a power of two */
    if (posix_memalign(&pointer, alignment < 8 ? 8 : alignment, bytes) != 0)
        return NULL;
    atomic_fetch_add(&live_blocks, 1);
    atomic_fetch_add(&live_bytes, (int64_t)bytes);
    return pointer;
}

static inline void blocks_give_back(void *context, void *pointer, uint64_t bytes)
{
    (void)context;
    atomic_fetch_sub(&live_blocks, 1);
    atomic_fetch_sub(&live_bytes, (int64_t)bytes);
    free(pointer);
}

/* Makes the library allocate with the functions above, which count its blocks from now on. */
static inline void blocks_count(void)
{
    struct trawl_memory functions = {sizeof functions, NULL, blocks_take, blocks_give_back};

    if (trawl_set_memory(&functions, NULL) != TRAWL_OK)
        abort();
}

#endif
