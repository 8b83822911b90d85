/* job: the start and the end of calls, and the loop of a search. Public functions call these
 * functions in the calling thread. */
#ifndef TRAWL_RUNTIME_JOB_H
#define TRAWL_RUNTIME_JOB_H

#include "runtime/search.h"

/* ---- One call of a searcher at a time ---- */

/* Marks the searcher as inside a call; searcher_leave undoes this. Returns STOPPED if the call
 * was cancelled before it began. Errors: BUSY if the searcher is already inside a call. */
enum trawl_status searcher_enter(struct trawl_searcher *searcher, struct trawl_error *error);
void searcher_leave(struct trawl_searcher *searcher);
/* Returns true if the call that the searcher is inside was cancelled. */
bool searcher_is_cancelled(const struct trawl_searcher *searcher);
/* Fails with UNSUPPORTED if the parent of this process began the call, and the process is a child
 * of fork(). */
enum trawl_status searcher_lives(const struct trawl_searcher *searcher, struct trawl_error *error);
/* Keeps a record of the call's work, for trawl_searcher_stats. begin_ns is when the call began,
 * or 0 if its time was not measured. */
void searcher_keep(struct trawl_searcher *searcher, struct call_record *done, uint64_t begin_ns);
/* Does the checks that all searches of a text object share, then searcher_enter. */
enum trawl_status search_enter(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct trawl_text *text, struct trawl_error *error);

/* ---- Jobs ---- */

void job_begin(struct job *job, struct trawl_runtime *runtime, const struct trawl_plan *plan,
               void (*serve)(struct job *job, struct worker *worker));
/* Ends a job: waits until no other thread is inside it. */
void job_end(struct job *job);

/* ---- Searches ---- */

/* Begins a search. After a success the caller must call search_end. */
enum trawl_status search_begin(struct search *search, struct trawl_searcher *searcher,
                               const struct trawl_plan *plan, struct trawl_text *text,
                               struct sink *sink, struct trawl_error *error);
/* Fills *view with the next part of the text's results in order, valid until the next call.
 * *more is false at the text's end. Returns STOPPED if the call was cancelled. A failure is
 * returned after all results that precede it in the text. */
enum trawl_status search_step(struct search *search, struct sink_chunk *view, bool *more,
                              struct trawl_error *error);
/* Fails with LIMIT if the engine has left lines of the delivered parts undecided. search_step does
 * the same at the text's end. */
enum trawl_status search_decided(const struct search *search, struct trawl_error *error);
void search_end(struct search *search);
/* Does a whole search and delivers all results to the sink. Returns STOPPED if the sink stopped
 * the search, or if the call was cancelled. */
enum trawl_status search_run(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_text *text, struct sink *sink, struct trawl_error *error);
/* Like search_run, but searches only the lines that hold the places, in the calling thread.
 * `places` ascend, and come from the searcher's last search; the text is in the host's memory. */
enum trawl_status search_run_lines(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   struct trawl_text *text, const uint64_t *places, uint64_t count,
                                   struct sink *sink, struct trawl_error *error);
/* Does a whole call: search_enter, search_run, searcher_leave. */
enum trawl_status search_checked(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 struct trawl_text *text, struct sink *sink,
                                 struct trawl_error *error);
/* Sets *lines to the plan by which a single device can decide which lines, or records, of the
 * text match (engines_line_plan). Sets it to NULL if no device has the whole text, or the plan
 * has no such plan. */
enum trawl_status search_line_plan(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, const struct trawl_plan **lines,
                                   struct trawl_error *error);

#endif
