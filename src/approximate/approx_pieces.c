/* approx_pieces: searches by pieces. A literal is cut into k + 1 pieces, so an occurrence within k
 * errors contains at least one of them without an error, about where the literal has it. A scope is
 * the text, or one of its records. */
#include "approximate/approx_pieces.h"

#include "approximate/scope.h"
#include "base/checked.h"

/* Sets *part to the part of the chunk in which the pieces of occurrences that begin in [from, to)
 * lie. It ends length_max bytes after `to`, or with the chunk. */
static void chunk_of_pieces(const struct approximate *approximate, const struct engine_chunk *chunk,
                            uint64_t from, uint64_t to, struct engine_chunk *part)
{
    uint64_t available = chunk->owned + chunk->after;
    /* a piece lies within its occurrence, of at most length_max bytes */
    uint64_t end = min_u64(to + approximate->plan->length_max, available);

    TRAWL_ASSERT(from < to && to <= chunk->owned);
    *part = *chunk;
    part->bytes = chunk->bytes + from;
    part->begin = chunk->begin + from;
    part->owned = end - from;
    part->before = chunk->before + from;
    part->after = available - end;
    part->readable = chunk->owned + chunk->readable - end;
    part->may_be_left = false;
    part->records = NULL;
}

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
    const int64_t least = max_i64(after - k, piece->symbols);
    const bool characters = scope_has_characters(scope);

    if (characters && (!scope_find(scope, offset) || scope_symbol_begin(scope, offset) < offset))
        return false;
    *candidate = (struct approx_candidate){.literal = piece->literal};
    if (approximate->edits) {
        candidate->offset = characters ? scope_ahead(scope, offset, least) : offset + least;
        candidate->reach =
            (uint32_t)(characters ? scope_ahead(scope, candidate->offset, after + k - least) -
                                        candidate->offset
                                  : after + k - least);
        return true;
    }
    candidate->offset =
        characters ? scope_back(scope, offset, piece->symbol) : offset - piece->symbol;
    return !characters || candidate->offset >= scope->begin;
}

#define POLL_EVERY 64u /* once per this many hits, asks whether the call is over */

/* Appends a candidate for each hit of a piece, except for hits that candidate_of rejects. The hits'
 * offsets count from the first byte of `part`, which chunk_of_pieces has made. */
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

enum trawl_status approx_pieces_search(const struct engine_ops *ops, struct engine_worker *worker,
                                       const struct approximate *approximate,
                                       const struct engine_chunk *chunk, uint64_t from,
                                       uint64_t *to, struct engine_result *result,
                                       struct approx_candidates *candidates,
                                       struct trawl_error *error)
{
    struct engine_chunk part;

    chunk_of_pieces(approximate, chunk, from, *to, &part);
    for (uint64_t at = 0; at < part.owned; at = result->done) {
        TRAWL_TRY(engine_scan(ops, worker, &part, at, WANT_HITS, result, error));
        TRAWL_ASSERT(result->done > at && result->done <= part.owned);
        TRAWL_TRY(hits_take(approximate, chunk, &part, &result->hits, candidates, error));
        if (candidates->count > approx_candidates_max && *to - from > 1) {
            candidates->count = 0;
            *to = from + (*to - from) / 2;
            return approx_pieces_search(ops, worker, approximate, chunk, from, to, result,
                                        candidates, error);
        }
    }
    return TRAWL_OK;
}
