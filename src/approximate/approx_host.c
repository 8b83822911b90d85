/* approx_host: finds candidates on the host, by the plan's method. A stretch is the part of a text
 * that is searched at a time. */
#include "approximate/approx_host.h"

#include <string.h>

#include "approximate/approx_choose.h"
#include "approximate/approx_filter.h"
#include "approximate/filter_ops.h"
#include "approximate/approx_pieces.h"
#include "approximate/scope.h"
#include "base/checked.h"
#include "base/memory.h"

uint64_t approx_beyond_min = APPROX_BEYOND_MIN;

struct approx_host {
    struct refiner *refiner; /* its prefilter searches for the pieces */
    const struct approximate *approximate;
    struct approx_scan *scan; /* with FILTER: a scan with the plan's filter */
    const struct filter_ops *ops;
    struct grams_stretch stretch;
    /* with GRAMS: the candidates in a part of the stretch, proposed_room words */
    uint64_t *proposed;
    uint64_t proposed_room;
    struct contest contest; /* whether PIECES suits the text, if method_dense differs */
    uint64_t found[FILTER_BYTES_MAX / 64];
    /* a copy of the stretch's text, for when too few bytes after it are readable */
    uint8_t text[FILTER_BYTES_MAX + FILTER_SLACK];
};

enum trawl_status approx_host_open(struct refiner *refiner, struct approx_host **host,
                                   struct trawl_error *error)
{
    TRAWL_TRY(MEMORY_ZEROED(*host, 1, error));
    (*host)->refiner = refiner;
    (*host)->ops = filter_ops_by_name(engine_cpu.instruction_set(refiner->engine));
    return TRAWL_OK;
}

void approx_host_close(struct approx_host *host)
{
    if (host == NULL)
        return;
    approx_scan_close(host->scan);
    memory_release(host->proposed, host->proposed_room, sizeof *host->proposed);
    memory_release(host, 1, sizeof *host);
}

enum trawl_status approx_host_begin(struct approx_host *host, const struct approximate *approximate,
                                    struct trawl_error *error)
{
    host->approximate = approximate;
    approx_contest_begin(&host->contest, approximate);
    approx_scan_close(host->scan);
    host->scan = NULL;
    if (approx_needs_pieces(approximate))
        TRAWL_TRY(refine_prefilter_with(host->refiner, approximate->pieces, error));
    if (approximate->method_dense == APPROX_GRAMS)
        return MEMORY_ROOM(host->proposed, host->proposed_room,
                           approx_grams_room(approximate->grams), error);
    return TRAWL_OK;
}

/* ---- Grams --------------------------------------------------------------------------------- */

static enum trawl_status take_proposed(const struct approx_host *host, uint64_t from,
                                       uint64_t count, struct approx_candidates *candidates,
                                       struct trawl_error *error)
{
    TRAWL_ASSERT(count <= host->proposed_room);
    TRAWL_TRY(approx_candidates_reserve(candidates, count, error));
    for (uint64_t i = 0; i < count; i++)
        candidates->items[candidates->count++] =
            approx_candidate_at(host->approximate, (uint32_t)(host->proposed[i] >> 32),
                                (int64_t)(from + (uint32_t)host->proposed[i]) - GRAMS_BITS_BEFORE);
    return TRAWL_OK;
}

/* Returns a pointer to `bytes` bytes of the chunk beginning at `from`, followed by FILTER_SLACK
 * readable bytes. */
static const uint8_t *stretch_text(struct approx_host *host, const struct engine_chunk *chunk,
                                   uint64_t from, uint64_t bytes)
{
    TRAWL_ASSERT(bytes > 0 && from + bytes <= chunk->owned + chunk->after);
    if (chunk->owned + chunk->readable - from >= bytes + FILTER_SLACK)
        return chunk->bytes + from;
    memcpy(host->text, chunk->bytes + from, (size_t)bytes);
    memset(host->text + bytes, 0, FILTER_SLACK);
    return host->text;
}

static enum trawl_status by_grams(struct approx_host *host, const struct engine_chunk *chunk,
                                  uint64_t from, uint64_t *to, struct approx_candidates *candidates,
                                  struct trawl_error *error)
{
    const struct approximate *approximate = host->approximate;
    const uint64_t beyond =
        CODED_SYMBOLS_MAX + (approximate->edits ? 2 * (uint64_t)approximate->errors_max : 0);
    uint64_t bytes;

    *to = min_u64(*to, from + GRAMS_OFFSETS_MAX);
    bytes = min_u64(chunk->owned + chunk->after - from, *to - from + beyond);
    TRAWL_ASSERT(*to > from && bytes >= *to - from);
    approx_grams_stretch(approximate->grams, host->ops, stretch_text(host, chunk, from, bytes),
                         (uint32_t)bytes, (uint32_t)(*to - from), &host->stretch);
    while (host->stretch.offset < host->stretch.end) {
        uint64_t count = host->ops->grams(approximate->grams, &host->stretch, host->proposed,
                                          host->proposed_room);

        TRAWL_TRY(take_proposed(host, from, count, candidates, error));
        if (candidates->count > approx_candidates_max && *to - from > 1) {
            candidates->count = 0;
            *to = from + (*to - from) / 2;
            return by_grams(host, chunk, from, to, candidates, error);
        }
    }
    return TRAWL_OK;
}

/* ---- Filter -------------------------------------------------------------------------------- */

/* Appends the literal's candidates, which are bits of host->found. Bit i is for offset from + i of
 * the chunk. Skips the first `known` offsets, which are searched only because later candidates
 * depend on their bytes. With edits, consecutive ends become one candidate. */
static enum trawl_status take_bits(const struct approx_host *host, uint64_t from, uint64_t known,
                                   uint64_t offsets, uint32_t literal, uint64_t count,
                                   struct approx_candidates *candidates, struct trawl_error *error)
{
    const bool edits = host->approximate->edits;

    TRAWL_ASSERT(known <= offsets);
    TRAWL_TRY(approx_candidates_reserve(candidates, count, error));
    for (uint64_t w = 0; w < (offsets + 63) / 64; w++)
        for (uint64_t bits = host->found[w]; bits != 0; bits &= bits - 1) {
            uint64_t at = 64 * w + (uint64_t)__builtin_ctzll(bits);
            /* with edits, `at` is the last byte of an occurrence, which ends at at + 1 */
            int64_t offset = (int64_t)(from + at + edits);
            struct approx_candidate *last =
                candidates->count > 0 ? &candidates->items[candidates->count - 1] : NULL;

            if (at < known || at >= offsets)
                continue;
            if (edits && last != NULL && last->literal == literal &&
                last->offset + last->reach + 1 == offset)
                last->reach++;
            else
                candidates->items[candidates->count++] =
                    (struct approx_candidate){offset, literal, 0};
        }
    return TRAWL_OK;
}

/* Searches the chunk's bytes [from, end), and appends the candidates at offsets in [known, to).
 * Ends early if there are more than `limit` candidates. */
static enum trawl_status search_stretch(struct approx_host *host, const struct engine_chunk *chunk,
                                        uint64_t from, uint64_t known, uint64_t to, uint64_t end,
                                        uint64_t limit, struct approx_candidates *candidates,
                                        struct trawl_error *error)
{
    approx_scan_set_text(host->scan, stretch_text(host, chunk, from, end - from),
                         (uint32_t)(end - from));
    for (uint32_t i = 0; i < host->approximate->plan->literal_count && candidates->count <= limit;
         i++) {
        uint64_t count = approx_scan_find(host->scan, i, host->found);

        if (count > 0)
            TRAWL_TRY(take_bits(host, from, known - from, to - from, i, count, candidates, error));
    }
    return TRAWL_OK;
}

/* Searches by the filter, stretch by stretch. A stretch overlaps its neighbour: with mismatches, by
 * the longest literal after its last start; with edits, by the longest span within the errors
 * before its first end. With edits, also searches the ends after *to that occurrences beginning
 * before *to can reach. If there are too many candidates, halves [from, *to) and starts again. */
static enum trawl_status by_filter(struct approx_host *host, const struct engine_chunk *chunk,
                                   uint64_t from, uint64_t *to,
                                   struct approx_candidates *candidates, struct trawl_error *error)
{
    const struct approximate *approximate = host->approximate;
    const uint64_t bytes_max = approx_filter_bytes_max(approximate->filter);
    const uint64_t more = FILTER_SYMBOLS_MAX + (approximate->edits ? TRAWL_ERRORS_MAX : 0);
    const uint64_t chunk_end = chunk->owned + chunk->after;
    const uint64_t limit = *to - from > 1 ? approx_candidates_max : UINT64_MAX;
    uint64_t offsets_end = *to;

    if (host->scan == NULL)
        TRAWL_TRY(approx_scan_open(approximate->filter, host->ops, &host->scan, error));
    if (approximate->edits)
        offsets_end = min_u64(*to + approximate->plan->need_after, chunk_end);
    for (uint64_t at = from; at < offsets_end;) {
        uint64_t first = approximate->edits ? max_u64(at, from + more) - more : at;
        uint64_t next = min_u64(offsets_end, first + bytes_max - (approximate->edits ? 0 : more));
        uint64_t end = approximate->edits ? next : min_u64(next + more, chunk_end);

        TRAWL_ASSERT(first <= at && at < next && next <= end && end - first <= bytes_max);
        if (engine_call_is_over(chunk->call))
            return TRAWL_STOPPED;
        TRAWL_TRY(search_stretch(host, chunk, first, at, next, end, limit, candidates, error));
        if (candidates->count > limit) {
            candidates->count = 0;
            *to = from + (*to - from) / 2;
            return by_filter(host, chunk, from, to, candidates, error);
        }
        at = next;
    }
    return TRAWL_OK;
}

/* ---- Steps ------------------------------------------------------------------------------- */

/* Returns the method of a step, which searches the starts in [from, *to). Some methods cannot
 * search all texts: with the alphabet TRAWL_CHARACTERS, GRAMS and FILTER compare bytes and so need
 * ASCII; with TRAWL_DNA, PIECES finds T only where the text has no U. Such a method searches if the
 * text allows it as far as the step's occurrences may reach. Otherwise *to is lowered: the step
 * ends where its occurrences cannot reach the first byte that the method cannot compare, or if that
 * is near, shortly after it, and another method searches. */
static enum approx_method method_of(struct approx_host *host, const struct engine_chunk *chunk,
                                    uint64_t from, uint64_t *to)
{
    const struct approximate *approximate = host->approximate;
    const enum approx_method method = (enum approx_method)host->contest.now;
    const bool dna = approximate->plan->errors.alphabet == TRAWL_DNA;
    const enum approx_method other = dna ? approximate->method_dense : APPROX_PIECES;
    const uint64_t reach = approximate->plan->length_max / (dna ? 1 : CHARACTER_BYTES);
    /* U is usual in RNA; in most texts, only single characters are not ASCII */
    const uint64_t beyond = approx_beyond_min << (dna ? 8 : 0);
    uint64_t first, end;

    if (!contest_is_decided(&host->contest))
        *to = min_u64(*to, from + contest_piece(&host->contest));
    if (approximate->plan->errors.alphabet == TRAWL_BYTES || method == other)
        return method;
    end = min_u64(*to + reach, chunk->owned + chunk->after);
    first = (dna ? scope_find_u : scope_ascii_end)(chunk->bytes, from, end);
    if (first == end)
        return method;
    if (first > from + reach + beyond) {
        *to = min_u64(*to, first - reach);
        return method;
    }
    *to = min_u64(*to, max_u64(first + 1, from + beyond));
    return other;
}

/* Counts a step in the contest, with its expected time. If another method continues, reports that
 * change to the call. */
static void count_step(struct approx_host *host, const struct engine_chunk *chunk,
                       enum approx_method method, uint64_t from, uint64_t to, uint64_t count)
{
    const struct approximate *approximate = host->approximate;
    const double bytes = (double)(to - from);
    const double ns = method != APPROX_PIECES ? approximate->dense_ns * bytes
                                              : approximate->pieces_ns * bytes +
                                                    approximate->candidate_ns * (double)count;
    struct contest_change change;

    if (!contest_is_decided(&host->contest) && method == host->contest.now &&
        contest_count(&host->contest, to - from, 0, (uint64_t)ns, true, chunk->owned - to, &change))
        engine_changed(chunk, to, approx_method_name(change.from), change.from_ns,
                       approx_method_name(change.to), change.to_ns, change.why);
}

enum trawl_status approx_host_candidates(struct approx_host *host, const struct engine_chunk *chunk,
                                         uint64_t from, uint64_t *to,
                                         struct approx_candidates *candidates,
                                         struct trawl_error *error)
{
    enum approx_method method;

    TRAWL_ASSERT(candidates->count == 0 && from < *to && *to <= chunk->owned);
    method = method_of(host, chunk, from, to);
    switch (method) {
    case APPROX_GRAMS:
        TRAWL_TRY(by_grams(host, chunk, from, to, candidates, error));
        break;
    case APPROX_FILTER:
        TRAWL_TRY(by_filter(host, chunk, from, to, candidates, error));
        break;
    default:
        TRAWL_TRY(approx_pieces_search(host->refiner, host->approximate, chunk, from, to,
                                       candidates, error));
    }
    count_step(host, chunk, method, from, *to, candidates->count);
    return TRAWL_OK;
}
