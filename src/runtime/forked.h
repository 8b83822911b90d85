/* forked: the runtimes and searchers that exist, for a child process of fork(). */
#ifndef TRAWL_RUNTIME_FORKED_H
#define TRAWL_RUNTIME_FORKED_H

#include "runtime/search.h"

/* Notes a runtime from its opening to its closing, so that a child can use the runtime. */
void forked_note_runtime(struct trawl_runtime *runtime);
void forked_forget_runtime(struct trawl_runtime *runtime);
/* Notes a searcher, likewise. */
void forked_note_searcher(struct trawl_searcher *searcher);
void forked_forget_searcher(struct trawl_searcher *searcher);

#endif
