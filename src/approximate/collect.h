/* collect: has the candidates of any method verified, and appends the hits in order. */
#ifndef TRAWL_APPROXIMATE_COLLECT_H
#define TRAWL_APPROXIMATE_COLLECT_H

#include "approximate/approx_verify.h"

/* Mismatches: `offset` is where the occurrence begins. Edits: the occurrence ends in [offset,
 * offset + reach]. Offsets count from the chunk's first byte, and may lie outside [0, owned). */
struct approx_candidate {
    int64_t offset;
    uint32_t literal;
    uint32_t reach;
};

struct approx_candidates {
    struct approx_candidate *items; /* owned */
    uint64_t count;
    uint64_t capacity;
};

/* Returns the candidate for an occurrence of the literal that would begin at `begin` if it had no
 * errors. With edits, the occurrence ends up to errors_max bytes before or after where it would end
 * without errors. */
static inline struct approx_candidate approx_candidate_at(const struct approximate *approximate,
                                                          uint32_t literal, int64_t begin)
{
    const uint64_t *symbols = approximate->symbol_begin + literal;
    const uint32_t k = approximate->errors_max;

    TRAWL_ASSERT(literal < approximate->plan->literal_count);
    if (!approximate->edits)
        return (struct approx_candidate){begin, literal, 0};
    return (struct approx_candidate){begin + (int64_t)(symbols[1] - symbols[0]) - k, literal,
                                     2 * k};
}

/* Maximum number of candidates of a step, a range of starts that is searched in one call. Only a
 * step with a single start may have more. Tests replace approx_candidates_max. */
#define APPROX_CANDIDATES_MAX (1u << 20)
extern uint64_t approx_candidates_max;

enum trawl_status approx_candidates_reserve(struct approx_candidates *candidates, uint64_t more,
                                            struct trawl_error *error);
void approx_candidates_release(struct approx_candidates *candidates);

/* Verifies all candidates, which may be in any order and repeated, and appends the hits that begin
 * in [from, to), sorted by (offset, literal, length). Empties *candidates. */
enum trawl_status approx_collect(struct approx_verifier *verifier,
                                 struct approx_candidates *candidates, uint64_t from, uint64_t to,
                                 bool edits, struct hits *hits, struct trawl_error *error);

#endif
