/* matches: turns hits, the occurrences in a chunk as an engine reports them, into matches, the
 * occurrences in the text as the caller gets them */
#ifndef TRAWL_RUNTIME_MATCHES_H
#define TRAWL_RUNTIME_MATCHES_H

#include "runtime/search.h"

/* Turns hits into structs, for a plan whose literals are the patterns themselves. The hits' offsets
 * count from the text's byte `begin`. */
void matches_of_hits(const struct trawl_plan *plan, const struct hit *hits, uint64_t count,
                     uint64_t begin, struct trawl_match *matches);
/* Turns one of the task's hits into a match. */
struct trawl_match matches_one(const struct trawl_plan *plan, const struct task *task,
                               const struct hit *hit);
/* Makes room for `count` matches; the task's former matches may be lost. Errors: MEMORY. */
enum trawl_status matches_reserve(const struct search *search, struct task *task, uint64_t count,
                                  struct trawl_error *error);
void matches_release(struct task *task);
/* Turns `count` hits starting at hit `from` into matches: offsets in the chunk become offsets in
 * the text, literals become patterns. */
void matches_convert(const struct search *search, struct task *task, uint64_t from, uint64_t count);

#endif
