/* resident: the chunks of a loaded text. */
#ifndef TRAWL_RUNTIME_RESIDENT_H
#define TRAWL_RUNTIME_RESIDENT_H

#include "runtime/search.h"

/* Cut the next chunk and put it into a task: as far ahead of the delivery as there are tasks, if
 * their results are few; where their lengths are learned, as far as keeps the workers busy. NULL:
 * none now. With the search's lock held. */
struct task *resident_next(struct search *search);
/* Queue all of these for the devices. Without locks. */
void resident_queue(struct search *search);
/* A chunk was searched, and its hits are known: chunks that are cut later are to be larger or
 * smaller. With the search's lock held. */
void resident_learn(struct search *search, const struct task *task);

#endif
