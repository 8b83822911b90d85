/* step: a worker of engine_regex, a step of its task, and the lines of the step's chunk. */
#ifndef TRAWL_REGEX_STEP_H
#define TRAWL_REGEX_STEP_H

#include "base/bytes.h"
#include "base/checked.h"
#include "regex/judge.h"
#include "regex/near.h"

/* Where a scan ended inside a line. The next scan of the chunk goes on with the worker's `merge`,
 * unless another worker does the scan or the worker did another scan in between. */
struct pause {
    uint64_t search; /* as in struct engine_chunk; 0: the last scan did not end inside a line */
    const uint8_t *bytes;   /* the chunk's bytes */
    uint64_t from;          /* offset in the chunk of the next occurrence */
    struct regex_line line; /* the line's search, as far as it has come */
};

struct engine_worker {
    struct engine *engine;        /* finds atoms: the host's engine, or the devices' */
    const struct engine_ops *ops; /* of `engine` */
    struct engine_worker *finder; /* searches for the atoms; NULL: no search needed atoms yet */
    struct engine_result atoms;   /* hits of atoms in the step */
    const struct expressions *expressions;
    uint64_t serial;      /* serial number of the plan; 0: no plan */
    uint32_t whole_steps; /* number of steps that are still to be read whole */
    uint64_t step_bytes;  /* length of the next step, without the line in which the step ends */
    uint64_t missed;      /* sum of step->missed beyond MISSED_SHARE, and of bytes read whole */
    bool is_resplit;      /* the atoms were chosen in this text, or are the only choice */
    uint64_t record;      /* index of the record that was found last */
    struct merge merge;   /* occurrences in the line being judged; room for passing_capacity */
    struct words words;   /* what is known of that line, under WHOLE_WORD */
    struct near near;     /* the atoms of a text that is one line */
    struct pause pause;
    uint32_t *passing; /* expressions for which the line is a candidate */
    uint64_t passing_capacity;
    /* What is known of each expression: the number of a line << 8 | how often a verification failed
     * in that line; DECIDED: the expression needs no further look in that line. */
    uint64_t *known; /* passing_capacity words */
    uint64_t line;   /* lines with hits so far */
};

/* A step of a task: whole lines [from, to) of the chunk. */
struct step {
    struct engine_worker *worker;
    const struct engine_chunk *chunk;
    enum want want; /* what the task wants */
    uint64_t from;
    uint64_t to;
    struct engine_result *result; /* where the task's hits go */
    bool splits_again; /* the atoms shall be chosen again, and the step ends before this line */
    bool is_paused;    /* the step ended at step->to, inside a line, because the result is full */
    uint64_t decided;  /* no line that begins earlier is looked at again */
    uint64_t atoms_begin; /* no match in the line begins before; 0: not known */
    uint64_t atoms_end;   /* nor there or later: the line's last atom begins before; 0: not known */
    uint64_t judged;      /* lines about which RE2 decided */
    uint64_t asked;       /* atoms about which the chains did not decide */
    uint64_t spare;       /* bytes that chains may read beyond CHAIN_BYTES: linear time */
    /* bytes that RE2 could have read in the time of verifications and judgements that failed */
    uint64_t missed;
};

/* Returns whether the text is one line, in which occurrences may cross lines. */
static inline bool judges_whole(const struct step *step)
{
    return step->chunk->records == NULL && expressions_cross(step->worker->expressions);
}

/* Returns the end of the line or record that holds the byte at `at`, with its line end. */
static inline uint64_t line_after(const struct step *step, uint64_t at)
{
    const struct trawl_plan *plan = step->worker->expressions->plan;
    const struct engine_chunk *chunk = step->chunk;
    uint64_t found;

    if (judges_whole(step))
        return chunk->owned;
    if (chunk->records != NULL) {
        struct engine_worker *worker = step->worker;

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

/* Returns the begin of the line that holds the byte at `at`, at step->decided or later. */
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

/* Returns the line [begin, after), without its line end. */
static inline struct regex_line content_of(const struct step *step, uint64_t begin, uint64_t after)
{
    const struct trawl_plan *plan = step->worker->expressions->plan;
    const uint8_t *bytes = step->chunk->bytes;
    struct regex_line line = {begin, after};

    if (step->chunk->records != NULL || after == begin ||
        expressions_cross(step->worker->expressions) ||
        (bytes[after - 1] != plan->line_end && bytes[after - 1] != plan->line_end_also))
        return line;
    line.end--;
    if ((plan->flags & TRAWL_CRLF) != 0 && line.end > begin && bytes[line.end - 1] == '\r')
        line.end--;
    return line;
}

#endif
