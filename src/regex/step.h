/* step: the state of a search for regular expressions: the worker, one step of its task, and the
 * lines of the step's chunk. An atom is a string that a match must contain. */
#ifndef TRAWL_REGEX_STEP_H
#define TRAWL_REGEX_STEP_H

#include "base/bytes.h"
#include "base/checked.h"
#include "plan/contest.h"
#include "refine/refine.h"
#include "regex/engine_regex.h"
#include "regex/judge.h"
#include "regex/lazy.h"

/* Where a scan ended inside a line. The next scan of the chunk continues there. It can use the
 * worker's `merge`, which has the line's next occurrences, if the same worker runs it and has run
 * no other scan meanwhile. */
struct pause {
    /* number of the search, as in struct engine_chunk; 0: no scan ended inside a line */
    uint64_t search;
    const uint8_t *bytes;   /* the chunk's bytes */
    uint64_t from;          /* offset in the chunk of the next occurrence */
    struct regex_line line; /* the line that was being searched */
};

struct regex_worker {
    struct refiner refiner; /* first member; refiner.found has the atoms in the step */
    const struct expressions *expressions;
    struct engine_worker *rest;      /* a worker for expressions->rest; NULL: it had none yet */
    struct engine_result rest_lines; /* the lines of the step that it has found */
    uint64_t rest_next;              /* index of the next of them */
    struct contest contest;          /* of enum way */
    const struct expressions *named; /* whose first atoms are in atoms_name; NULL: none yet */
    char atoms_name[sizeof((struct trawl_way *)0)->what];
    struct program_asks lazily; /* what another way has asked the lazy automaton in this step */
    uint64_t stepped_ns;        /* when the task's last step ended; 0: it had none */
    /* how many more steps are read without runs, and how many are if runs are useless once more */
    uint32_t runs_rest, runs_pause;
    uint32_t runs_steps; /* how many steps were not a rest since runs turned out slower */
    double runs_rate;    /* ns per byte of the last step with runs */
    bool has_seen;       /* has read a part of the text, and chosen the atoms anew by it */
    /* On a device: when the step's atoms had been found; how many atoms a step may have; and how
     * many more scans are left to the host. */
    uint64_t found_ns, atoms_max;
    uint32_t scans_left;
    uint64_t record; /* index of the record that was looked up last */
    /* the next occurrence of each expression in the current line; `items` has room for
     * passing_capacity */
    struct merge merge;
    struct words words;      /* what is known about the current line, for matches at word
                                boundaries */
    const struct hits *near; /* the atoms in a text that is searched as a single line, or in a step
                                whose lines a reach searches; NULL: unknown */
    uint64_t near_from;      /* offset in the chunk from which these count */
    struct pause pause;
    uint32_t *passing; /* the expressions that may match in the current line */
    uint64_t passing_capacity;
    /* for each expression: the line, numbered as in `line`, in which it was last decided */
    uint64_t *known;   /* passing_capacity words */
    struct lazy *lazy; /* NULL: not needed yet */
    uint32_t untimed;  /* counts short steps (prices.def) */
    bool divides;      /* in this step, it had too many states for a list that has atoms */
    uint64_t *asked;   /* for each atom: the line in which `lazy` has read its whole group */
    uint64_t asked_capacity;
    uint64_t line; /* number of lines with atoms so far */
};

/* A step of a task: the whole lines [from, to) of the chunk. */
struct step {
    struct regex_worker *worker;
    const struct engine_chunk *chunk;
    enum want want; /* what the task wants */
    uint64_t from;
    uint64_t to;
    struct engine_result *result; /* receives the task's hits */
    bool is_paused;       /* the result is full, so the step ended at step->to, inside a line */
    uint64_t decided;     /* lines that begin before this offset have been searched */
    uint64_t pushed;      /* occurrences that begin before this offset have been pushed */
    uint64_t atoms_begin; /* no match in the line begins before this offset; 0: unknown */
    uint64_t atoms_end;   /* no match in the line begins at or after this offset; 0: unknown */
    /* The record that was last prepared for automata. If record_has_lines, it contains a line end,
     * at which automata would stop too early, so they do not read the record.
     */
    uint64_t record_begin, record_end;
    bool record_has_lines;
    uint64_t judged; /* number of lines that were searched for matches one by one */
    /* bytes that automata may read in addition to AROUND_BYTES; limited to keep the time linear */
    uint64_t spare;
};

/* A line with an atom. */
struct line {
    uint64_t at;     /* offset of the line's first atom */
    uint64_t after;  /* start of the next line; UINT64_MAX: unknown */
    uint64_t end;    /* without the line end */
    bool is_decided; /* some expression certainly matches */
    bool has_rest;   /* the expression that certainly matches is one without atoms */
};

/* Counts a hit in the step's result and, unless only the count is wanted, appends it. `offset` is
 * relative to the chunk. `length` is stored in hits.lengths. */
enum trawl_status step_push(const struct step *step, uint64_t offset, uint32_t expression,
                            uint64_t length, struct trawl_error *error);
/* Pushes the occurrences of worker->merge that begin at or after `from`, up to the line's end. Once
 * the result is full, ends the step at the next occurrence. Occurrences that begin at the same
 * place stay in one result. */
enum trawl_status step_push_merged_hits(struct step *step, struct regex_line line, uint64_t from,
                                        struct trawl_error *error);
/* Searches a line for the expressions in `candidates` (NULL: all), and pushes the hits that
 * begin at or after step->pushed. */
enum trawl_status step_judge(struct step *step, struct regex_line line, const uint32_t *candidates,
                             uint32_t count, struct trawl_error *error);

/* Returns true if the whole chunk is searched as a single line, because matches may cross lines. */
static inline bool judges_whole(const struct step *step)
{
    return step->chunk->records == NULL && expressions_cross(step->worker->expressions);
}

/* Returns true if a device searches the step, but may leave the rest of the chunk to the host's
 * threads. */
static inline bool step_may_hand_over(const struct step *step)
{
    return refine_is_on_device(&step->worker->refiner) && step->chunk->may_be_left &&
           !judges_whole(step);
}

/* Returns true if a single hit per line is enough. */
static inline bool one_suffices(const struct step *step)
{
    return step->want == WANT_LINES || step->chunk->firsts;
}

/* Returns the line in the form that the functions of judge.h need. */
static inline struct judged judged_of(const struct step *step, struct regex_line line)
{
    const struct engine_chunk *chunk = step->chunk;
    const bool lines = step->want == WANT_LINES;

    return (struct judged){
        .bytes = chunk->bytes + line.begin,
        .count = line.end - line.begin,
        .call = chunk->call,
        .takes_empty = chunk->records != NULL && step->worker->expressions->takes_empty,
        .each_empty = judges_whole(step) && (lines || step->want == WANT_SPANS),
        .by_lines = lines,
        .spans = chunk->spans,
        .atoms = step->worker->near,
        .atoms_from = line.begin - step->worker->near_from,
        .atoms_begin = step->atoms_begin - min_u64(step->atoms_begin, line.begin),
        .atoms_end = step->atoms_end - min_u64(step->atoms_end, line.begin),
        .words = &step->worker->words,
        .at = chunk->begin + line.begin};
}

/* Returns the offset after the line or record that contains the byte at `at`, and its line end. */
static inline uint64_t line_after(const struct step *step, uint64_t at)
{
    const struct trawl_plan *plan = step->worker->expressions->plan;
    const struct engine_chunk *chunk = step->chunk;
    uint64_t found;

    if (judges_whole(step))
        return chunk->owned;
    if (chunk->records != NULL) {
        struct regex_worker *worker = step->worker;

        if (records_begin(chunk->records, worker->record) > chunk->begin + at)
            worker->record = 0;
        worker->record = records_beyond(chunk->records, worker->record, chunk->begin + at);
        return min_u64(records_begin(chunk->records, worker->record + 1) - chunk->begin,
                       chunk->owned);
    }
    found = min_u64(at, chunk->owned);
    found += bytes_find_either(chunk->bytes + found, chunk->owned - found, plan->line_end,
                               plan->line_end_also);
    return found < chunk->owned ? found + 1 : found;
}

/* Returns the start of the line or record that contains the byte at `at`. Looks for line ends only
 * at or after step->decided, where some line begins. */
static inline uint64_t line_begin(const struct step *step, uint64_t at)
{
    const struct trawl_plan *plan = step->worker->expressions->plan;
    const struct engine_chunk *chunk = step->chunk;
    uint64_t begin;

    if (judges_whole(step))
        return 0;
    if (chunk->records != NULL) {
        (void)line_after(step, at);
        return records_begin(chunk->records, step->worker->record) - chunk->begin;
    }
    begin = judge_after_last(chunk->bytes, step->decided, at, plan->line_end);
    if (plan->line_end_also != plan->line_end)
        begin = judge_after_last(chunk->bytes, begin, at, plan->line_end_also);
    return begin;
}

/* Returns the line [begin, after) without its line end, if it has one, and with CRLF then without a
 * carriage return at its end. Returns it unchanged if it is a record, or if matches may cross
 * lines. */
static inline struct regex_line content_of(const struct step *step, uint64_t begin, uint64_t after)
{
    const struct trawl_plan *plan = step->worker->expressions->plan;
    const uint8_t *bytes = step->chunk->bytes;
    struct regex_line line = {begin, after};

    if (step->chunk->records != NULL || after == begin ||
        expressions_cross(step->worker->expressions))
        return line;
    line.end -= bytes[after - 1] == plan->line_end || bytes[after - 1] == plan->line_end_also;
    if ((plan->flags & TRAWL_CRLF) != 0 && line.end > begin && bytes[line.end - 1] == '\r')
        line.end--;
    return line;
}

/* Records a line that PCRE2 has left undecided; `pushed` is the number of hits before the line. If
 * one hit per line is enough and the line already has one, the line is decided, so nothing is
 * recorded. */
static inline void note_undecided(const struct step *step, struct regex_line line, uint64_t pushed)
{
    struct words *words = &step->worker->words;

    if (words->is_undecided && !(one_suffices(step) && step->result->count > pushed) &&
        step->result->undecided_count++ == 0)
        step->result->undecided_at = step->chunk->begin + line.begin;
    words->is_undecided = false;
}

#endif
