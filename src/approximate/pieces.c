/* pieces: an occurrence with k errors holds one of k + 1 pieces of its literal as it is, near the
 * place that the piece has in it. */
#include "approximate/pieces.h"

#include "base/checked.h"

#define CHARACTER_BYTES 4u

static uint64_t width_of(const struct approximate *approximate)
{
    return approximate->plan->errors.alphabet == TRAWL_CHARACTERS ? CHARACTER_BYTES : 1;
}

void approx_pieces_chunk(const struct approximate *approximate, const struct engine_chunk *chunk,
                         uint64_t from, uint64_t to, struct engine_chunk *part)
{
    uint64_t available = chunk->owned + chunk->after;
    /* A piece begins where the occurrence does, or after it, and ends where it does, or before. */
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

/* Of mismatches, an occurrence that has the piece `symbols` symbols after its begin. Where symbols
 * have one byte that is one place. */
static void add_begins(const struct approximate *approximate, struct approx_candidates *candidates,
                       uint32_t literal, int64_t place, int64_t symbols)
{
    int64_t first = place - symbols * (int64_t)width_of(approximate);

    for (int64_t begin = first; begin <= place - symbols; begin++)
        candidates->items[candidates->count++] = (struct approx_candidate){begin, literal, 0};
}

enum trawl_status approx_pieces_take(const struct approximate *approximate,
                                     const struct engine_chunk *chunk,
                                     const struct engine_chunk *part, const struct hits *hits,
                                     struct approx_candidates *candidates,
                                     struct trawl_error *error)
{
    const int64_t width = (int64_t)width_of(approximate), k = (int64_t)approximate->errors_max;
    const int64_t shift = part->bytes - chunk->bytes;

    for (uint64_t i = 0; i < hits->count; i++) {
        const uint32_t pattern =
            plan_literal_at(approximate->pieces, hits->items[i].literal).pattern;
        const struct approx_piece *piece = &approximate->piece[pattern];
        const uint64_t *begin = approximate->symbol_begin + piece->literal;
        int64_t place = shift + hits->items[i].offset, before = piece->symbol;
        int64_t after = (int64_t)(begin[1] - begin[0]) - before; /* with the piece */

        TRAWL_ASSERT(pattern < approximate->piece_count && after > 0);
        TRAWL_TRY(
            approx_candidates_reserve(candidates, (uint64_t)(before * (width - 1) + 1), error));
        if (!approximate->edits) {
            add_begins(approximate, candidates, piece->literal, place, before);
            continue;
        }
        /* After the piece's symbols there are those that follow it, up to k more or fewer. */
        place += (int64_t)piece->symbols;
        after -= (int64_t)piece->symbols;
        candidates->items[candidates->count++] = (struct approx_candidate){
            .place = place + (after > k ? after - k : 0),
            .literal = piece->literal,
            .reach = (uint32_t)((after + k + (int64_t)piece->symbols) * width -
                                (int64_t)piece->symbols - (after > k ? after - k : 0))};
    }
    return TRAWL_OK;
}
