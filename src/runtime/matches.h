/* matches: hits become matches. */
#ifndef TRAWL_RUNTIME_MATCHES_H
#define TRAWL_RUNTIME_MATCHES_H

#include "runtime/search.h"

/* Of a plan whose literals are its patterns as they were given, as structs. Offsets count from the
 * text's byte `begin`. */
void matches_of_hits(const struct trawl_plan *plan, const struct hit *hits, uint64_t count,
                     uint64_t begin, struct trawl_match *matches);
/* Of the task's hits, or of the first where the sink wants no more: offsets become positions in the
 * text, literals become patterns. What there were are gone. Errors: MEMORY. */
enum trawl_status matches_make(const struct search *search, struct task *task,
                               struct trawl_error *error);
void matches_release(struct task *task);

#endif
