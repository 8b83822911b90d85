/* input: one item of the walk, from its name to its search. */
#ifndef TRAWL_INPUT_H
#define TRAWL_INPUT_H

#include "trawl/pool_turns.h"

/* Search one item. */
void pool_search(struct pool_worker *worker, const struct walk_item *item);
/* Is the text of a file that begins with these bytes another one than its bytes? */
bool input_is_converted(const struct settings *settings, const uint8_t *bytes,
                        uint64_t bytes_count);
/* Let the display know what was searched. */
void pool_tell_progress(struct pool_worker *worker);

#endif
