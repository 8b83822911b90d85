/* input: one item of the walk, from its name to its search. */
#ifndef TRAWL_INPUT_H
#define TRAWL_INPUT_H

#include "trawl/pool_turns.h"

/* Search one item. */
void pool_search(struct pool_worker *worker, const struct walk_item *item);
/* Let the display know what was searched. */
void pool_tell_progress(struct pool_worker *worker);

#endif
