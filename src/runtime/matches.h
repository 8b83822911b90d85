/* matches: hits become matches. */
#ifndef TRAWL_RUNTIME_MATCHES_H
#define TRAWL_RUNTIME_MATCHES_H

#include "runtime/search.h"

/* Of a plan whose literals are its patterns as they were given, as structs. Offsets count from the
 * text's byte `begin`. */
void matches_of_hits(const struct trawl_plan *plan, const struct hit *hits, uint64_t count,
                     uint64_t begin, struct trawl_match *matches);
/* Room for so many; what there were are gone. Errors: MEMORY. */
enum trawl_status matches_reserve(const struct search *search, struct task *task, uint64_t count,
                                  struct trawl_error *error);
void matches_release(struct task *task);
/* Make matches of `count` hits from `from` on: offsets become positions in the text, literals
 * become patterns. */
void matches_convert(const struct search *search, struct task *task, uint64_t from, uint64_t count);

#endif
