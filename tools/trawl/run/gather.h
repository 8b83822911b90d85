/* gather: searches several small files with one call, while most of them have no match.
 *
 * Files are read into a buffer, with line ends between them. The first match shows that the files
 * before it have none. Its file is then searched alone, and those after it together again. A call
 * costs as much as searching a few KiB of text, so smaller files gain; larger ones gain because no
 * line ends are counted. If more than half of the gathered files had to be searched alone,
 * gathering stops for a while (gather.c).
 */
#ifndef TRAWL_GATHER_H
#define TRAWL_GATHER_H

#include "trawl/job/command_job.h"
#include "trawl/text/sizes.h"
#include "trawl/run/search_file.h"

/* how many files are gathered at first, and after how many files without a match gathering resumes
 */
#define GATHER_FIRST SIZE_OR_SMALL(4u, 1u)
/* maximum number of files that a single call searches */
#define GATHER_FILES_SIZES 32u, 3u
#define GATHER_FILES_MAX SIZE_OR_SMALL(GATHER_FILES_SIZES)

/* Files up to this size are read as a whole, so that their bytes are in the cache when searched. */
#define WHOLE_BYTES SIZE_OR_SMALL(UINT64_C(512) << 10, UINT64_C(2) << 10)
#define GATHER_BYTES \
    SIZE_OR_SMALL(UINT64_C(256) << 10, UINT64_C(2) << 10) /* bytes that may wait to be searched */

struct gathered_file {
    const char *name;
    uint64_t begin, bytes_count; /* the file's range in gather->bytes */
    int descriptor;              /* -1: the descriptor is not needed again */
    bool is_operand;
};

struct gather {
    uint8_t *bytes; /* the bytes of the waiting files, then room for another one (input.c) */
    uint64_t used;  /* bytes of all waiting files, and of the line ends after each file */
    struct gathered_file files[SIZE_ROOM(GATHER_FILES_SIZES)];
    size_t count;     /* number of waiting files */
    uint8_t line_end; /* between the files */
    bool to_null;     /* --json counts a text's bytes up to the first NUL */
    size_t files_max; /* limit for `count`; 1: no gathering for now; 0: never */
    size_t in_vain;   /* files searched alone since the last one in which a line was selected */
};

struct pool_worker;

/* Searches a file that was read as a whole, or lets it wait. The name must last until
 * gather_flush. */
void gather_search(struct pool_worker *worker, const struct open_file *file);
/* Searches the waiting files. Called before anything else is searched or reported. */
void gather_flush(struct pool_worker *worker);

#endif
