/* collect: candidates of one step of a search, from any method, are made hits in order. */
#ifndef TRAWL_APPROXIMATE_COLLECT_H
#define TRAWL_APPROXIMATE_COLLECT_H

#include "approximate/verify.h"

/* Mismatches: `offset` is where the occurrence begins. Edits: the end of the occurrence lies in
 * [offset, offset + reach]. Offsets in the chunk, perhaps before or after what is owned. */
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

/* A literal that begins at this offset, or with edits up to errors_max before or after. */
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

#define APPROX_CANDIDATES_MAX (1u << 20) /* of a step that is longer than a single begin */

enum trawl_status approx_candidates_reserve(struct approx_candidates *candidates, uint64_t more,
                                            struct trawl_error *error);
void approx_candidates_release(struct approx_candidates *candidates);
/* Makes a candidate of every offset in [from, *to) for each literal. Lessens *to where candidates
 * would be too many. */
enum trawl_status approx_candidates_all(const struct approximate *approximate, uint64_t from,
                                        uint64_t *to, struct approx_candidates *candidates,
                                        struct trawl_error *error);

/* Verify all candidates, in any order and perhaps several times the same, and append the hits that
 * begin in [from, to), by (offset, literal, length). No candidate is left. */
enum trawl_status approx_collect(struct approx_verifier *verifier,
                                 struct approx_candidates *candidates, uint64_t from, uint64_t to,
                                 bool edits, struct hits *hits, struct trawl_error *error);

#endif
