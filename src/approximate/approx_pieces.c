/* approx_pieces: searches by pieces. A literal is cut into k + 1 pieces, so an occurrence within k
 * errors contains at least one of them without an error, about where the literal has it. A scope is
 * the text, or one of its records. */
#include "approximate/approx_pieces.h"

#include "approximate/scope.h"
#include "base/checked.h"

/* Makes the candidate for a piece that occurs at `offset` of the chunk. With mismatches, the
 * occurrence begins piece->symbol symbols before the piece. With edits, it ends after as many
 * symbols as follow the piece in the literal, give or take k. If symbols are characters, returns
 * false if the piece does not begin at a character of the scope or, with mismatches, if the
 * occurrence would begin before the scope. If they are bytes, returns true. */
static bool candidate_of(const struct approximate *approximate, struct approx_scope *scope,
                         const struct approx_piece *piece, int64_t offset,
                         struct approx_candidate *candidate)
{
    const uint64_t *begin = approximate->symbol_begin + piece->literal;
    const int64_t k = (int64_t)approximate->errors_max;
    /* symbols from the piece's start to the literal's end */
    const int64_t after = (int64_t)(begin[1] - begin[0]) - piece->symbol;
    const int64_t min = max_i64(after - k, piece->symbols);
    const bool characters = scope_has_characters(scope);

    if (characters && (!scope_find(scope, offset) || scope_symbol_begin(scope, offset) < offset))
        return false;
    *candidate = (struct approx_candidate){.literal = piece->literal};
    if (approximate->edits) {
        candidate->offset = characters ? scope_ahead(scope, offset, min) : offset + min;
        candidate->reach =
            (uint32_t)(characters ? scope_ahead(scope, candidate->offset, after + k - min) -
                                        candidate->offset
                                  : after + k - min);
        return true;
    }
    candidate->offset =
        characters ? scope_back(scope, offset, piece->symbol) : offset - piece->symbol;
    return !characters || candidate->offset >= scope->begin;
}

#define POLL_EVERY 64u /* once per this many hits, asks whether the call is over */

/* Appends a candidate for each hit of a piece, except for hits that candidate_of rejects. The hits'
 * offsets count from the first byte of `part`. */
static enum trawl_status hits_take(const struct approximate *approximate,
                                   const struct engine_chunk *chunk,
                                   const struct engine_chunk *part, const struct hits *hits,
                                   struct approx_candidates *candidates, struct trawl_error *error)
{
    struct approx_scope scope = {.plan = approximate->plan, .chunk = chunk};
    const int64_t shift = part->bytes - chunk->bytes;

    TRAWL_TRY(approx_candidates_reserve(candidates, hits->count, error));
    for (uint64_t i = 0; i < hits->count; i++) {
        const uint32_t pattern =
            plan_literal_at(approximate->pieces, hits->items[i].literal).pattern;

        if (i % POLL_EVERY == 0 && engine_call_is_over(chunk->call))
            return TRAWL_STOPPED;
        candidates->count +=
            candidate_of(approximate, &scope, &approximate->piece[pattern],
                         shift + hits->items[i].offset, &candidates->items[candidates->count]);
    }
    return TRAWL_OK;
}

enum trawl_status approx_pieces_search(struct refiner *refiner,
                                       const struct approximate *approximate,
                                       const struct engine_chunk *chunk, uint64_t from,
                                       uint64_t *to, struct approx_candidates *candidates,
                                       struct trawl_error *error)
{
    const struct engine_result *found = &refiner->found;
    /* a piece lies within its occurrence, of at most length_max bytes */
    const uint64_t end = min_u64(*to + approximate->plan->length_max, chunk->owned + chunk->after);
    struct engine_chunk part;

    refine_part(chunk, from, end, UINT64_MAX, &part);
    for (uint64_t at = 0; at < part.owned; at = found->done) {
        TRAWL_TRY(refine_prefilter(refiner, &part, at, error));
        TRAWL_TRY(hits_take(approximate, chunk, &part, &found->hits, candidates, error));
        if (candidates->count > approx_candidates_max && *to - from > 1) {
            candidates->count = 0;
            *to = from + (*to - from) / 2;
            return approx_pieces_search(refiner, approximate, chunk, from, to, candidates, error);
        }
    }
    return TRAWL_OK;
}
