/* approx_verify: decides which candidates are occurrences, following the rules in
 * docs/approximate.md.
 *
 * A span (substring) lies in a scope: the text, or a record of the text. With TRAWL_WITHIN_LINES,
 * it lies in a single line of the scope. A call checks a range of ends of spans. The symbols of the
 * scope on which these ends depend become the places of a struct approx_pair, by which distance.h
 * compares the literal with them. A span has at most m + k symbols, where m is the literal's number
 * of symbols, so text further to the left affects no distance up to k; and the result for an end
 * depends on at most m + k later ends. So it does not matter how the ends are divided among calls.
 */
#include "approximate/approx_verify.h"

#include <string.h>

#include "approximate/distance.h"
#include "approximate/scope.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"

/* how many ends after the last end of a call have their distances computed at a time */
#define AHEAD 64
/* once per this many ends that were found, asks whether the call was cancelled */
#define POLL_EVERY 64u

int64_t approx_ends_min = APPROX_ENDS_MIN;

struct approx_verifier {
    struct approx_pair pair;
    struct approx_scope scope;
    /* These members are set if symbols are characters and the places are not ASCII: the `count`
     * characters at the current places, the offset at which each character begins, and after these,
     * the offset at which the last one ends. */
    uint32_t *characters; /* owned, like `offsets` */
    int64_t *offsets;
    uint64_t count;
    uint64_t character_room, offset_room;
    /* The distances of the ends [known_begin, known_end), already computed: */
    int64_t known_begin;
    int64_t known_end;
    uint8_t known[DISTANCE_ENDS_MAX];
};

enum trawl_status approx_verifier_open(const struct approximate *approximate,
                                       struct approx_verifier **verifier, struct trawl_error *error)
{
    TRAWL_TRY(MEMORY_ZEROED(*verifier, 1, error));
    (*verifier)->scope.plan = approximate->plan;
    pair_begin(&(*verifier)->pair, approximate);
    return TRAWL_OK;
}

void approx_verifier_close(struct approx_verifier *verifier)
{
    if (verifier == NULL)
        return;
    memory_release(verifier->characters, verifier->character_room, sizeof *verifier->characters);
    memory_release(verifier->offsets, verifier->offset_room, sizeof *verifier->offsets);
    memory_release(verifier, 1, sizeof *verifier);
}

void approx_verifier_begin(struct approx_verifier *verifier, const struct engine_chunk *chunk)
{
    verifier->scope.chunk = chunk;
    verifier->scope.record = 0;
    verifier->scope.ascii_begin = verifier->scope.ascii_end = 0;
}

/* ---- Stretches, places ----------------------------------------------------------------------- */

/* Narrows [*from, *to) to the line that contains `byte`: from after the last line end before the
 * byte, to the first line end at or after it. If a line end is a byte inside a character, the
 * boundary moves so that no character is cut. */
static void cut_at_lines(const struct approx_verifier *verifier, int64_t byte, int64_t *from,
                         int64_t *to)
{
    const struct trawl_plan *plan = verifier->scope.plan;
    const uint8_t *bytes = verifier->scope.chunk->bytes;
    int64_t begin = *from, end = byte;

    for (int i = 0; i < 2 && begin < byte; i++) {
        const uint8_t *found = memrchr(bytes + begin, i == 0 ? plan->line_end : plan->line_end_also,
                                       (size_t)(byte - begin));

        begin = found != NULL ? found - bytes + 1 : begin;
    }
    if (end < *to)
        end += (int64_t)bytes_find_either(bytes + end, (uint64_t)(*to - end), plan->line_end,
                                          plan->line_end_also);
    while (begin < end && scope_symbol_begin(&verifier->scope, begin) < begin)
        begin++;
    *from = begin;
    *to = end < *to ? max_i64(begin, scope_symbol_begin(&verifier->scope, end)) : end;
    TRAWL_ASSERT(*from <= *to);
}

/* Makes bytes [from, to) the current places (the symbols that the pair compares). If symbols are
 * characters, only those that begin before `inner`, and at most `more` characters after `inner`,
 * become places. If all of these are ASCII, the places are their bytes. */
static enum trawl_status places_open(struct approx_verifier *verifier, int64_t from, int64_t to,
                                     int64_t inner, int64_t more, struct trawl_error *error)
{
    struct approx_pair *pair = &verifier->pair;
    const uint8_t *bytes = verifier->scope.chunk->bytes;
    uint64_t max;

    TRAWL_ASSERT(from <= to);
    verifier->known_begin = verifier->known_end = INT64_MIN;
    max = (uint64_t)min_i64(to - from, max_i64(inner - from, 0) + more);
    if (!scope_has_characters(&verifier->scope) ||
        scope_is_ascii(&verifier->scope, from, from + (int64_t)max)) {
        if (scope_has_characters(&verifier->scope))
            to = from + (int64_t)max;
        pair_set_text(pair, bytes, NULL, from, to);
        return TRAWL_OK;
    }
    TRAWL_TRY(MEMORY_ROOM(verifier->characters, verifier->character_room, max + 1, error));
    TRAWL_TRY(MEMORY_ROOM(verifier->offsets, verifier->offset_room, max + 1, error));
    verifier->count = 0;
    while (from < to && (from < inner || more-- > 0)) {
        TRAWL_ASSERT(verifier->count < max);
        verifier->offsets[verifier->count] = from;
        from += scope_symbol(&verifier->scope, from, &verifier->characters[verifier->count++]);
    }
    verifier->offsets[verifier->count] = from;
    pair_set_text(pair, bytes, verifier->characters, 0, (int64_t)verifier->count);
    return TRAWL_OK;
}

static int64_t byte_of(const struct approx_verifier *verifier, int64_t place)
{
    if (verifier->pair.characters == NULL)
        return place;
    TRAWL_ASSERT(place >= 0 && (uint64_t)place <= verifier->count);
    return verifier->offsets[place];
}

/* Returns the first place that begins at or after the byte. If all places begin before it, returns
 * the number of places, or one more if the last place also ends before the byte. */
static int64_t place_of(const struct approx_verifier *verifier, int64_t byte)
{
    uint64_t low = 0, high = verifier->count + 1;

    if (verifier->pair.characters == NULL)
        return byte;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (verifier->offsets[middle] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return (int64_t)low;
}

/* ---- Hits ---------------------------------------------------------------------------------- */

static bool accepts_begin(const struct approx_verifier *verifier, int64_t begin)
{
    return plan_accepts_begin(verifier->scope.plan,
                              verifier->scope.chunk->bytes + verifier->scope.begin,
                              (uint64_t)(begin - verifier->scope.begin), 0);
}

static bool accepts_end(const struct approx_verifier *verifier, int64_t end)
{
    return plan_accepts_end(verifier->scope.plan,
                            verifier->scope.chunk->bytes + verifier->scope.begin,
                            (uint64_t)(end - verifier->scope.begin),
                            (uint64_t)(verifier->scope.end - verifier->scope.begin));
}

static enum trawl_status append(const struct approx_verifier *verifier, int64_t begin, int64_t end,
                                uint32_t distance, struct hits *hits, struct trawl_error *error)
{
    TRAWL_ASSERT(begin >= 0 && (uint64_t)begin < verifier->scope.chunk->owned && begin < end);
    TRAWL_TRY(hits_reserve_lengths(hits, 1, error));
    hits->items[hits->count] = (struct hit){(uint32_t)begin, verifier->pair.literal};
    hits->lengths[hits->count++] = (uint64_t)(end - begin) | (uint64_t)distance
                                                                 << HITS_DISTANCE_SHIFT;
    hits->lengths_valid = true;
    return TRAWL_OK;
}

static bool is_owned(const struct approx_verifier *verifier, int64_t begin)
{
    return begin >= 0 && (uint64_t)begin < verifier->scope.chunk->owned;
}

void approx_verifier_fetch(const struct approx_verifier *verifier, int64_t place)
{
    const struct engine_chunk *chunk = verifier->scope.chunk;

    if (place >= 0 && (uint64_t)place < chunk->owned + chunk->after)
        __builtin_prefetch(chunk->bytes + place);
}

enum trawl_status approx_verify_begin(struct approx_verifier *verifier, uint32_t literal,
                                      int64_t begin, struct hits *hits, struct trawl_error *error)
{
    struct approx_pair *pair = &verifier->pair;
    int64_t from = begin, to, place, end;
    uint32_t mismatches;

    if (!is_owned(verifier, begin) || !scope_find(&verifier->scope, begin) ||
        scope_symbol_begin(&verifier->scope, begin) < begin)
        return TRAWL_OK;
    pair_literal(pair, literal);
    to = verifier->scope.end;
    TRAWL_TRY(places_open(verifier, from, to, from, pair->count, error));
    place = pair->begin;
    if (pair->end - place < pair->count)
        return TRAWL_OK;
    mismatches = pair_mismatches(pair, place);
    if (mismatches > pair->approximate->errors_max)
        return TRAWL_OK;
    end = byte_of(verifier, place + pair->count);
    to = end;
    if ((verifier->scope.plan->flags & TRAWL_WITHIN_LINES) != 0)
        cut_at_lines(verifier, begin, &from, &to);
    if (to < end || !accepts_begin(verifier, begin) || !accepts_end(verifier, end))
        return TRAWL_OK;
    return append(verifier, begin, end, mismatches, hits, error);
}

/* ---- Ends of spans within some edits ------------------------------------------------------- */

/* Returns the smallest distance of the spans that end at place `end`, are within `max` edits and
 * meet the plan's conditions for starts and ends; most + 1 if there is no such span. Sets *begin to
 * where the span with the smallest distance begins. */
static uint32_t best_span(struct approx_verifier *verifier, int64_t end, uint32_t max,
                          int64_t *begin)
{
    const bool conditions = plan_has_conditions(verifier->scope.plan);
    struct approx_pair *pair = &verifier->pair;
    uint8_t costs[DISTANCE_SPANS];
    uint32_t best = max + 1;

    if (conditions && !accepts_end(verifier, byte_of(verifier, end)))
        return best;
    pair_spans(pair, end, max, costs);
    /* try spans with 0, 1, -1, 2, -2, ... symbols more than the literal, so that of equal costs the
     * one with the span nearest in length to the literal wins */
    for (uint32_t i = 0; i <= 2 * max; i++) {
        int64_t more = i % 2 == 1 ? (int64_t)i / 2 + 1 : -(int64_t)(i / 2);
        uint32_t cost = costs[max + more];
        int64_t place = end - pair->count - more;

        if (cost < best && (!conditions || accepts_begin(verifier, byte_of(verifier, place)))) {
            best = cost;
            *begin = place;
        }
    }
    return best;
}

/* Returns the smallest distance of the spans that end at `end` and that the plan accepts; k + 1 if
 * none is within k errors. Ends must ascend from call to call. `to` is the last end of the search;
 * after ends with equal distances, the caller also needs the distances of some ends after `to`. */
static uint32_t distance_at(struct approx_verifier *verifier, int64_t end, int64_t to)
{
    struct approx_pair *pair = &verifier->pair;
    const uint32_t k = pair->approximate->errors_max;
    int64_t begin;

    if (end <= pair->begin)
        return k + 1;
    TRAWL_ASSERT(end <= pair->end && end >= verifier->known_begin);
    if (end >= verifier->known_end) {
        int64_t last = end <= to + 1 ? to + 1 : end + AHEAD - 1;

        last = min_i64(min_i64(last, pair->end), end + (int64_t)DISTANCE_ENDS_MAX - 1);
        pair_distances(pair, end, last, verifier->known);
        verifier->known_begin = end;
        verifier->known_end = last + 1;
        if (plan_has_conditions(verifier->scope.plan))
            for (int64_t i = end; i <= last; i++)
                if (verifier->known[i - end] <= k)
                    verifier->known[i - end] = (uint8_t)best_span(verifier, i, k, &begin);
    }
    return verifier->known[end - verifier->known_begin];
}

static enum trawl_status append_end(struct approx_verifier *verifier, int64_t end,
                                    uint32_t distance, int64_t begin_min, struct hits *hits,
                                    struct trawl_error *error)
{
    int64_t begin = end - verifier->pair.count;

    if (distance > 0)
        (void)best_span(verifier, end, distance, &begin);
    begin = byte_of(verifier, begin);
    if (begin < begin_min || !is_owned(verifier, begin))
        return TRAWL_OK;
    return append(verifier, begin, byte_of(verifier, end), distance, hits, error);
}

/* Appends the occurrences that end at places in [from, to], except those that begin before
 * begin_min or outside the chunk's own bytes, [0, owned). */
static enum trawl_status append_ends(struct approx_verifier *verifier, int64_t from, int64_t to,
                                     int64_t begin_min, struct hits *hits,
                                     struct trawl_error *error)
{
    const struct approx_pair *pair = &verifier->pair;
    const int64_t k = pair->approximate->errors_max, reach = pair->count + k;
    const bool every = (verifier->scope.plan->flags & TRAWL_EVERY_END) != 0;
    uint32_t before = every ? 0 : distance_at(verifier, from - 1, to), appended = 0;

    for (int64_t end = from, run; end <= to; end += run) {
        uint32_t distance = distance_at(verifier, end, to), next = distance;
        bool found = distance <= k && (every || distance < before);

        run = 1;
        /* of several adjacent ends with the same distance, only the first can be an occurrence, and
         * only if the end after the last of them does not have a smaller distance */
        if (found && !every) {
            while (run <= reach && end + run <= pair->end &&
                   (next = distance_at(verifier, end + run, to)) == distance)
                run++;
            found = next >= distance;
        }
        if (found && appended++ % POLL_EVERY == 0 &&
            engine_call_is_over(verifier->scope.chunk->call))
            return TRAWL_STOPPED;
        if (found)
            TRAWL_TRY(append_end(verifier, end, distance, begin_min, hits, error));
        before = distance;
    }
    return TRAWL_OK;
}

/* Appends the occurrences that end in bytes [from, to] and lie in bytes [begin, end): the scope, or
 * a line of it. */
static enum trawl_status verify_stretch(struct approx_verifier *verifier, int64_t begin,
                                        int64_t end, int64_t from, int64_t to, int64_t begin_min,
                                        struct hits *hits, struct trawl_error *error)
{
    const int64_t reach = verifier->pair.count + verifier->pair.approximate->errors_max;
    int64_t low = max_i64(begin, from - reach - 1);

    if (scope_has_characters(&verifier->scope) && !scope_is_ascii(&verifier->scope, low, from)) {
        low = from;
        for (int64_t i = 0; i <= reach && low > begin; i++)
            low = scope_symbol_begin(&verifier->scope, low - 1);
    }
    TRAWL_TRY(places_open(verifier, low, end, to, reach, error));
    from = place_of(verifier, from);
    to = place_of(verifier, to + 1) - 1;
    return from > to ? TRAWL_OK : append_ends(verifier, from, to, begin_min, hits, error);
}

enum trawl_status approx_verify_ends(struct approx_verifier *verifier, uint32_t literal,
                                     int64_t from, int64_t to, uint64_t begin_min,
                                     struct hits *hits, struct trawl_error *error)
{
    const struct engine_chunk *chunk = verifier->scope.chunk;
    int64_t reach;

    pair_literal(&verifier->pair, literal);
    reach = verifier->pair.count + verifier->pair.approximate->errors_max;
    if (scope_has_characters(&verifier->scope))
        reach *= CHARACTER_BYTES;
    from = max_i64(from, (int64_t)begin_min + 1);
    to = min_i64(to, (int64_t)chunk->owned - 1 + reach);
    while (from <= to && scope_find(&verifier->scope, from - 1)) {
        int64_t last = min_i64(to, from + max_i64(reach, approx_ends_min) - 1);
        int64_t begin = verifier->scope.begin, end = verifier->scope.end;

        if ((verifier->scope.plan->flags & TRAWL_WITHIN_LINES) != 0) {
            begin = max_i64(begin, from - reach - 2 * CHARACTER_BYTES);
            end = min_i64(end, last + reach);
            cut_at_lines(verifier, from - 1, &begin, &end);
        }
        last = min_i64(last, max_i64(end, from));
        if (engine_call_is_over(chunk->call))
            return TRAWL_STOPPED;
        if (end >= from)
            TRAWL_TRY(
                verify_stretch(verifier, begin, end, from, last, (int64_t)begin_min, hits, error));
        from = last + 1;
    }
    return TRAWL_OK;
}
