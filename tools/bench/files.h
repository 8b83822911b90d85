/* files: the files that `trawl-bench commands` searches. */
#ifndef BENCH_FILES_H
#define BENCH_FILES_H

#include <limits.h>
#include <stdint.h>

#include "bench/options.h"
#include "bench/text.h"
#include "bench/tree.h"

enum file_kind {
    FILE_ENGLISH, /* English, repeated */
    FILE_DNA70,   /* DNA in lines of 70 */
    FILE_DNA,     /* DNA, one line */
    FILE_LETTERS, /* random letters in lines of 79 */
    FILE_SMALL,   /* the first KiB of English */
    FILE_MEDIUM,  /* 10 MB of English; less where --bytes is less */
    FILE_TREE,    /* a folder: 50,000 small files for each GiB of --bytes */
    FILE_KINDS
};

#define FILE_PATTERN_BYTES_MAX 64
#define FILES_OTHER_MAX 16

struct files {
    char folder[PATH_MAX - 64]; /* made for this run */
    char path[FILE_KINDS][PATH_MAX];
    char text[FILE_KINDS][SOURCE_NAME_BYTES + 48]; /* what it is */
    uint64_t bytes[FILE_KINDS];
    struct tree tree;
    char other[FILES_OTHER_MAX][PATH_MAX]; /* beside those, of any name */
    uint32_t other_count;
};

/* Write file `kind`, or the tree, where it is not there yet. Its pages stay in the system's cache.
 */
void files_make(struct files *files, const struct options *options, enum file_kind kind);
/* pattern_bytes of the file's text at a seeded place, without a line end, as a string. */
void files_pattern(const struct files *files, enum file_kind kind, uint64_t pattern_bytes,
                   char pattern[FILE_PATTERN_BYTES_MAX + 1]);

/* A file of these bytes, written whole; an older one of that name is replaced. Returns its path. */
const char *files_write(struct files *files, const char *name, const uint8_t *bytes,
                        uint64_t bytes_count);

/* Open a folder of this run's own in `directory`; delete it and the files. */
void files_open(struct files *files, const char *directory);
void files_close(struct files *files);

#endif
