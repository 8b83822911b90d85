/* engines: the runtime's engines, which only engines.c names. */
#ifndef TRAWL_RUNTIME_ENGINES_H
#define TRAWL_RUNTIME_ENGINES_H

#include "engine.h"

extern const struct engine_ops *const engine_for_host;
extern const struct engine_ops *const engine_for_devices;

/* What the runtime knows about a kind of plan. The engines of the host and of devices search for
 * strings; for each other kind, a *layer* is an engine built on these two. */
struct kind_facts {
    /* the engines that search: [0] on the host, [1] on a device; NULL: not built. A layer is both
     */
    const struct engine_ops *ops[2];
    const char *name;       /* for messages, such as "a plan of strings" */
    const char *no_streams; /* why streams cannot be searched for such plans; NULL: they can */
    /* A published algorithm: it runs on the host with engine AUTO, and on any one device with CUDA,
     * whatever the text. A failure ends the search. */
    bool is_apart;
    /* Regular expressions: chunks consist of whole lines, and a match may be empty. Devices search
     * only loaded texts, and only with engine CUDA. */
    bool by_lines;
    /* The layer checks word and line boundaries itself, so it must be told where records begin and
     * end. A count lists hits, too, and the host verifies those that devices find. */
    bool judges;
};
extern const struct kind_facts engine_kinds[PLAN_KINDS];

/* Returns the plan's kind; that of strings if plan is NULL. */
static inline const struct kind_facts *kind_of(const struct trawl_plan *plan)
{
    return &engine_kinds[plan == NULL ? PLAN_KIND_STRINGS : plan->kind];
}

/* Implements trawl_line_open. If `call` is cancelled, trawl_line_match on this line ends. */
enum trawl_status engines_line_open(const struct trawl_plan *plan, uint64_t pattern_index,
                                    const void *line, uint64_t line_bytes,
                                    const struct engine_call *call, struct trawl_line **out,
                                    struct trawl_error *error);
/* Sets *matches to whether the expression matches an empty line. */
enum trawl_status engines_match_empty(const struct trawl_plan *plan, uint64_t pattern_index,
                                      bool *matches, struct trawl_error *error);

/* Sets *lines to a plan with which a device can decide which lines match a plan of regular
 * expressions or, if `finds`, find their matches (regex/automaton.h); to NULL if there is none.
 * Errors: MEMORY. */
enum trawl_status engines_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                    uint64_t sample_bytes, bool finds,
                                    const struct trawl_plan **lines, const char **why,
                                    struct trawl_error *error);

/* Returns a plan of strings, one of which is in each line with an occurrence of `plan`, or is the
 * occurrence; NULL if there is none. */
const struct trawl_plan *engines_page_plan(const struct trawl_plan *plan);

/* Sets *cut to the offset up to which the bytes of an unfinished line can be discarded (regex_cut).
 */
enum trawl_status engines_cut(const struct trawl_plan *plan, const uint8_t *line, uint64_t count,
                              const struct engine_call *call, uint64_t *cut,
                              struct trawl_error *error);

/* Returns LIMIT, with a message about `count` undecided lines (engine_result.undecided_count). */
enum trawl_status engines_undecided(uint64_t at, uint64_t count, struct trawl_error *error);

#endif
