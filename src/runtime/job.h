/* job: calls, and the loop of one search. */
#ifndef TRAWL_RUNTIME_JOB_H
#define TRAWL_RUNTIME_JOB_H

#include "runtime/search.h"

/* ---- One call of a searcher at a time ---- */

/* Mark the searcher as inside a call: BUSY if it is inside one. And as outside again. */
enum trawl_status searcher_enter(struct trawl_searcher *searcher, struct trawl_error *error);
void searcher_leave(struct trawl_searcher *searcher);
/* Was the call that the searcher is inside cancelled? */
bool searcher_is_cancelled(const struct trawl_searcher *searcher);
/* Keep what the call did, which began then, for stats.c. */
void searcher_keep(struct trawl_searcher *searcher, struct call_record *done, uint64_t begin_ns);
/* searcher_enter, after the checks that all searches share. */
enum trawl_status search_enter(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct trawl_text *text, struct trawl_error *error);

/* ---- Jobs ---- */

void job_begin(struct job *job, struct trawl_runtime *runtime, const struct trawl_plan *plan,
               void (*serve)(struct job *job, struct worker *worker));
/* Nobody is inside it any more. */
void job_end(struct job *job);

/* ---- Searches ---- */

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
