/* job: the start and end of a searcher's calls, and the loop of a search. Called by the public
 * functions, in the caller's thread. */
#ifndef TRAWL_RUNTIME_JOB_H
#define TRAWL_RUNTIME_JOB_H

#include "runtime/search.h"

/* ---- One call of a searcher at a time ---- */

/* Marks the searcher as inside a call; searcher_leave ends that. Returns STOPPED if the call was
 * cancelled before it began. Errors: BUSY if the searcher is already inside a call. */
enum trawl_status searcher_enter(struct trawl_searcher *searcher, struct trawl_error *error);
void searcher_leave(struct trawl_searcher *searcher);
/* Returns true if the searcher's current call was cancelled. */
bool searcher_is_cancelled(const struct trawl_searcher *searcher);
/* Fails with UNSUPPORTED if this process is a child of fork(), and its parent began the call. */
enum trawl_status searcher_check_process(const struct trawl_searcher *searcher,
                                         struct trawl_error *error);
/* Records what the call did, for trawl_searcher_stats. begin_ns is when the call began; 0: its time
 * was not measured. */
void searcher_record(struct trawl_searcher *searcher, struct call_record *done, uint64_t begin_ns);
/* The same for a call that searched a short text at once. */
void searcher_record_brief(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                           const struct engine_brief *found);
/* Checks the arguments that all searches of a text object share, then calls searcher_enter. */
enum trawl_status search_enter(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct trawl_text *text, struct trawl_error *error);

/* ---- Jobs ---- */

void job_begin(struct job *job, struct trawl_runtime *runtime, const struct trawl_plan *plan,
               void (*serve)(struct job *job, struct worker *worker));
/* Ends a job: waits until no other thread is inside it. */
void job_end(struct job *job);

/* ---- Searches ---- */

/* Begins a search. If it succeeds, the caller must call search_end. */
enum trawl_status search_begin(struct search *search, struct trawl_searcher *searcher,
                               const struct trawl_plan *plan, struct trawl_text *text,
                               struct sink *sink, struct trawl_error *error);
/* Fills *view with the next results in text order, which are valid until the next call. *more is
 * false at the end of the text. Returns STOPPED if the call was cancelled. A failure is returned
 * after all results that come before it in the text. */
enum trawl_status search_step(struct search *search, struct sink_chunk *view, bool *more,
                              struct trawl_error *error);
/* Fails with LIMIT if the engine could not decide some lines of what was delivered. search_step
 * does the same at the end of the text. */
enum trawl_status search_decided(const struct search *search, struct trawl_error *error);
void search_end(struct search *search);
/* Runs a whole search, and delivers all results to the sink. Returns STOPPED if the sink stopped
 * the search, or if the call was cancelled. */
enum trawl_status search_run(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_text *text, struct sink *sink, struct trawl_error *error);
/* Like search_run, but searches only the lines that contain these offsets, in the calling thread.
 * `places` ascend, and were found by the searcher's last search; the text must be in host
 * memory. */
enum trawl_status search_run_lines(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   struct trawl_text *text, const uint64_t *places, uint64_t count,
                                   struct sink *sink, struct trawl_error *error);
/* Returns the name of an answer that is in enum trawl_what. */
const char *ask_name(enum trawl_what what);
/* Reads the caller's struct, and checks that no member is set which the answer does not use.
 * Errors: ARGUMENT. */
enum trawl_status ask_read(struct trawl_answer *answer, const struct trawl_answer *given,
                           struct trawl_error *error);
/* Tells the caller the answer's results if, after a call with this status, they count: after OK,
 * and after READ, LIMIT and DEVICE what was found before. */
void ask_report(struct trawl_answer *given, const struct trawl_answer *answer,
                enum trawl_status status);
struct pattern_counting {
    const struct trawl_plan *plan;
    trawl_pattern_count_sink function;
    void *context;
};
/* Sets up the sink of COUNT_BY_PATTERN (pattern_counts.c); *counting is borrowed. */
void pattern_counts_sink(struct sink *sink, struct pattern_counting *counting);
/* Runs a whole call: search_enter, search_run, searcher_leave. */
enum trawl_status search_checked(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 struct trawl_text *text, struct sink *sink,
                                 struct trawl_error *error);
/* A device lists at most this many matches of expressions at once; the host lists them chunk by
 * chunk. */
#define HITS_LISTED_MAX (UINT64_C(1) << 24)
/* Sets *lines to a plan with which a single device can decide which lines, or records, of the text
 * match or, if `finds`, find their matches (engines_line_plan); to NULL if no device has the whole
 * text, or there is no such plan. Errors: UNSUPPORTED if there is none, and the host may not read
 * the text. */
enum trawl_status search_line_plan(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, bool finds,
                                   const struct trawl_plan **lines, struct trawl_error *error);

#endif
