/* pool: several workers search the files of a walk and report in the walk's order.
 *
 * Each worker takes the next few files of the walk (a batch), searches them with a searcher that
 * starts no threads, and keeps the output. Batches are printed in order. The worker with the next
 * batch has the turn and prints immediately. Other workers leave a finished batch to it, to be
 * printed after all earlier ones.
 *
 * A worker waits for the turn if the kept output reaches its limit, or if the next file must not be
 * searched before its turn: a large file, or one that is not regular. Large files are searched with
 * a shared searcher, which has all threads. A compressed file is searched immediately, with the
 * threads that other files leave idle. A worker whose file is slow leaves the rest of its batch to
 * other workers (pool_leave_rest).
 */
#ifndef TRAWL_POOL_H
#define TRAWL_POOL_H

#include "trawl/job/walk.h"

struct pool_source;

/* Searches the files that the operands name or, without operands, those of `source` unless it is
 * NULL. If job->searcher is NULL, opens searchers; otherwise uses it for all files, in a single
 * thread. False: message[SETTINGS_ERROR_BYTES] says why nothing was searched. */
bool pool_walk(struct command_job *job, const struct value_item *operands, size_t operand_count,
               struct pool_source *source, char *message);

#endif
