/* groups: finds what the groups of an expression matched, once it is known where the match begins
 * and ends. Also finds matches that automata do not.
 *
 * The expression is a program of steps (Thompson, 1968): take a character, fork, save a position,
 * check an assertion. Of the ways through the program that read all of the match, the one that Perl
 * prefers says where the groups are; also in a POSIX syntax, of whose ways each reads the longest
 * match. A group that is repeated has its last repetition. What may be empty is not repeated at the
 * same place; docs/regex.md compares that with other programs.
 */
#ifndef TRAWL_REGEX_GROUPS_H
#define TRAWL_REGEX_GROUPS_H

#include "base/status.h"
#include "regex/options.h"

struct engine_call;
struct groups; /* the program */

/* A match that would take more bits, for each fork and place, is not backtracked. Tests replace it.
 */
extern uint64_t groups_bits;

/* What a thread keeps for its next match. */
struct groups_memory {
    uint64_t *seen; /* which forks were taken at which places of the match, or when each step was */
    uint64_t seen_capacity;
    struct groups_job *jobs; /* a stack */
    uint64_t job_capacity;
    struct groups_threads {
        uint32_t *steps; /* in the order of preference */
        uint64_t *saves; /* of each thread */
        uint64_t count, step_capacity, save_capacity;
    } threads[2];
};

/* Where a match is looked for: in all of these bytes, assertions look. */
struct groups_text {
    const uint8_t *bytes;
    uint64_t count;
    uint64_t from, to;              /* the match */
    const struct engine_call *call; /* can cancel the search; NULL: nothing can */
};

/* Makes the program of an expression. `whole_word`: the match is a whole word; `is_strict`: next to
 * a byte of no character none begins or ends (regex_compile.h). The options are borrowed. Errors:
 * MEMORY. */
enum trawl_status groups_make(const struct syntax *tree, const struct regex_options *options,
                              bool whole_word, bool is_strict, struct groups **out,
                              struct trawl_error *error);
void groups_free(struct groups *groups); /* accepts NULL */

/* Stores the match in spans[0], and the groups up to span_count - 1 after it. Returns 1; 0 if the
 * expression does not match there; -1 if memory cannot be allocated; WORDS_CANCELLED. Time: linear
 * in the match, for each step at most. */
int groups_find(const struct groups *groups, struct groups_memory *memory,
                const struct groups_text *text, struct regex_span *spans, uint32_t span_count);
/* Finds a match that begins and ends in `text`, as `anchor` says, and that is the one that the
 * options prefer. Results are those of groups_find. Time: linear in the text, for each step. */
int groups_match(const struct groups *groups, struct groups_memory *memory,
                 const struct groups_text *text, enum regex_anchor anchor, struct regex_span *span);
/* Returns true if a match that begins in the text before text->to may go on there, whatever comes
 * then, or if that is not known: so it is if one may have read more than 4 KiB, or an assertion
 * refers to the begin of the line. The text must end after a character. Returns -1 if memory cannot
 * be allocated. */
int groups_go_on(const struct groups *groups, struct groups_memory *memory,
                 const struct groups_text *text);
void groups_forget(struct groups_memory *memory);

#endif
