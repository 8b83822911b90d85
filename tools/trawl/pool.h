/* pool: the files of a walk, searched by several workers, reported in the walk's order.
 *
 * Each worker takes the next few files of the walk (a batch), searches them one after the other
 * with its own searcher, which starts no threads, and keeps what is to be printed. Batches are
 * printed in order: the worker whose turn it is prints at once; the others leave their batches to
 * the worker that has the turn when these are next. A worker waits for its turn only if it has more
 * to keep than it may, or comes to a file that is not searched ahead: anything but a regular file,
 * and large files, which a shared searcher with all threads searches.
 */
#ifndef TRAWL_POOL_H
#define TRAWL_POOL_H

#include "trawl/walk.h"

/* Search what the operands name. Opens searchers if job->searcher is NULL, else takes that one for
 * everything, in one thread. False: message[SETTINGS_ERROR_BYTES] says why nothing was searched. */
bool job_walk(struct command_job *job, const struct value_item *operands, size_t operand_count,
              char *message);

#endif
