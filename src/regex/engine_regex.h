/* engine_regex: the engine for plans of regular expressions. It searches with automata, and with
 * the engine of the host or of the GPUs, which finds atoms: strings that a match must contain. A
 * worker searches a chunk in steps. */
#ifndef TRAWL_REGEX_ENGINE_REGEX_H
#define TRAWL_REGEX_ENGINE_REGEX_H

#include "engine.h"

/* Bytes of a step, not counting the rest of its last line. Tests set a smaller number. */
extern uint64_t regex_step_bytes;
/* The ways to search a step, the contestants of worker->contest (choose.h). */
enum way {
    WAY_ATOMS,
    WAY_AUTOMATON, /* the lazy automaton rules lines out, or decides about them (lazy.h) */
    WAY_LINES,     /* PCRE2 or a reach reads line by line */
    WAYS
};
/* The ways by which expressions are searched for, as bits, if one of them fits. Tests replace it.
 */
extern uint32_t regex_ways;
/* A list's expressions may read so many bytes again before an automaton of all finds spans. Tests
 * set a smaller number. */
extern uint64_t judge_again;
/* Steps that are read without runs (runs.h) once these were useless; 0: they never are, UINT32_MAX:
 * always. Tests set others. */
extern uint32_t regex_runs_pause;

extern const struct engine_ops engine_regex;
/* engine_ops.brief, for a single expression that is not PCRE2's: around its atoms, or as a line. */
bool regex_brief(const struct engine *engine, const struct trawl_plan *plan, const uint8_t *text,
                 uint64_t count, struct engine_brief *found);

/* Returns the plan of the atoms if each match lies in a line that contains one; otherwise NULL.
 * With a line_reader, the atoms are the plan's own strings. */
const struct trawl_plan *regex_strings(const struct trawl_plan *plan);

#endif
