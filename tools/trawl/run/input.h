/* input: opens and searches an item of the walk. */
#ifndef TRAWL_INPUT_H
#define TRAWL_INPUT_H

#include "trawl/run/pool_turns.h"

void pool_search(struct pool_worker *worker, const struct walk_item *item);
/* Returns true if a file that begins with these bytes is decompressed or converted before the
 * search. */
bool input_is_converted(const struct settings *settings, const uint8_t *bytes,
                        uint64_t bytes_count);

#endif
