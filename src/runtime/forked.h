/* forked: keeps a list of all open runtimes and searchers, to make them usable in a child of
 * fork(). */
#ifndef TRAWL_RUNTIME_FORKED_H
#define TRAWL_RUNTIME_FORKED_H

#include "runtime/search.h"

/* forked_note adds to the list a runtime or searcher that is being opened; forked_forget removes
 * one that is being closed. */
void forked_note(struct forked_object *item, bool is_searcher);
void forked_forget(const struct forked_object *item);

#endif
