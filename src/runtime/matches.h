/* matches: turns an engine's hits (offset in the chunk, literal) into the caller's matches (begin
 * and end in the text, pattern) */
#ifndef TRAWL_RUNTIME_MATCHES_H
#define TRAWL_RUNTIME_MATCHES_H

#include "runtime/search.h"

/* Turns hits into matches, for a plan whose literals are the patterns themselves. The hits' offsets
 * are relative to text offset `begin`. */
void matches_of_hits(const struct trawl_plan *plan, const struct hit *hits, uint64_t count,
                     uint64_t begin, struct trawl_match *matches);
/* Turns one of the task's hits into a match. */
struct trawl_match matches_one(const struct trawl_plan *plan, const struct task *task,
                               const struct hit *hit);
/* Makes room for `count` matches; may drop the task's earlier ones. Errors: MEMORY. */
enum trawl_status matches_reserve(const struct sink *sink, struct task *task, uint64_t count,
                                  struct trawl_error *error);
void matches_release(struct task *task);
/* Turns the task's hits [from, from + count) into matches. */
void matches_convert(const struct trawl_plan *plan, const struct sink *sink, struct task *task,
                     uint64_t from, uint64_t count);

#endif
