/* sink: implements the sinks that need only the text and the occurrences. `digest` functions run in
 * the thread that searched the chunk, `deliver` functions in the calling thread. */
#include "match/sink.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"

/* a window's digest computes line numbers only if it has at least this many bytes per match */
#define LINE_NUMBER_BYTES 512u

uint64_t pattern_slots_min = PATTERN_SLOTS_MIN;

static bool deliver_count(struct sink *sink, const struct sink_chunk *chunk,
                          const struct sink_digest *digest)
{
    (void)digest;
    sink->count += chunk->count;
    return true;
}

void sink_count(struct sink *sink)
{
    *sink = (struct sink){
        .want = WANT_COUNT, .in_place = true, .form = ANSWER_OF_COUNT, .deliver = deliver_count};
}

static bool deliver_first(struct sink *sink, const struct sink_chunk *chunk,
                          const struct sink_digest *digest)
{
    (void)digest;
    if (chunk->match_count == 0)
        return true;
    TRAWL_ASSERT(chunk->matches[0].begin >= chunk->begin);
    TRAWL_ASSERT(chunk->matches[0].begin < chunk->begin + chunk->owned);
    sink->first = chunk->matches[0];
    sink->found = true;
    return false;
}

void sink_first(struct sink *sink)
{
    *sink = (struct sink){
        .want = WANT_FIRST, .as_matches = true, .in_place = true, .deliver = deliver_first};
}

static bool deliver_positions(struct sink *sink, const struct sink_chunk *chunk,
                              const struct sink_digest *digest)
{
    (void)digest;
    TRAWL_ASSERT(chunk->match_count == 0 || chunk->matches[0].begin >= chunk->begin);
    TRAWL_ASSERT(chunk->match_count == 0 ||
                 chunk->matches[chunk->match_count - 1].begin < chunk->begin + chunk->owned);
    sink->count += chunk->match_count;
    return chunk->match_count == 0 ||
           sink->match_sink(sink->context, chunk->matches, chunk->match_count) == 0;
}

void sink_positions(struct sink *sink, trawl_match_sink function, void *context)
{
    *sink = (struct sink){.want = WANT_HITS,
                          .as_matches = true,
                          .in_place = true,
                          .in_parts = true,
                          .deliver = deliver_positions,
                          .match_sink = function,
                          .context = context};
}

static bool deliver_begins_into(struct sink *sink, const struct sink_chunk *chunk,
                                const struct sink_digest *digest)
{
    uint64_t left = sink->begins_max - min_u64(sink->begins_max, sink->count);
    uint64_t base = chunk->begin - chunk->hits_base;

    (void)digest;
    TRAWL_ASSERT(chunk->hit_count == 0 || chunk->hits[0].offset >= chunk->hits_base);
    for (uint64_t i = 0; i < min_u64(left, chunk->hit_count); i++)
        sink->begins[sink->count + i] = base + chunk->hits[i].offset;
    sink->count += chunk->hit_count;
    return true;
}

void sink_begins_into(struct sink *sink, uint64_t *begins, uint64_t begins_max)
{
    *sink = (struct sink){.want = WANT_HITS,
                          .in_place = true,
                          .deliver = deliver_begins_into,
                          .begins = begins,
                          .begins_max = begins_max};
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* Returns the number of line ends; sets *has_null to true if there is a NUL. */
static uint64_t count_line_ends(const struct sink *sink, const uint8_t *bytes, uint64_t count,
                                bool *has_null)
{
    uint64_t ends = bytes_count_value(bytes, count, sink->line_end, has_null);

    if (sink->line_end != sink->line_end_also)
        ends += bytes_count_value(bytes, count, sink->line_end_also, has_null);
    return ends;
}

/* Returns the first line end at or after `from`; chunk->owned if there is none. */
static uint64_t line_end_from(const struct sink *sink, const struct sink_chunk *chunk,
                              uint64_t from)
{
    TRAWL_ASSERT(from <= chunk->owned);
    return from + bytes_find_either(chunk->bytes + from, chunk->owned - from, sink->line_end,
                                    sink->line_end_also);
}

static uint64_t hit_place(const struct sink_chunk *chunk, uint64_t i)
{
    TRAWL_ASSERT(i < chunk->hit_count && chunk->hits[i].offset >= chunk->hits_base);
    return chunk->hits[i].offset - chunk->hits_base;
}

/* Counts the lines that end in this chunk and have a hit, beginning with hit i, the first one after
 * the chunk's first line end. Sets *open_hit if there is a hit after the chunk's last line end. */
static uint64_t count_ended(const struct sink *sink, const struct sink_chunk *chunk, uint64_t i,
                            bool *open_hit)
{
    uint64_t ended = 0;

    while (i < chunk->hit_count) {
        uint64_t end = line_end_from(sink, chunk, hit_place(chunk, i));

        if (end == chunk->owned) {
            *open_hit = true;
            return ended;
        }
        ended++;
        while (i < chunk->hit_count && hit_place(chunk, i) <= end)
            i++;
    }
    return ended;
}

/* Like count_ended, if no two hits begin in the same line. */
static uint64_t count_ended_apart(const struct sink *sink, const struct sink_chunk *chunk,
                                  uint64_t i, bool *open_hit)
{
    uint64_t last = chunk->owned;

    TRAWL_ASSERT(chunk->one_per_line && i <= chunk->hit_count);
    while (last > 0 && chunk->bytes[last - 1] != sink->line_end &&
           chunk->bytes[last - 1] != sink->line_end_also)
        last--;
    /* If no hit is left (i == hit_count), *open_hit must be false, even if a mapped file has been
     * truncated since the hits of the first line were counted. */
    *open_hit = i < chunk->hit_count && hit_place(chunk, chunk->hit_count - 1) >= last;
    return chunk->hit_count - i - *open_hit;
}

static enum trawl_status digest_lines(const struct sink *sink, const struct sink_chunk *chunk,
                                      struct sink_digest *digest, struct trawl_error *error)
{
    uint64_t first = line_end_from(sink, chunk, 0), i = 0;
    struct line_digest *lines = &digest->lines;

    (void)error;
    memset(lines, 0, sizeof *lines);
    lines->has_bytes = chunk->owned > 0;
    if (first == chunk->owned) {
        lines->tail_hit = chunk->hit_count > 0;
        lines->tail_has_bytes = lines->has_bytes;
        return TRAWL_OK;
    }
    lines->has_line_end = true;
    lines->tail_has_bytes = chunk->bytes[chunk->owned - 1] != sink->line_end &&
                            chunk->bytes[chunk->owned - 1] != sink->line_end_also;
    TRAWL_ASSERT(chunk->hit_count == 0 || hit_place(chunk, chunk->hit_count - 1) < chunk->owned);
    while (i < chunk->hit_count && hit_place(chunk, i) <= first)
        i++;
    lines->head_hit = i > 0;
    lines->inside_hit = chunk->one_per_line ? count_ended_apart(sink, chunk, i, &lines->tail_hit)
                                            : count_ended(sink, chunk, i, &lines->tail_hit);
    if (sink->lines.invert)
        lines->line_end_count =
            count_line_ends(sink, chunk->bytes, chunk->owned, &digest->has_null);
    return TRAWL_OK;
}

static bool deliver_lines(struct sink *sink, const struct sink_chunk *chunk,
                          const struct sink_digest *digest)
{
    const struct line_digest *here = &digest->lines;
    struct line_count *lines = &sink->lines;
    uint64_t hit = here->inside_hit + (lines->open_hit || here->head_hit);

    TRAWL_ASSERT(here->has_line_end || here->inside_hit + here->line_end_count == 0);
    TRAWL_ASSERT(here->has_bytes || !here->tail_has_bytes);
    if (here->has_line_end) {
        TRAWL_ASSERT(!lines->invert || here->line_end_count >= hit);
        lines->count += lines->invert ? here->line_end_count - hit : hit;
        lines->open_hit = lines->open_has_bytes = false;
    }
    lines->open_hit |= here->tail_hit;
    lines->open_has_bytes |= here->tail_has_bytes;
    if (chunk->last && lines->open_has_bytes && lines->open_hit != lines->invert)
        lines->count++; /* bytes after the last line end count as a line */
    sink->count = min_u64(lines->count, lines->count_max);
    return lines->count < lines->count_max;
}

static enum trawl_status take_lines(const struct sink *sink, const struct hits_answer *answer,
                                    struct sink_digest *digest, struct trawl_error *error)
{
    (void)sink;
    (void)error;
    digest->lines = answer->lines;
    return TRAWL_OK;
}

void sink_lines(struct sink *sink, bool invert, uint64_t lines_max)
{
    /* An inverted count counts line ends after the search. The result would be wrong if the bytes
     * of a mapped file changed in between, so the chunk is read into memory. */
    *sink = (struct sink){.want = WANT_LINES,
                          .in_place = !invert,
                          .digest = digest_lines,
                          .form = ANSWER_OF_LINES,
                          .answered = take_lines,
                          .deliver = deliver_lines,
                          .lines = {.invert = invert, .count_max = lines_max}};
}

static bool has_few_matches(const struct sink_chunk *chunk)
{
    return chunk->match_count <= chunk->owned / LINE_NUMBER_BYTES;
}

/* Counts the line ends of the chunk, and sets *has_null to true if there is a NUL. If `of_each`,
 * also stores how many line ends precede each match. */
static uint64_t count_ends(const struct sink *sink, const struct sink_chunk *chunk, bool of_each,
                           bool *has_null)
{
    uint64_t at = 0, ends = 0;

    for (uint64_t i = 0; of_each && i < chunk->match_count; i++) {
        uint64_t next =
            (chunk->matches != NULL ? chunk->matches[i].begin : chunk->begins[i]) - chunk->begin;

        TRAWL_ASSERT(next >= at && next < chunk->owned);
        ends += count_line_ends(sink, chunk->bytes + at, next - at, has_null);
        chunk->line_numbers[i] = ends;
        at = next;
    }
    return ends + count_line_ends(sink, chunk->bytes + at, chunk->owned - at, has_null);
}

static enum trawl_status digest_window(const struct sink *sink, const struct sink_chunk *chunk,
                                       struct sink_digest *digest, struct trawl_error *error)
{
    (void)error;
    digest->line_end_count = 0;
    digest->has_null = false;
    if ((sink->window_flags & TRAWL_LINE_ENDS) != 0)
        digest->line_end_count = count_ends(sink, chunk, has_few_matches(chunk), &digest->has_null);
    else if ((sink->window_flags & TRAWL_NULLS) != 0)
        digest->has_null = bytes_find_either(chunk->bytes, chunk->owned, 0, 0) < chunk->owned;
    return TRAWL_OK;
}

static enum spans spans_of_flags(uint32_t flags)
{
    return (flags & TRAWL_SPANS_FIRST) != 0 ? SPANS_FIRST
           : (flags & TRAWL_SPANS) != 0     ? SPANS_LONGEST
                                            : SPANS_ALL;
}

static void match_move(const struct sink_chunk *chunk, uint64_t to, uint64_t from)
{
    if (chunk->line_numbers != NULL)
        chunk->line_numbers[to] = chunk->line_numbers[from];
    if (chunk->matches != NULL) {
        chunk->matches[to] = chunk->matches[from];
        return;
    }
    chunk->begins[to] = chunk->begins[from];
    chunk->ends[to] = chunk->ends[from];
    chunk->patterns[to] = chunk->patterns[from];
    if (chunk->distances != NULL) {
        chunk->distances[to] = chunk->distances[from];
        chunk->reversed[to] = chunk->reversed[from];
    }
}

/* Engines may report more matches than spans: a GPU, for example, does not know where the last span
 * before a chunk ends. */
uint64_t sink_keep_spans(struct sink *sink, const struct sink_chunk *chunk)
{
    struct trawl_match last = {.begin = UINT64_MAX};
    uint64_t kept = 0;

    if (sink->spans == SPANS_ALL)
        return chunk->match_count;
    for (uint64_t i = 0; i < chunk->match_count; i++) {
        const struct trawl_match match =
            chunk->matches != NULL
                ? chunk->matches[i]
                : (struct trawl_match){chunk->begins[i], chunk->ends[i], 0,
                                       chunk->distances == NULL ? 0 : chunk->distances[i], 0};
        const bool same = match.begin == last.begin;
        const bool better =
            same && sink->spans == SPANS_LONGEST &&
            (match.end > last.end || (match.end == last.end && match.distance < last.distance));

        TRAWL_ASSERT(match.begin <= match.end); /* equal: an empty match */
        TRAWL_ASSERT(kept == 0 || last.begin <= match.begin);
        if (!better && (same || match.begin < sink->spans_end))
            continue;
        kept -= better;
        if (kept < i)
            match_move(chunk, kept, i);
        kept++;
        last = match;
        sink->spans_end = match.end;
    }
    return kept;
}

static bool deliver_window(struct sink *sink, const struct sink_chunk *chunk,
                           const struct sink_digest *digest)
{
    struct trawl_window window;

    if (chunk->owned == 0 && !chunk->last)
        return true; /* an empty chunk of a stream, in which nothing can be searched yet */
    TRAWL_ASSERT(chunk->match_count == 0 || chunk->matches[0].begin >= chunk->begin);
    TRAWL_ASSERT(chunk->match_count == 0 ||
                 chunk->matches[chunk->match_count - 1].begin < chunk->begin + chunk->owned);
    window.begin = chunk->begin;
    window.bytes = chunk->bytes;
    window.bytes_count = chunk->owned;
    window.after_bytes_count = chunk->after;
    window.matches = chunk->matches;
    window.match_count = sink_keep_spans(sink, chunk);
    window.line_end_count = sink->digest != NULL ? digest->line_end_count : 0;
    window.line_ends_before = (sink->window_flags & TRAWL_LINE_ENDS) != 0 && has_few_matches(chunk)
                                  ? chunk->line_numbers
                                  : NULL;
    window.has_null = (sink->window_flags & TRAWL_NULLS) != 0 && digest->has_null;
    window.last = chunk->last;
    window.one_per_line = chunk->one_per_line;
    return sink->window_sink(sink->context, &window) == 0;
}

void sink_windows(struct sink *sink, uint32_t flags, trawl_window_sink function, void *context)
{
    const uint32_t lines = TRAWL_LINES | TRAWL_LINES_ALONE;

    memset(sink, 0, sizeof *sink);
    sink->want = (flags & TRAWL_NO_MATCHES) != 0                   ? WANT_NOTHING
                 : (flags & (TRAWL_SPANS | TRAWL_WITH_EMPTY)) != 0 ? WANT_SPANS
                 : (flags & lines) != 0                            ? WANT_LINES
                                                                   : WANT_HITS;
    sink->spans = spans_of_flags(flags);
    sink->as_matches = sink->want != WANT_NOTHING;
    sink->digest = (flags & (TRAWL_LINE_ENDS | TRAWL_NULLS)) != 0 ? digest_window : NULL;
    sink->line_numbers = (flags & TRAWL_LINE_ENDS) != 0;
    sink->deliver = deliver_window;
    sink->keeps_text = true;
    sink->in_place = sink->as_matches;
    sink->window_sink = function;
    sink->window_flags = flags;
    sink->context = context;
}

static enum trawl_status digest_batch(const struct sink *sink, const struct sink_chunk *chunk,
                                      struct sink_digest *digest, struct trawl_error *error)
{
    (void)error;
    digest->line_end_count = count_ends(sink, chunk, true, &digest->has_null);
    return TRAWL_OK;
}

void sink_batches(struct sink *sink, uint32_t flags)
{
    const bool line_numbers = (flags & TRAWL_LINE_ENDS) != 0;

    *sink = (struct sink){.want = WANT_HITS,
                          .spans = spans_of_flags(flags),
                          .as_matches = true,
                          .columns = true,
                          .line_numbers = line_numbers,
                          .in_place = true,
                          .digest = line_numbers ? digest_batch : NULL};
}

void pattern_counts_release(struct pattern_counts *counts)
{
    memory_release(counts->items, counts->capacity, sizeof *counts->items);
    memory_release(counts->slots, counts->slot_count, sizeof *counts->slots);
    memset(counts, 0, sizeof *counts);
}
