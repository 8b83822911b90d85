/* forked: the runtimes and searchers that exist, for a child process of fork(). */
#ifndef TRAWL_RUNTIME_FORKED_H
#define TRAWL_RUNTIME_FORKED_H

#include "runtime/search.h"

/* Notes a runtime or a searcher from its opening to its closing, so that a child can use it. */
void forked_note(struct forked *item, bool is_searcher);
void forked_forget(const struct forked *item);

#endif
