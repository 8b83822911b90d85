/* scan_stem_lines: lines with a hit, of a class that goes by stems.
 *
 * A line needs one hit. So the scan looks at the first few positions of each line of the tile, and
 * at the others only in lines where that found nothing.
 */
#include "cpu/sampling.h"

#define FIRST_PLACES 4u
#define SPARSE_PLACES 3u /* in 64: lines are not worth a look */
#define NO_HIT UINT32_MAX

/* The tile's lines. A line is what ends at a line end, or at a NUL, as settle_ends has it. */
struct line_map {
    const uint64_t *ends;
    uint64_t begin;
    uint32_t before[SET_TILE_PLACES / 64 + 1]; /* ends before each word */
    uint32_t count;
};

static void map_lines(struct line_map *map, const struct sampling *sampling)
{
    map->ends = settle_ends(sampling->scan, sampling->begin, sampling->line_words);
    map->begin = sampling->begin;
    map->before[0] = 0;
    for (uint64_t w = 0; w < sampling->line_words; w++)
        map->before[w + 1] = map->before[w] + (uint32_t)__builtin_popcountll(map->ends[w]);
    map->count = map->before[sampling->line_words] + 1;
}

/* The number of the line that x is in. */
static uint32_t line_of(const struct line_map *map, uint64_t x)
{
    uint64_t place = x - map->begin;
    uint64_t below = map->ends[place / 64] & ((1ull << place % 64) - 1);

    return map->before[place / 64] + (uint32_t)__builtin_popcountll(below);
}

/* The position after the first end at or after word *w, whose bits left are *bits. */
static uint64_t next_line(const struct line_map *map, uint64_t words, uint64_t *w, uint64_t *bits)
{
    uint64_t end;

    while (*bits == 0 && ++*w < words)
        *bits = map->ends[*w];
    if (*bits == 0)
        return UINT64_MAX;
    end = map->begin + 64 * *w + (uint64_t)__builtin_ctzll(*bits);
    *bits &= *bits - 1;
    return end + 1;
}

/* Deal positions to the first and the later ones; returns how many are first. A begin may lie in
 * the line before that of its place: only the first place in a line can have such, which comes
 * first.
 */
static uint32_t deal_places(const struct sampling *sampling, const struct line_map *map,
                            uint32_t count, uint32_t *later_count)
{
    struct set_scratch *scratch = sampling->scan->lane->scratch;
    uint64_t w = 0, bits = map->ends[0];
    uint64_t next = next_line(map, sampling->line_words, &w, &bits);
    uint32_t first = 0, later = 0, line = 0, rank = 0;

    for (uint32_t i = 0; i < count; i++) {
        for (; scratch->places[i] >= next; line++) {
            next = next_line(map, sampling->line_words, &w, &bits);
            rank = 0;
        }
        scratch->first[first] = scratch->places[i];
        scratch->later[later] = scratch->places[i];
        scratch->later_line[later] = (uint16_t)line;
        first += rank < FIRST_PLACES;
        later += rank >= FIRST_PLACES;
        rank++;
    }
    *later_count = later;
    return first;
}

/* Of gathered hits from `from` on, the first of each line. */
static void note_hits(const struct sampling *sampling, const struct line_map *map, uint64_t from)
{
    const struct hits *hits = &sampling->scan->lane->gathered;
    uint32_t *line_hit = sampling->scan->lane->scratch->line_hit;

    for (uint64_t i = from; i < hits->count; i++) {
        uint32_t line = line_of(map, hits->items[i].offset);

        if (line_hit[line] == NO_HIT || hits->items[i].offset < hits->items[line_hit[line]].offset)
            line_hit[line] = (uint32_t)i;
    }
}

/* Keep one hit of each line, in order. */
static enum trawl_status keep_hits(struct engine_lane *lane, uint32_t lines,
                                   struct trawl_error *error)
{
    struct hits *hits = &lane->gathered, *kept = &lane->ordered, other;

    kept->count = 0;
    TRAWL_TRY(hits_reserve(kept, lines, error));
    for (uint32_t line = 0; line < lines; line++)
        if (lane->scratch->line_hit[line] != NO_HIT)
            kept->items[kept->count++] = hits->items[lane->scratch->line_hit[line]];
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

    if (scan->want != ENGINE_WANT_LINES || matcher->class_count != 1 ||
        !matcher->classes[0].by_stems || plan_has_conditions(scan->plan) ||
        room < 2 * FIND_LOAD_SLACK)
        return 0;
    return min_u64(words, (room - FIND_LOAD_SLACK) / 64);
}

enum trawl_status sample_stem_lines(const struct sampling *sampling)
{
    struct engine_lane *lane = sampling->scan->lane;
    struct set_scratch *scratch = lane->scratch;
    uint64_t words = stem_pair_words(sampling, sampling->end), looked;
    uint32_t stride = words > 0 ? 1 : sampling->class->stride, count, first, later, kept = 0;
    struct line_map map;

    count = stem_places(sampling, sampling->end, words);
    if (count <= SPARSE_PLACES * sampling->line_words)
        return stem_verify(sampling, sampling->end, stride, scratch->places, count);
    map_lines(&map, sampling);
    memset(scratch->line_hit, 0xff, map.count * sizeof *scratch->line_hit);
    first = deal_places(sampling, &map, count, &later);
    TRAWL_TRY(stem_verify(sampling, sampling->end, stride, scratch->first, first));
    note_hits(sampling, &map, 0);
    looked = lane->gathered.count;
    for (uint32_t i = 0; i < later; i++) {
        scratch->later[kept] = scratch->later[i];
        kept += scratch->line_hit[scratch->later_line[i]] == NO_HIT;
    }
    TRAWL_TRY(stem_verify(sampling, sampling->end, stride, scratch->later, kept));
    note_hits(sampling, &map, looked);
    return keep_hits(lane, map.count, sampling->scan->error);
}
