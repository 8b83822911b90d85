/* matches: makes matches of hits. */
#ifndef TRAWL_RUNTIME_MATCHES_H
#define TRAWL_RUNTIME_MATCHES_H

#include "runtime/search.h"

/* Makes structs of hits under a plan that has the patterns themselves as literals. Offsets count
 * from the text's byte `begin`. */
void matches_of_hits(const struct trawl_plan *plan, const struct hit *hits, uint64_t count,
                     uint64_t begin, struct trawl_match *matches);
/* Makes room for `count` matches; the task's former matches are lost. Errors: MEMORY. */
enum trawl_status matches_reserve(const struct search *search, struct task *task, uint64_t count,
                                  struct trawl_error *error);
void matches_release(struct task *task);
/* Makes matches of `count` hits from hit `from` on: offsets become positions in the text, and
 * literals become patterns. */
void matches_convert(const struct search *search, struct task *task, uint64_t from, uint64_t count);

#endif
