/* host: candidates of a step, by pieces, planes, columns, or all there are. */
#include "approximate/host.h"

#include <string.h>

#include "approximate/filter.h"
#include "approximate/pieces.h"
#include "base/checked.h"
#include "base/memory.h"

#define CANDIDATES_MAX (1u << 20) /* of a step, unless it is one begin */
#define TILE_BYTES_MAX (FILTER_PLACES_MAX + 4u * FILTER_SYMBOLS_MAX)

struct approx_host {
    struct engine *cpu;
    struct engine_worker *pieces; /* of that engine, for the plan of pieces; NULL: not yet */
    struct engine_result result;  /* of pieces */
    const struct filter_ops *filter;
    const struct approximate *approximate;
    struct filter_tile tile;
    uint64_t planes_count; /* words of tile.planes */
    uint64_t found[TILE_BYTES_MAX / 64];
    uint8_t text[TILE_BYTES_MAX + FILTER_SLACK]; /* of a tile that lacks the slack */
};

enum trawl_status approx_host_open(struct engine *cpu, const char *instruction_set,
                                   struct approx_host **host, struct trawl_error *error)
{
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof **host, &memory, error));
    *host = (struct approx_host *)memory;
    (*host)->cpu = cpu;
    (*host)->filter = filter_by_name(instruction_set);
    return TRAWL_OK;
}

static void planes_release(struct approx_host *host)
{
    memory_release(host->tile.planes, host->planes_count, sizeof *host->tile.planes);
    host->tile.planes = NULL;
    host->planes_count = 0;
}

void approx_host_close(struct approx_host *host)
{
    if (host == NULL)
        return;
    if (host->pieces != NULL)
        engine_cpu.release(host->pieces);
    hits_release(&host->result.hits);
    planes_release(host);
    memory_release(host, 1, sizeof *host);
}

enum trawl_status approx_host_begin(struct approx_host *host, const struct approximate *approximate,
                                    struct trawl_error *error)
{
    uint64_t count = (uint64_t)approximate->class_count * FILTER_PLANE_WORDS;
    void *memory;

    host->approximate = approximate;
    if (approximate->method == APPROX_PIECES)
        return engine_cpu.compile(host->cpu, 0, approximate->pieces, &host->pieces, error);
    if (approximate->method != APPROX_PLANES || count <= host->planes_count)
        return TRAWL_OK;
    planes_release(host);
    TRAWL_TRY(memory_allocate(count, sizeof *host->tile.planes, &memory, error));
    host->tile.planes = (uint64_t *)memory;
    host->planes_count = count;
    return TRAWL_OK;
}

/* ---- Pieces -------------------------------------------------------------------------------- */

static enum trawl_status by_pieces(struct approx_host *host, const struct engine_chunk *chunk,
                                   uint64_t from, uint64_t *to,
                                   struct approx_candidates *candidates, struct trawl_error *error)
{
    struct engine_chunk part;

    approx_pieces_chunk(host->approximate, chunk, from, *to, &part);
    for (uint64_t at = 0; at < part.owned; at = host->result.done) {
        TRAWL_TRY(
            engine_scan(&engine_cpu, host->pieces, &part, at, WANT_HITS, &host->result, error));
        TRAWL_ASSERT(host->result.done > at && host->result.done <= part.owned);
        TRAWL_TRY(approx_pieces_take(host->approximate, chunk, &part, &host->result.hits,
                                     candidates, error));
        if (candidates->count > CANDIDATES_MAX && *to - from > 1) {
            candidates->count = 0;
            *to = from + (*to - from) / 2;
            return by_pieces(host, chunk, from, to, candidates, error);
        }
    }
    return TRAWL_OK;
}

/* ---- Planes and columns -------------------------------------------------------------------- */

/* The symbols that are compared: of edits the last ones, which an end is known by. */
static struct filter_literal part_of(const struct approximate *approximate, uint32_t literal)
{
    const uint64_t *begin = approximate->symbol_begin + literal;
    uint64_t count = min_u64(begin[1] - begin[0], FILTER_SYMBOLS_MAX);
    uint64_t first = approximate->edits ? begin[1] - count : begin[0];
    struct filter_literal part = {.classes = approximate->symbols + first,
                                  .count = (uint32_t)count,
                                  .errors_max = approximate->errors_max};

    for (uint64_t i = 0; i < count; i++)
        if ((approximate->exact[first + i] & APPROX_EXACT_SYMBOL) != 0)
            part.exact |= UINT64_C(1) << i;
    return part;
}

/* A candidate of each bit, `shift` after its place; bits of ends that follow each other make one.
 */
static enum trawl_status take_bits(const uint64_t *found, uint64_t words, uint64_t count,
                                   uint32_t literal, int64_t shift,
                                   struct approx_candidates *candidates, bool edits,
                                   struct trawl_error *error)
{
    TRAWL_TRY(approx_candidates_reserve(candidates, count, error));
    for (uint64_t w = 0; w < words; w++)
        for (uint64_t bits = found[w]; bits != 0; bits &= bits - 1) {
            int64_t place = shift + (int64_t)(64 * w) + __builtin_ctzll(bits);
            struct approx_candidate *last =
                candidates->count > 0 ? &candidates->items[candidates->count - 1] : NULL;

            if (edits && last != NULL && last->literal == literal &&
                last->place + last->reach + 1 == place)
                last->reach++;
            else
                candidates->items[candidates->count++] =
                    (struct approx_candidate){place, literal, 0};
        }
    return TRAWL_OK;
}

/* The bytes from `from` on that a tile looks at, with room to load beyond them. */
static const uint8_t *tile_text(struct approx_host *host, const struct engine_chunk *chunk,
                                uint64_t from, uint64_t bytes)
{
    TRAWL_ASSERT(bytes <= TILE_BYTES_MAX);
    if (chunk->owned + chunk->readable - from >= bytes + FILTER_SLACK)
        return chunk->bytes + from;
    memcpy(host->text, chunk->bytes + from, (size_t)bytes);
    memset(host->text + bytes, 0, FILTER_SLACK);
    return host->text;
}

static enum trawl_status by_filter(struct approx_host *host, const struct engine_chunk *chunk,
                                   uint64_t from, uint64_t *to,
                                   struct approx_candidates *candidates, struct trawl_error *error)
{
    const struct approximate *approximate = host->approximate;
    const bool edits = approximate->edits;
    uint64_t places, bytes;
    const uint8_t *text;

    *to = min_u64(*to, from + FILTER_PLACES_MAX);
    places = *to - from;
    bytes = min_u64(chunk->owned + chunk->after - from,
                    places + FILTER_SYMBOLS_MAX + (edits ? TRAWL_ERRORS_MAX : 0));
    text = tile_text(host, chunk, from, bytes);
    if (!edits) {
        host->tile.planes_room = FILTER_PLANE_WORDS;
        host->filter->planes(approximate->classes, approximate->class_count, text, bytes,
                             &host->tile);
    }
    for (uint32_t i = 0; i < approximate->plan->literal_count; i++) {
        struct filter_literal part = part_of(approximate, i);
        uint64_t count =
            edits ? host->filter->edits(approximate->classes, &part, text, bytes, host->found)
                  : host->filter->mismatches(&host->tile, &part, places, host->found);

        if (count == 0)
            continue;
        TRAWL_TRY(take_bits(host->found, ((edits ? bytes : places) + 63) / 64, count, i,
                            (int64_t)from + (edits ? 1 : 0), candidates, edits, error));
        if (candidates->count > CANDIDATES_MAX && places > 1) {
            candidates->count = 0;
            *to = from + places / 2;
            return by_filter(host, chunk, from, to, candidates, error);
        }
    }
    return TRAWL_OK;
}

/* ---- All ----------------------------------------------------------------------------------- */

static enum trawl_status all(const struct approximate *approximate, uint64_t from, uint64_t *to,
                             struct approx_candidates *candidates, struct trawl_error *error)
{
    const uint64_t literals = approximate->plan->literal_count;
    uint32_t reach = 0;

    TRAWL_ASSERT(literals > 0);
    *to = min_u64(*to, from + max_u64(CANDIDATES_MAX / literals, 1));
    if (approximate->edits)
        reach = (uint32_t)(*to - from + approximate->plan->length_max);
    TRAWL_TRY(approx_candidates_reserve(
        candidates, approximate->edits ? literals : literals * (*to - from), error));
    for (uint32_t i = 0; i < literals; i++)
        for (uint64_t place = from; place < (approximate->edits ? from + 1 : *to); place++)
            candidates->items[candidates->count++] =
                (struct approx_candidate){(int64_t)place, i, reach};
    return TRAWL_OK;
}

enum trawl_status approx_host_candidates(struct approx_host *host, const struct engine_chunk *chunk,
                                         uint64_t from, uint64_t *to,
                                         struct approx_candidates *candidates,
                                         struct trawl_error *error)
{
    TRAWL_ASSERT(candidates->count == 0 && from < *to && *to <= chunk->owned);
    switch (host->approximate->method) {
    case APPROX_PIECES:
        return by_pieces(host, chunk, from, to, candidates, error);
    case APPROX_PLANES:
    case APPROX_COLUMNS:
        return by_filter(host, chunk, from, to, candidates, error);
    case APPROX_ALL:
    case APPROX_METHODS:
        break;
    }
    return all(host->approximate, from, to, candidates, error);
}
