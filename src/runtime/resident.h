/* resident: the chunks of a loaded text. */
#ifndef TRAWL_RUNTIME_RESIDENT_H
#define TRAWL_RUNTIME_RESIDENT_H

#include "runtime/search.h"

struct resident_chunk {
    uint64_t begin;
    uint64_t owned;
    uint32_t device; /* ENGINE_DEVICES_MAX: any */
    bool taken;
};

/* List them. Errors: MEMORY. */
enum trawl_status resident_open(struct search *search, struct trawl_error *error);
void resident_close(struct search *search);
/* Take the first chunk that the worker may search; NULL: none now. With the search's lock held. */
struct task *resident_take(struct search *search, const struct worker *worker);
/* Note which devices' chunks may be taken now; true: a device that had none has some, and its
 * workers are to be woken. Only a delivery lets chunks be taken. So it notes that under one lock
 * with what it changed: a worker that came in between would note it and wake nobody. With the
 * search's lock held, or before it is shared. */
bool resident_note(struct search *search);
/* A chunk's hits are known: those that nobody has taken are cut anew where they should be larger or
 * smaller. true: workers are to be woken. With the search's lock held. */
bool resident_learn(struct search *search, const struct task *task);

/* For counts that are begun at once. */

/* The end of the chunks that may be taken: as far ahead of the delivery as there are tasks, if
 * their results are few. With the search's lock held, or before it is shared. */
uint64_t resident_reach(const struct search *search);
void resident_make_chunk(const struct search *search, uint64_t index, struct text_chunk *chunk);
/* NULL: there is no task to be had. With the search's lock held. */
struct task *resident_take_at(struct search *search, uint64_t index);

#endif
