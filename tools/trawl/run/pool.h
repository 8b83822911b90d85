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
 *
 * A batch has about 1 MiB of text and at most 32 files; small files are joined in a buffer of 256
 * KiB. Up to 64 MiB of output may wait. A file of 32 MiB or more is searched by all threads
 * together; the next to be printed from 8 MiB, or from 512 KiB if no other worker is active.
 *
 * Of the time of a tree of small files, 85 % is spent in Linux: copying, opening and closing
 * files, and reading directories. One worker at a time lists directories. Others poll the walk's
 * lock for up to 0.2 ms before they sleep, because a woken worker would have to share its waker's
 * core.
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
