/* tree: the tree of small files that `trawl-bench commands` searches, with ignore files in it. */
#ifndef BENCH_TREE_H
#define BENCH_TREE_H

#include <limits.h>
#include <stdint.h>

#include "bench/text.h"

#define TREE_FILE_BYTES_MEAN 21475u /* so 1 GiB are 50,000 files */

struct tree {
    char folder[PATH_MAX - 48];
    uint32_t files_count;
    uint64_t bytes; /* of all files together */
};

/* Write files of 1 to 41 KiB, whole lines of `source` from seeded places, until they are about
 * `bytes` together; about a quarter of them are named by the ignore files, which are written too.
 */
void tree_write(struct tree *tree, const char *folder, uint64_t bytes, const struct source *source);
/* Delete what tree_write() has written. */
void tree_delete(const struct tree *tree);

#endif
