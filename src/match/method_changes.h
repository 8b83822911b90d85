/* method_changes: the last changes of the way in which the threads of a call search, for
 * trawl_searcher_changes. */
#ifndef TRAWL_MATCH_METHOD_CHANGES_H
#define TRAWL_MATCH_METHOD_CHANGES_H

#include <stdatomic.h>

#include "trawl.h"

struct method_changes {
    _Atomic uint64_t count;                       /* of all changes */
    struct trawl_change kept[TRAWL_CHANGES_KEPT]; /* change i is in kept[i % TRAWL_CHANGES_KEPT] */
};

/* Adds a change. Any thread may call this. */
void method_changes_add(struct method_changes *changes, const struct trawl_change *change);
/* Moves the changes to *to, and leaves none. Any thread may call this. */
void method_changes_take(struct method_changes *changes, struct method_changes *to);

#endif
