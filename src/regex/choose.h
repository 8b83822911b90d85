/* choose: chooses the strings with which expressions are searched for, and how each step is
 * read. */
#ifndef TRAWL_REGEX_CHOOSE_H
#define TRAWL_REGEX_CHOOSE_H

#include "regex/split.h"
#include "regex/step.h"

/* Returns how good strings are for a search: log2 of the expected distance between their
 * occurrences in a text, minus 1.5 * log2 of the number of strings, because more strings slow the
 * search down. Returns NO_SCORE for strings that are useless. */
double choose_score(const struct split_options *options, const struct split_strings *strings,
                    bool folds);
/* Begins the contest (plan/contest.h) between the ways to read a step. */
void choose_begin(struct regex_worker *worker);
/* Writes the ways to read steps, and their prices, for trawl_plan_explain. */
void choose_explain(const struct expressions *made, char *lines, uint64_t lines_bytes);
/* Returns the name of a way for messages. */
const char *choose_name(const struct expressions *made, enum way way);
/* Tells the call that so many bytes were searched by worker->contest.now, in `ns`; with `runs`,
 * only `read_bytes` were read. Clears worker->lazily. */
void choose_report(struct regex_worker *worker, const struct engine_chunk *chunk, uint64_t bytes,
                   const struct runs *runs, uint64_t read_bytes, uint64_t ns);
/* Chooses how the steps after `step` are read, and how long the next one is. `step` was searched
 * from began_ns to ended_ns; if `counts` is false, these times are not known. */
void choose_next(const struct step *step, uint64_t began_ns, uint64_t ended_ns, bool counts);
/* Called after a step that took `ns` since its atoms were found. Returns true if all of the host's
 * threads would search the rest of the text sooner than a device, whose worker alone judges what
 * the device finds. */
bool choose_host(const struct step *step, uint64_t ns);
/* What looking for runs (runs.h) has left of a step. */
struct runs_cost {
    uint64_t bytes, calls;
};
/* Returns the runs by which lines of the step are chosen; NULL: all are read. */
const struct runs *choose_runs(const struct step *step);
/* Stops to look for runs for a while if that took longer than it saved in the step, which took
 * `ns`, or, with `cost` NULL, if the step took less time without them. */
void choose_count_runs(const struct step *step, const struct runs_cost *cost, uint64_t ns);

#endif
