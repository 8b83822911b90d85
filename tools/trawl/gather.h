/* gather: small files searched by one call, while most of them hold nothing.
 *
 * Files are read one after the other into one buffer, with line ends between them. The first match
 * says which of them hold nothing. The file with the match is searched alone, and the files after
 * it together again. A search costs as much as some KiB of text, so this pays for files that are
 * smaller; of larger ones at least no line ends are counted. If many files hold something, fewer
 * are gathered, down to one.
 */
#ifndef TRAWL_GATHER_H
#define TRAWL_GATHER_H

#include "trawl/job.h"

#define GATHER_FILES_MAX 32u

/* Files up to this size are read whole, so that the searches find them in the cache. */
#define WHOLE_BYTES (UINT64_C(512) << 10)
#define GATHER_BYTES (UINT64_C(256) << 10) /* that wait at most before they are searched */

struct gathered {
    const char *name;
    uint64_t begin, bytes_count;
    int descriptor; /* -1: it need not be looked at again */
    bool is_operand;
};

struct gather {
    uint8_t *bytes; /* those of the files that wait, then room for one (input.c) */
    uint64_t used;
    struct gathered files[GATHER_FILES_MAX];
    size_t count;
    size_t files_max; /* 0: files are never gathered */
    size_t in_vain;   /* files that were searched alone since one was selected */
};

struct pool_worker;

/* Where several files may come; else none are gathered. */
void gather_begin(struct gather *gather, const struct command_job *job);

/* Search a file that was read whole, or let it wait. Its name must last until gather_flush. */
void gather_search(struct pool_worker *worker, const struct job_file *file);
/* Search those that wait: before anything else is searched or told. */
void gather_flush(struct pool_worker *worker);

#endif
