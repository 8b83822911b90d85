/* block: memory that results lie in, counted. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "binding.h"

#define SMALL_BYTES (1u << 20) /* results up to this many move out of a mapping */

struct counted_block {
    struct block block;
    _Atomic uint64_t shares;
};

static struct counted_block *counted(struct block *block)
{
    return (struct counted_block *)block; /* its first member */
}

static struct block *block_of(void *bytes, uint64_t mapped_bytes)
{
    struct counted_block *made = (struct counted_block *)malloc(sizeof *made);

    if (made == NULL || bytes == NULL) {
        free(made);
        return NULL;
    }
    made->block.bytes = bytes;
    made->block.mapped_bytes = mapped_bytes;
    atomic_init(&made->shares, 1);
    return &made->block;
}

struct block *block_new(uint64_t bytes)
{
    void *memory = bytes <= PTRDIFF_MAX ? malloc(bytes > 0 ? (size_t)bytes : 1) : NULL;
    struct block *block = block_of(memory, 0);

    if (block == NULL)
        free(memory);
    return block;
}

struct block *block_reserve(uint64_t bytes)
{
    struct block *block;
    void *memory;

    if (bytes <= SMALL_BYTES)
        return block_new(bytes);
    if (bytes > PTRDIFF_MAX)
        return NULL;
    memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    block = block_of(memory, bytes);
    if (block == NULL)
        (void)munmap(memory, (size_t)bytes);
    return block;
}

void block_trim(struct block *block, uint64_t bytes)
{
    void *memory;

    if (block->mapped_bytes == 0) {
        memory = realloc(block->bytes, bytes > 0 ? (size_t)bytes : 1);
        if (memory != NULL)
            block->bytes = memory;
    } else if (bytes > SMALL_BYTES) {
        uint64_t kept = (bytes + 4095) / 4096 * 4096;

        if (kept < block->mapped_bytes &&
            munmap((char *)block->bytes + kept, (size_t)(block->mapped_bytes - kept)) == 0)
            block->mapped_bytes = kept;
    } else if ((memory = malloc(bytes > 0 ? (size_t)bytes : 1)) != NULL) {
        memcpy(memory, block->bytes, (size_t)bytes);
        (void)munmap(block->bytes, (size_t)block->mapped_bytes);
        block->bytes = memory;
        block->mapped_bytes = 0;
    }
}

bool block_grow(struct block *block, uint64_t bytes)
{
    void *memory = bytes <= PTRDIFF_MAX ? realloc(block->bytes, (size_t)bytes) : NULL;

    if (memory == NULL)
        return false;
    block->bytes = memory;
    return true;
}

struct block *block_share(struct block *block)
{
    atomic_fetch_add_explicit(&counted(block)->shares, 1, memory_order_relaxed);
    return block;
}

void block_release(struct block *block)
{
    if (block == NULL ||
        atomic_fetch_sub_explicit(&counted(block)->shares, 1, memory_order_acq_rel) > 1)
        return;
    if (block->mapped_bytes > 0)
        (void)munmap(block->bytes, (size_t)block->mapped_bytes);
    else
        free(block->bytes);
    free(counted(block));
}
