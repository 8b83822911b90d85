/* scan_stem_lines: finds the lines with a hit, for a class of literals that is searched with stems
 * (their first bytes, up to 8).
 *
 * A line needs only one hit. So while many lines have one, the scan works in rounds: it looks at
 * the first few positions of all lines of a tile, then at the next positions of the lines that have
 * no hit yet, and finally at the rest of these lines.
 *
 * Later counts of lines with one of 97,000 words took 1.7 to 3.4 times as long without this, of
 * 10,000 1.4 to 5 times; first counts 1.0 to 1.5 times [busy Xeon, AVX-512, 2026-11-27].
 */
#include "cpu/sampling.h"
#include "cpu/prices.def"

#define FIRST_SAMPLES 16u /* samples of a line in the first round: as many as fit a vector */
#define NEXT_SAMPLES 32u
#define NO_HIT UINT32_MAX

/* Returns the number of set bits. The compiler's builtin would be a function call, because not
 * every processor of the target has a popcount instruction. */
static inline uint32_t bits_of_word(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555ull;
    word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (uint32_t)(word * 0x0101010101010101ull >> 56);
}

/* Where the lines of a tile end, according to verify_ends: at line ends and perhaps at NULs, or at
 * the ends of records. */
struct line_map {
    const uint64_t *ends;
    uint64_t begin;
    uint32_t before[SET_TILE_POSITIONS / 64 + 1]; /* number of line ends before each word */
    uint32_t count;
};

static void map_lines(struct line_map *map, const struct sampling *sampling)
{
    TRAWL_ASSERT(sampling->line_words > 0 && 64 * sampling->line_words <= SET_TILE_POSITIONS);
    TRAWL_ASSERT(sampling->end == sampling->begin + 64 * sampling->line_words);
    map->ends = verify_ends(sampling->scan, sampling->begin, sampling->line_words);
    map->begin = sampling->begin;
    map->before[0] = 0;
    for (uint64_t w = 0; w < sampling->line_words; w++)
        map->before[w + 1] = map->before[w] + bits_of_word(map->ends[w]);
    map->count = map->before[sampling->line_words] + 1;
    TRAWL_ASSERT(map->count <= SET_TILE_POSITIONS + 1);
}

/* Returns the number of the line that contains x, counted from 0. */
static uint32_t line_of(const struct line_map *map, uint64_t x)
{
    uint64_t position = x - map->begin;
    uint64_t below = map->ends[position / 64] & ((1ull << position % 64) - 1);

    TRAWL_ASSERT(x >= map->begin && position < SET_TILE_POSITIONS);
    return map->before[position / 64] + bits_of_word(below);
}

/* Sets span number i: the first `positions` positions of [from, end) in the line. */
static inline void span_put(struct set_scratch *scratch, uint32_t i, uint32_t line, uint32_t from,
                            uint32_t end, uint64_t positions)
{
    TRAWL_ASSERT(from <= end && i <= line);
    scratch->spans[i].from = from;
    scratch->spans[i].to = (uint32_t)min_u64(end, from + positions);
    scratch->span_line[i] = (uint16_t)line;
    scratch->span_end[i] = end;
}

/* Makes a span from the first `positions` positions of each line. Returns the number of spans. */
static uint32_t first_spans(const struct sampling *sampling, const struct line_map *map,
                            uint64_t positions)
{
    struct set_scratch *scratch = sampling->scan->worker->scratch;
    uint32_t from = (uint32_t)sampling->begin, line = 0;

    for (uint64_t w = 0; w < sampling->line_words; w++)
        for (uint64_t bits = map->ends[w]; bits != 0; bits &= bits - 1) {
            uint32_t end = (uint32_t)(map->begin + 64 * w) + (uint32_t)__builtin_ctzll(bits) + 1;

            span_put(scratch, line, line, from, end, positions);
            line++;
            from = end;
        }
    TRAWL_ASSERT(line + 1 == map->count && from <= sampling->end);
    if (from == sampling->end)
        return line;
    span_put(scratch, line, line, from, (uint32_t)sampling->end, positions);
    return line + 1;
}

/* Moves each span to the next `positions` positions of its line. Drops the spans of lines that have
 * a hit, or no positions left. Returns the number of spans. */
static uint32_t next_spans(struct set_scratch *scratch, uint32_t count, uint64_t positions)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = scratch->spans[i].to, end = scratch->span_end[i];
        uint16_t line = scratch->span_line[i];

        span_put(scratch, kept, line, from, end, positions);
        kept += (from < end) & (scratch->line_hit[line] == NO_HIT);
    }
    TRAWL_ASSERT(kept <= count);
    return kept;
}

/* Returns true if the hit counts. If the text consists of records, one record must contain all of
 * it. */
static bool lies_in_one_record(struct scan *scan, const struct hit *hit)
{
    uint64_t length = plan_literal_at(scan->plan, hit->literal).bytes_count;

    return scan->chunk->records == NULL ||
           verify_record_end(scan, hit->offset, length) != UINT64_MAX;
}

/* Sets line_hit[line] to the index of the line's first hit. Looks only at the gathered hits
 * beginning with index `from`. */
static void note_hits(const struct sampling *sampling, const struct line_map *map, uint64_t from)
{
    const struct hits *hits = &sampling->scan->worker->gathered;
    uint32_t *line_hit = sampling->scan->worker->scratch->line_hit;

    TRAWL_ASSERT(from <= hits->count);
    for (uint64_t i = from; i < hits->count; i++) {
        uint32_t line = line_of(map, hits->items[i].offset);

        TRAWL_ASSERT(line < map->count);
        if (!lies_in_one_record(sampling->scan, &hits->items[i]))
            continue;
        if (line_hit[line] == NO_HIT || hits->items[i].offset < hits->items[line_hit[line]].offset)
            line_hit[line] = (uint32_t)i;
    }
}

/* Keeps only the hits of `gathered` that line_hit names, in line order. */
static enum trawl_status keep_hits(struct cpu_worker *worker, uint32_t lines,
                                   struct trawl_error *error)
{
    struct hits *hits = &worker->gathered, *kept = &worker->ordered, other;

    TRAWL_ASSERT(lines > 0 && lines <= SET_TILE_POSITIONS + 1);
    kept->count = 0;
    TRAWL_TRY(hits_reserve(kept, lines, error));
    for (uint32_t line = 0; line < lines && hits->count > 0; line++) {
        uint32_t hit = worker->scratch->line_hit[line];

        kept->items[kept->count] = hits->items[hit != NO_HIT ? hit : 0];
        kept->count += hit != NO_HIT;
    }
    TRAWL_ASSERT(kept->count <= hits->count && kept->count <= lines);
    other = *hits;
    *hits = *kept;
    *kept = other;
    return TRAWL_OK;
}

uint64_t stem_line_words(const struct sampling *sampling)
{
    const struct scan *scan = sampling->scan;
    const struct set_matcher *matcher = sampling->matcher;
    uint64_t room = scan->loadable - sampling->begin,
             words = (sampling->end - sampling->begin) / 64;

    TRAWL_ASSERT(sampling->begin < sampling->end && sampling->end <= scan->limit);
    if (scan->want != WANT_LINES || matcher->class_count != 1 || !matcher->classes[0].by_stems ||
        plan_has_conditions(scan->plan) || room < 2 * FIND_LOAD_SLACK)
        return 0;
    TRAWL_ASSERT(64 * words <= SET_TILE_POSITIONS);
    return min_u64(words, (room - FIND_LOAD_SLACK) / 64);
}

/* Gathers all hits of the tile, even if a line has several. */
static enum trawl_status gather_lines(const struct sampling *sampling)
{
    uint64_t words = stem_pair_words(sampling, sampling->end);
    uint32_t count;

    if (words < sampling->line_words)
        words = 0; /* pairs of bytes cannot be tested this near to the text's end */
    count = stem_positions(sampling, sampling->end, words);
    return stem_verify(sampling, sampling->end, words > 0 ? 1 : sampling->class->stride, count);
}

/* Gathers hits in rounds over the lines. Later rounds skip lines that have a hit. */
static enum trawl_status gather_spans(const struct sampling *sampling, const struct line_map *map)
{
    const struct scan *scan = sampling->scan;
    struct set_scratch *scratch = scan->worker->scratch;
    uint32_t stride = sampling->class->stride;
    const uint32_t positions[] = {FIRST_SAMPLES * stride, NEXT_SAMPLES * stride,
                                  SET_TILE_POSITIONS};
    uint32_t spans = first_spans(sampling, map, positions[0]);
    uint64_t noted = 0; /* how many of the gathered hits line_hit already includes */

    for (uint32_t round = 1; spans > 0; round++) {
        uint32_t count = stem_span_positions(sampling, scratch->spans, spans);

        TRAWL_ASSERT(spans <= map->count);
        TRAWL_TRY(stem_verify(sampling, sampling->end, stride, count));
        note_hits(sampling, map, noted);
        noted = scan->worker->gathered.count;
        if (round == sizeof positions / sizeof *positions)
            break;
        spans = next_spans(scratch, spans, positions[round]);
    }
    return TRAWL_OK;
}

void emit_stem_lines(struct scan *scan)
{
    const struct hits *gathered = &scan->worker->gathered;
    struct hits *hits = &scan->result->hits;
    /* all hits but the last, whose line may continue in the next tile */
    uint64_t whole = gathered->count - 1;
    const struct hit *last = &gathered->items[whole];

    TRAWL_ASSERT(gathered->count > 0 && scan->want == WANT_LINES && !scan->keeps_lengths);
    TRAWL_ASSERT(gathered->items[0].offset >= scan->line_until);
    scan_reserve(scan, whole);
    if (scan->over)
        return;
    if (whole > 0)
        memcpy(hits->items + hits->count, gathered->items, whole * sizeof *hits->items);
    hits->count += whole;
    scan->result->count += whole;
    verify_emit(scan, last->offset, last->literal,
                plan_literal_at(scan->plan, last->literal).bytes_count);
}

enum trawl_status sample_stem_lines(const struct sampling *sampling)
{
    struct cpu_worker *worker = sampling->scan->worker;
    struct line_map map;

    if (!worker->lines_hit) {
        TRAWL_TRY(gather_lines(sampling));
        if (WORDS_SHARE * worker->gathered.count < sampling->line_words)
            return TRAWL_OK;
    }
    map_lines(&map, sampling);
    memset(worker->scratch->line_hit, 0xff, map.count * sizeof *worker->scratch->line_hit);
    if (worker->lines_hit)
        TRAWL_TRY(gather_spans(sampling, &map));
    else
        note_hits(sampling, &map, 0);
    TRAWL_TRY(keep_hits(worker, map.count, sampling->scan->error));
    TRAWL_ASSERT(worker->gathered.count <= map.count);
    worker->lines_kept = true;
    worker->lines_hit = LINES_SHARE * worker->gathered.count >= map.count;
    return TRAWL_OK;
}
