/* method_changes: the ways in which the threads of a call search, for trawl_searcher_ways, and
 * their last changes, for trawl_searcher_changes. */
#ifndef TRAWL_MATCH_METHOD_CHANGES_H
#define TRAWL_MATCH_METHOD_CHANGES_H

#include <stdatomic.h>

#include "trawl.h"

struct method_changes {
    _Atomic uint64_t count;                       /* of all changes */
    struct trawl_change kept[TRAWL_CHANGES_KEPT]; /* change i is in kept[i % TRAWL_CHANGES_KEPT] */
    _Atomic uint32_t way_count;
    struct trawl_way ways[TRAWL_WAYS_KEPT];
};

/* Adds a change. Any thread may call this. */
void method_changes_add(struct method_changes *changes, const struct trawl_change *change);
/* Adds what a thread has searched in a way. Any thread may call this. */
void method_changes_add_way(struct method_changes *changes, const struct trawl_way *way);
/* Moves the changes and ways to *to, and leaves none. Any thread may call this. */
void method_changes_take(struct method_changes *changes, struct method_changes *to);

#endif
