/* pool: several workers search the files of a walk and report in the walk's order.
 *
 * Each worker takes the next few files of the walk (a batch), searches the files with its own
 * searcher, which starts no threads, and keeps the output. Batches are printed in order. The worker
 * whose batch is next prints at once. Other workers leave their finished batches to that worker,
 * which prints these batches when their turn comes. A worker waits for its turn only if its output
 * exceeds the limit, or if its next file may not be searched ahead. Files that are not regular, and
 * large files, are searched when their turn comes, the large files by a shared searcher with all
 * threads.
 */
#ifndef TRAWL_POOL_H
#define TRAWL_POOL_H

#include "trawl/walk.h"

/* Searches the files that the operands name. If job->searcher is NULL, opens searchers; otherwise
 * uses that searcher for all files, in a single thread. False: message[SETTINGS_ERROR_BYTES] says
 * why nothing was searched. */
bool job_walk(struct command_job *job, const struct value_item *operands, size_t operand_count,
              char *message);

#endif
