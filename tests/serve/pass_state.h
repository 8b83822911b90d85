/* pass_state: makes states (lists of files, whose bytes are in blocks) for tests of passes, without
 * a collection. A range is the bytes of one file in a block. A file is plain if its range has the
 * file's own bytes (not decompressed bytes), and the file has no holes. */
#ifndef TESTS_SERVE_PASS_STATE_H
#define TESTS_SERVE_PASS_STATE_H

#include <errno.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "oracle/oracle_naive.h"
#include "serve/pass.h"
#include "trawl/text/guard.h"

#define FILES_MAX 64u
#define BLOCKS_MAX 4u

static struct test_random generator;

static inline uint64_t below(uint64_t bound)
{
    return test_random_below(&generator, bound);
}

struct made_state {
    struct state state;
    struct served_file *files[FILES_MAX];
    /* the file's own bytes, even if its block has different bytes */
    struct naive_bytes contents[FILES_MAX];
    struct served_block blocks[BLOCKS_MAX];
    struct tape_block tapes[BLOCKS_MAX];
    uint64_t bytes_count; /* length of all blocks */
    uint64_t capacity[BLOCKS_MAX];
    struct trawl_letters gated; /* for passes that stop (wait_at_gate in pass_test.c) */
    sem_t arrived, gate;
};

/* Replaces the server's collection, so that opening a file returns the contents in `made`. */
struct collection {
    const struct made_state *made;
};

int collection_open_file(const struct collection *collection, const struct served_file *file)
{
    const struct made_state *made = collection->made;

    for (uint32_t i = 0; i < made->state.index_count; i++)
        if (made->files[i] == file) {
            int descriptor = memfd_create("file", MFD_CLOEXEC);
            const struct naive_bytes *content = &made->contents[i];

            if (descriptor < 0 || write(descriptor, content->bytes, content->bytes_count) !=
                                      (ssize_t)content->bytes_count)
                abort();
            lseek(descriptor, 0, SEEK_SET);
            return descriptor;
        }
    errno = ENOENT;
    return -1;
}

/* Adds the bytes of a file to a block, as a new range. The file itself may no longer exist. Returns
 * the offset of the range in the block. */
static inline uint64_t append(struct made_state *made, uint32_t block, const uint8_t *bytes,
                              uint64_t bytes_count, uint32_t file)
{
    struct served_block *to = &made->blocks[block];
    uint64_t begin = to->bytes_count;

    if (made->capacity[block] < begin + bytes_count + 1) {
        made->capacity[block] = 2 * (begin + bytes_count + 1);
        to->bytes = realloc(to->bytes, made->capacity[block]);
    }
    memcpy(to->bytes + begin, bytes, bytes_count);
    to->bytes[begin + bytes_count] = '\n';
    to->ranges = realloc(to->ranges, (to->range_count + 1) * sizeof *to->ranges);
    to->ranges[to->range_count++] = (struct tape_range){begin, begin + bytes_count, file};
    to->bytes_count = begin + bytes_count + 1;
    made->bytes_count += bytes_count + 1;
    return begin;
}

static inline uint8_t *random_bytes(uint64_t bytes_count, const char *alphabet, uint64_t letters)
{
    uint8_t *bytes = malloc(bytes_count + 1);

    for (uint64_t i = 0; i < bytes_count; i++)
        bytes[i] = (uint8_t)alphabet[below(letters)];
    return bytes;
}

static inline void add_file(struct made_state *made, uint32_t index, const char *alphabet,
                            uint64_t letters, uint64_t bytes_max)
{
    struct served_file *file = calloc(1, sizeof *file + 1);
    uint64_t bytes_count = below(6) == 0 ? 0 : below(4) == 0 ? below(4) : below(bytes_max);
    uint8_t *bytes = random_bytes(bytes_count, alphabet, letters);
    uint32_t block = (uint32_t)below(made->state.block_count);

    made->files[index] = file;
    made->contents[index] = (struct naive_bytes){bytes, bytes_count};
    file->supplied.bytes_count = bytes_count;
    if (below(8) == 0) { /* the range of a file that is gone */
        uint64_t gone = below(bytes_max);
        uint8_t *dead = random_bytes(gone, alphabet, letters);

        (void)append(made, block, dead, gone, (uint32_t)below(made->state.index_count));
        free(dead);
    }
    if (below(16) == 0) {
        made->state.unheld_count++;
        return;
    }
    file->is_plain = below(16) != 0;
    made->state.unplain_count += !file->is_plain;
    file->block = &made->blocks[block];
    file->block_begin = append(made, block, bytes, bytes_count, index);
}

/* Adds files to blocks at random, so blocks have files in a different order than the state. */
static inline struct made_state *make_state(uint64_t bytes_max)
{
    static const char alphabets[][10] = {"ab\n", "aAbB \n_", "a\nb\0c", "abcdefghi"};
    static const uint64_t letters[] = {3, 7, 5, 9};
    struct made_state *made = calloc(1, sizeof *made);
    uint64_t kind = below(4);

    made->state.index_count = 1 + (uint32_t)below(below(4) == 0 ? 3 : FILES_MAX);
    made->state.block_count = 1 + (uint32_t)below(BLOCKS_MAX);
    made->state.files = made->files;
    made->state.blocks = made->tapes;
    for (uint32_t i = 0; i < made->state.block_count; i++) {
        made->tapes[i].block = &made->blocks[i];
        if (below(2) == 0) /* an empty file that is gone */
            (void)append(made, i, (const uint8_t *)"", 0, 0);
    }
    for (uint32_t i = 0; i < made->state.index_count; i++)
        if (below(10) > 0) /* one index in ten stays free */
            add_file(made, i, alphabets[kind], letters[kind], bytes_max);
    for (uint32_t i = 0; i < made->state.block_count; i++) {
        if (made->blocks[i].range_count == 0) /* each block has a range */
            (void)append(made, i, (const uint8_t *)"", 0, 0);
        MUST(call_memory(made->blocks[i].bytes, made->blocks[i].bytes_count, &made->blocks[i].text,
                         NULL));
    }
    for (uint32_t i = 0; i < made->state.index_count; i++)
        if (made->files[i] != NULL && made->files[i]->is_plain)
            made->files[i]->supplied.bytes =
                made->files[i]->block->bytes + made->files[i]->block_begin;
    return made;
}

static inline void free_state(struct made_state *made)
{
    for (uint32_t i = 0; i < made->state.block_count; i++) {
        trawl_text_close(made->blocks[i].text);
        free(made->blocks[i].bytes);
        free(made->blocks[i].ranges);
    }
    for (uint32_t i = 0; i < made->state.index_count; i++) {
        free((void *)made->contents[i].bytes);
        free(made->files[i]);
    }
    free(made);
}

/* Changes each byte in blocks of files that are not plain. Without --search-zip, passes must not
 * read these bytes. */
static inline void spoil_unplain(struct made_state *made)
{
    for (uint32_t i = 0; i < made->state.index_count; i++) {
        const struct served_file *file = made->files[i];

        if (file != NULL && file->block != NULL && !file->is_plain)
            for (uint64_t j = 0; j < file->supplied.bytes_count; j++)
                file->block->bytes[file->block_begin + j] ^= 1;
    }
}

#endif
