/* job: the loop of one search. */
#ifndef TRAWL_RUNTIME_JOB_H
#define TRAWL_RUNTIME_JOB_H

#include "runtime/search.h"

/* Begin a search; on success search_end is to follow. */
enum trawl_status search_begin(struct search *search, struct trawl_searcher *searcher,
                               const struct trawl_plan *plan, struct trawl_text *text,
                               struct sink *sink, struct trawl_error *error);
/* The next part of the text's results in order, until the next call. *more false: the text's end.
 * STOPPED: cancelled. A fault is returned after the results before it. */
enum trawl_status search_step(struct search *search, struct sink_chunk *view, bool *more,
                              struct trawl_error *error);
void search_end(struct search *search);
/* The searcher's call was cancelled: call back threads that wait for it. From any thread. */
void search_interrupt(struct search *search);
/* Begin, deliver all to the sink, end. STOPPED if the sink stopped it. */
enum trawl_status search_run(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_text *text, struct sink *sink, struct trawl_error *error);

#endif
