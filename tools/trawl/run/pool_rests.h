/* pool_rests: files that a worker of a pool leaves to other workers.
 *
 * A worker takes several files at once. If a file takes long, the worker leaves its later files.
 */
#ifndef TRAWL_POOL_RESTS_H
#define TRAWL_POOL_RESTS_H

#include "trawl/run/pool_turns.h"

/* Leaves the batch's files after the current file to other workers. Wakes a worker that waits for
 * files, and starts another worker if the limit allows. */
void pool_leave_rest(struct pool_worker *worker);
/* Gives the worker a batch that another one left, the first in the walk's order, so that no turn
 * belongs to files without a worker. False: no files were left. Called with walk_lock. */
bool pool_take_rest(struct pool_worker *worker);

#endif
