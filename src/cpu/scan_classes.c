/* scan_classes: searches for a large set. The literals are divided into classes by length
 * (set_class.h), and each tile (a stretch of text) is searched for one class after the other.
 *
 * The scan gathers all occurrences of a tile, sorts them, and only then emits them. So if the tile
 * turns out to have too many candidates, the scan can drop the occurrences and leave the text to
 * the automaton, beginning with this tile.
 */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/sampling.h"
#include "cpu/prices.def"
#include "cpu/set_matcher.h"

#define SORTED_BY_HAND 16u
/* Offsets in a tile are sorted by their low HALF_BITS bits, and then by the bits above. */
#define HALF_BITS 7u
#define HALF_LAST ((1u << HALF_BITS) - 1)
#define LINE_TILE_POSITIONS 32u
#define HITS_AHEAD 16u /* how many hits ahead literals are prefetched */
/* bytes that the filters may read at a position: a gram of 8 bytes, then a whole vector */
#define HEADS_KEPT (7u + FIND_LOAD_SLACK)

/* Tests every position of the tile (stride 1), with vectors except for the text's last bytes.
 * Returns the number of positions that pass. */
static uint32_t sample_positions(const struct sampling *sampling, struct set_passed *passed)
{
    const struct set_class *class = sampling->class;
    const struct scan *scan = sampling->scan;
    uint64_t positions = sampling->end - sampling->begin;
    uint64_t words = scan_words(scan, sampling->begin, positions, HEADS_KEPT);
    uint64_t fold = sampling->matcher->fold;
    struct find_tile *tile = &scan->worker->tile;
    uint32_t count = 0;

    TRAWL_ASSERT(positions > 0 && positions <= SET_TILE_POSITIONS && words <= FIND_TILE_WORDS);
    TRAWL_ASSERT(class->stride == 1 && class->q <= 8);
    if (words > 0)
        scan->worker->find->set(scan->chunk->bytes + sampling->begin,
                                min_u64(positions, 64 * words), &class->heads, class->bitmap, tile);
    for (uint32_t k = 0; words > 0 && k < tile_words(tile, words); k++) {
        uint64_t w = tile_word(tile, k), bits = tile->mask[w];

        for (; bits != 0; bits &= bits - 1) {
            uint64_t i = sampling->begin + 64 * w + (uint64_t)__builtin_ctzll(bits);

            passed->hash[count] =
                class_gram_short(bytes_load64(scan->chunk->bytes + i), fold, class->keep);
            passed->position[count++] = (uint32_t)i;
        }
    }
    for (uint64_t i = sampling->begin + 64 * words; i < sampling->end; i++) {
        uint64_t low = load_readable(scan, i);

        if (i + class->q > scan->available)
            break;
        if (!class_head_passes(class, low))
            continue;
        passed->hash[count] = class_gram_short(low, fold, class->keep);
        passed->position[count++] = (uint32_t)i;
    }
    TRAWL_ASSERT(count <= positions);
    return count;
}

/* Tests the samples, at every stride-th position, that can lie in an occurrence that begins in the
 * tile. Returns the number of samples that pass. */
static uint32_t sample_tile(const struct sampling *sampling, struct set_passed *passed)
{
    const struct set_class *class = sampling->class;
    const struct scan *scan = sampling->scan;
    uint64_t stride = class->stride, first = (sampling->begin + stride - 1) / stride * stride;
    uint64_t last = sampling->end + stride - 1, fast;
    uint32_t count = 0;

    TRAWL_ASSERT(stride > 0 && stride <= SET_STRIDE_MAX &&
                 class->q + stride - 1 <= class->length_min);
    TRAWL_ASSERT(first >= sampling->begin && first - sampling->begin < stride);
    if (stride == 1)
        return sample_positions(sampling, passed);
    if (scan->available < class->q)
        return 0;
    last = min_u64(last, scan->available - class->q + 1);
    if (class->q >= 8)
        return scan->worker->find->gram_samples(scan->chunk->bytes, first, last, class,
                                                sampling->matcher->fold, passed);
    fast = min_u64(last, scan->loadable < 8 ? 0 : scan->loadable - 7);
    count = scan->worker->find->gram_samples(scan->chunk->bytes, first, fast, class,
                                             sampling->matcher->fold, passed);
    if (first < fast)
        first += (fast - first + stride - 1) / stride * stride;
    for (; first < last; first += stride) {
        uint64_t hash =
            class_gram_short(load_readable(scan, first), sampling->matcher->fold, class->keep);

        passed->hash[count] = hash;
        passed->position[count] = (uint32_t)first;
        count += class_passes(class->bitmap[class_word_index(class, hash)], hash);
    }
    TRAWL_ASSERT(count <= SET_PASSED_MAX);
    return count;
}

/* Sorts hits at the same offset by literal. Usually they are few, or already in order. */
static void order_position(struct hit *hits, uint32_t count)
{
    uint32_t i = 1;

    while (i < count && hits[i - 1].literal <= hits[i].literal)
        i++;
    TRAWL_ASSERT(count > 1 && hits[0].offset == hits[count - 1].offset);
    if (i < count && count > SORTED_BY_HAND) {
        qsort(hits, count, sizeof *hits, verify_compare_hits);
        return;
    }
    for (; i < count; i++) {
        struct hit hit = hits[i];
        uint32_t at = i;

        TRAWL_ASSERT(hit.offset == hits[0].offset);
        for (; at > 0 && hits[at - 1].literal > hit.literal; at--)
            hits[at] = hits[at - 1];
        hits[at] = hit;
    }
}

/* Sorts the tile's hits by offset: first by the lower half of the offset, then by the upper half
 * (each a counting sort), so that the arrays of counts stay short. Errors: MEMORY. */
static enum trawl_status order_gathered(struct scan *scan, uint64_t begin)
{
    struct cpu_worker *worker = scan->worker;
    struct hits *hits = &worker->gathered, *ordered = &worker->ordered, other;

    TRAWL_ASSERT(SET_TILE_POSITIONS <= 1u << 2 * HALF_BITS);
    TRAWL_TRY(hits_reserve(ordered, hits->count, scan->error));
    for (uint32_t shift = 0; shift < 2 * HALF_BITS; shift += HALF_BITS) {
        uint32_t ends[HALF_LAST + 1] = {0};

        for (uint64_t i = 0; i < hits->count; i++) {
            TRAWL_ASSERT(hits->items[i].offset - begin < SET_TILE_POSITIONS);
            ends[(hits->items[i].offset - begin) >> shift & HALF_LAST]++;
        }
        for (uint32_t value = 1; value <= HALF_LAST; value++)
            ends[value] += ends[value - 1];
        for (uint64_t i = hits->count; i-- > 0;)
            ordered->items[--ends[(hits->items[i].offset - begin) >> shift & HALF_LAST]] =
                hits->items[i];
        ordered->count = hits->count;
        other = *hits;
        *hits = *ordered;
        *ordered = other;
    }
    for (uint64_t i = 0, next; i < hits->count; i = next) {
        for (next = i + 1; next < hits->count && hits->items[next].offset == hits->items[i].offset;)
            next++;
        if (next > i + 1)
            order_position(hits->items + i, (uint32_t)(next - i));
    }
    return TRAWL_OK;
}

/* Counts or emits the tile's occurrences in ascending order. */
static void verify_gathered(struct scan *scan, uint64_t begin)
{
    struct hits *hits = &scan->worker->gathered;
    bool plain = !plan_has_conditions(scan->plan), ordered = true;

    TRAWL_ASSERT(scan->at == begin && begin < scan->limit);
    TRAWL_ASSERT(scan->worker->counted == 0 || scan->want == WANT_COUNT);
    if (scan->want == WANT_COUNT && plain) {
        scan->result->count += hits->count + scan->worker->counted;
        return;
    }
    if (scan->worker->lines_kept && !scan->has_nulls && hits->count > 0) {
        emit_stem_lines(scan);
        return;
    }
    for (uint64_t i = 1; i < hits->count && ordered; i++)
        ordered = verify_compare_hits(&hits->items[i - 1], &hits->items[i]) < 0;
    if (!ordered)
        scan->status = order_gathered(scan, begin);
    scan->over = scan->status != TRAWL_OK;
    for (uint64_t i = 0; i < hits->count && !scan->over; i++) {
        const struct hit *hit = &hits->items[i];

        TRAWL_ASSERT(hit->offset >= begin && hit->offset < scan->limit);
        if (hits->count - i > HITS_AHEAD)
            plan_literal_fetch(scan->plan, hit[HITS_AHEAD].literal);
        if (hit->offset >= scan->run_until || scan->want == WANT_SPANS)
            verify_emit(scan, hit->offset, hit->literal,
                        plan_literal_at(scan->plan, hit->literal).bytes_count);
    }
}

/* Gathers the tile's occurrences. Stops as soon as the work exceeds scan->work_max. */
static void gather_tile(struct sampling *sampling)
{
    struct scan *scan = sampling->scan;
    struct cpu_worker *worker = scan->worker;

    worker->gathered.count = worker->counted = 0;
    worker->lines_kept = false;
    for (uint32_t c = 0; c < worker->matcher->class_count && scan->work <= scan->work_max; c++) {
        struct set_passed *passed = &worker->scratch->passed;

        sampling->class = &worker->matcher->classes[c];
        scan->status = sampling->line_words > 0 ? sample_stem_lines(sampling)
                       : sampling->class->by_stems
                           ? sample_stems(sampling)
                           : sample_verify(sampling, passed, sample_tile(sampling, passed));
        if (scan->status != TRAWL_OK) {
            scan->over = true;
            return;
        }
    }
}

/* In a search for lines, adapts the size of the next tile. After a hit, the scan skips the rest of
 * the line, so the tile after a hit is as small as possible; otherwise the next tile is twice as
 * large. When searching line by line, the next tile is small if the text skipped after a tile is at
 * least as long as the tile. */
static void adapt_tile(struct cpu_worker *worker, bool hit, const struct sampling *sampling)
{
    uint64_t passed_over = max_u64(sampling->scan->run_until, sampling->end) - sampling->end;
    bool less = sampling->line_words > 0 ? passed_over >= worker->tile_positions : hit;
    uint64_t min = sampling->line_words > 0 ? 64 : LINE_TILE_POSITIONS;

    TRAWL_ASSERT(worker->tile_positions > 0 && worker->tile_positions <= SET_TILE_POSITIONS);
    worker->tile_positions =
        (uint32_t)(less ? min : min_u64(2 * worker->tile_positions, cpu_sizes.class_positions));
}

uint64_t worker_sample(struct cpu_worker *worker, const struct engine_chunk *chunk)
{
    uint64_t bytes =
        min_u64(max_u64(chunk->owned / SAMPLE_SHARE, PLAN_SAMPLE_BYTES_MIN), sizeof worker->sample);
    uint64_t excerpts = bytes / EXCERPT_BYTES, step = chunk->owned / excerpts;

    if (chunk->owned < PLAN_SAMPLE_BYTES_MIN)
        return 0;
    TRAWL_ASSERT(step >= EXCERPT_BYTES);
    for (uint64_t i = 0; i < excerpts; i++)
        memcpy(worker->sample + i * EXCERPT_BYTES,
               chunk->bytes + i * step + plan_sample_at(i, step, EXCERPT_BYTES), EXCERPT_BYTES);
    return excerpts * EXCERPT_BYTES;
}

/* Gets the plan's matcher (the hash tables of the classes) for the worker. The plan's first matcher
 * is made to suit this text. Errors: MEMORY, LIMIT. */
static enum trawl_status classes_begin(const struct scan *scan)
{
    struct cpu_worker *worker = scan->worker;
    struct set_sample sample = {scan->plan, worker->find, worker->choose_classes, worker->sample,
                                worker_sample(worker, scan->chunk)};

    if (worker->scratch == NULL) {
        TRAWL_TRY(MEMORY_NEW(worker->scratch, 1, scan->error));
    }
    return set_matcher_want(&sample, &worker->matcher, scan->error);
}

void scan_classes(struct scan *scan)
{
    struct cpu_worker *worker = scan->worker;

    worker->makes += worker->matcher == NULL;
    if (worker->matcher == NULL)
        scan->status = classes_begin(scan);
    scan->over = scan->status != TRAWL_OK;
    while (!scan->over && !scan_is_full(scan)) {
        struct sampling sampling = {
            scan, worker->matcher, NULL, max_u64(scan->at, scan->run_until), scan->limit, 0};
        uint64_t positions =
            scan->want == WANT_LINES ? worker->tile_positions : cpu_sizes.class_positions;
        uint64_t kept = scan->result->count;

        scan->at = sampling.begin;
        if (scan->at >= scan->limit)
            return;
        sampling.end = min_u64(scan->limit, scan->at + positions);
        sampling.line_words = stem_line_words(&sampling);
        if (sampling.line_words > 0)
            sampling.end = sampling.begin + 64 * sampling.line_words;
        TRAWL_ASSERT(sampling.begin < sampling.end && sampling.end <= scan->limit);
        dense_allow(scan, sampling.end - sampling.begin);
        scan->work += TILE_WORK;
        gather_tile(&sampling);
        while (scan->work > scan->work_max && !scan->over && !dense_leaves(scan, sampling.begin))
            /* try again: dense_leaves has raised work_max to where the automaton pays off */
            gather_tile(&sampling);
        if (scan->over)
            return;
        verify_gathered(scan, sampling.begin);
        TRAWL_ASSERT(scan->result->count >= kept && scan->at == sampling.begin);
        worker->dense_bytes /= 2;
        adapt_tile(worker, scan->result->count > kept, &sampling);
        scan->at = sampling.end;
    }
}
