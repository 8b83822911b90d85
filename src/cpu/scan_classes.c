/* scan_classes: method set, large: each tile is sampled for each class of lengths in turn.
 *
 * A tile's occurrences are gathered, put in order and then settled; nothing of it is settled
 * before. So where its candidates flood, what was gathered is dropped, and the automaton begins
 * with it.
 */
#include <string.h>

#include "base/checked.h"
#include "cpu/lane.h"

#define CANDIDATE_WORK 16u
#define SORTED_BY_HAND 16u
#define LINE_TILE_PLACES 32u
#define HEADS_KEPT (7u + FIND_LOAD_SLACK) /* a gram's other bytes, and whole vectors */

/* Begins of the tile are [begin, end). */
struct sampling {
    struct scan *scan;
    const struct set_matcher *matcher;
    const struct set_class *class;
    uint64_t begin;
    uint64_t end;
};

static inline uint64_t load64(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Samples at first, first + stride, ... below last: those that pass go to `passed`. One loop for
 * each shape of a gram, without a branch on what passes. */
static inline uint32_t sample_loop(const struct sampling *sampling, const uint8_t *text,
                                   uint64_t first, uint64_t last, bool is_short, uint32_t stride,
                                   struct set_passed *passed)
{
    const struct set_class class = *sampling->class;
    uint64_t fold = sampling->matcher->fold;
    uint32_t count = 0;

    for (uint64_t i = first; i < last; i += stride) {
        uint64_t low = load64(text + i), hash, bits;

        hash = is_short ? set_gram_short(low, fold, class.keep)
                        : set_gram_long(low, load64(text + i + class.q - 8), fold);
        bits = set_bits(hash);
        passed[count].hash = hash;
        passed[count].place = (uint32_t)i;
        count += (class.bitmap[set_word(&class, hash)] & bits) == bits;
    }
    return count;
}

/* The 8 bytes at i, as far as they are readable. */
static uint64_t load_last(const struct scan *scan, uint64_t i)
{
    uint64_t low = 0;

    memcpy(&low, scan->chunk->bytes + i, (size_t)min_u64(sizeof low, scan->loadable - i));
    return low;
}

/* Stride 1: each begin of the tile is a sample. Vectors look at all but the text's last bytes. */
static uint32_t sample_places(const struct sampling *sampling, struct set_passed *passed)
{
    const struct set_class *class = sampling->class;
    const struct scan *scan = sampling->scan;
    uint64_t room = scan->loadable - sampling->begin, places = sampling->end - sampling->begin;
    uint64_t words = min_u64(places / 64, room > HEADS_KEPT ? (room - HEADS_KEPT) / 64 : 0);
    uint64_t fold = sampling->matcher->fold;
    struct find_tile *tile = &scan->lane->tile;
    uint32_t count = 0;

    if (words > 0)
        scan->lane->find->set(scan->chunk->bytes + sampling->begin, words, &class->heads,
                              class->bitmap, tile);
    for (uint32_t k = 0; words > 0 && k < (tile->is_dense ? words : tile->hot_count); k++) {
        uint64_t w = tile->is_dense ? k : tile->hot[k], bits = tile->mask[w];

        for (; bits != 0; bits &= bits - 1) {
            uint64_t i = sampling->begin + 64 * w + (uint64_t)__builtin_ctzll(bits);

            passed[count].hash = set_gram_short(load64(scan->chunk->bytes + i), fold, class->keep);
            passed[count++].place = (uint32_t)i;
        }
    }
    for (uint64_t i = sampling->begin + 64 * words; i < sampling->end; i++) {
        uint64_t low = load_last(scan, i);

        if (i + class->q > scan->available)
            break;
        if (!set_head_passes(class, low))
            continue;
        passed[count].hash = set_gram_short(low, fold, class->keep);
        passed[count++].place = (uint32_t)i;
    }
    return count;
}

/* All samples that may lie in an occurrence that begins in the tile. */
static uint32_t sample_tile(const struct sampling *sampling, struct set_passed *passed)
{
    const struct set_class *class = sampling->class;
    const struct scan *scan = sampling->scan;
    uint64_t stride = class->stride, first = (sampling->begin + stride - 1) / stride * stride;
    uint64_t last = sampling->end + stride - 1, fast;
    uint32_t count = 0;

    if (stride == 1)
        return sample_places(sampling, passed);
    if (scan->available < class->q)
        return 0;
    last = min_u64(last, scan->available - class->q + 1);
    if (class->q >= 8)
        return sample_loop(sampling, scan->chunk->bytes, first, last, false, class->stride, passed);
    fast = min_u64(last, scan->loadable < 8 ? 0 : scan->loadable - 7);
    count = sample_loop(sampling, scan->chunk->bytes, first, fast, true, class->stride, passed);
    if (first < fast)
        first += (fast - first + stride - 1) / stride * stride;
    for (; first < last; first += stride) {
        uint64_t hash, bits;

        hash = set_gram_short(load_last(scan, first), sampling->matcher->fold, class->keep);
        bits = set_bits(hash);
        passed[count].hash = hash;
        passed[count].place = (uint32_t)first;
        count += (class->bitmap[set_word(class, hash)] & bits) == bits;
    }
    return count;
}

/* Does the literal stand at x? */
static enum trawl_status gather(const struct sampling *sampling, uint64_t x, uint32_t literal)
{
    struct scan *scan = sampling->scan;
    struct hits *hits = &scan->lane->gathered;
    uint64_t length = scan->plan->literals[literal].bytes_count, same;

    scan->work += CANDIDATE_WORK;
    scan->result->candidate_count++;
    if (length > scan->available - x)
        return TRAWL_OK;
    same = settle_mismatch(scan, literal, x, length);
    scan->work += same / 4;
    if (same < length)
        return TRAWL_OK;
    if (hits->count == hits->capacity)
        TRAWL_TRY(hits_reserve(hits, 1, scan->error));
    hits->items[hits->count].offset = (uint32_t)x;
    hits->items[hits->count++].literal = literal;
    return TRAWL_OK;
}

/* Samples that passed name literals. Their buckets and entries are fetched ahead. */
static enum trawl_status verify(const struct sampling *sampling, struct set_passed *passed,
                                uint32_t count)
{
    const struct set_class *class = sampling->class;
    struct scan *scan = sampling->scan;

    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&class->buckets[set_bucket(class, passed[i].hash)]);
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&class->entries[class->buckets[set_bucket(class, passed[i].hash)]]);
    for (uint32_t i = 0; i < count && scan->work <= scan->work_max; i++) {
        uint64_t bucket = set_bucket(class, passed[i].hash), place = passed[i].place;
        uint32_t end = class->buckets[bucket + 1], tag = set_tag(passed[i].hash);

        scan->work += end - class->buckets[bucket];
        for (uint32_t e = class->buckets[bucket]; e < end && scan->work <= scan->work_max; e++) {
            uint32_t tagged = class->entries[e].tagged, offset = tagged & 0xff;

            if ((tagged ^ tag) > 0xff || place < sampling->begin + offset ||
                place - offset >= sampling->end)
                continue;
            TRAWL_TRY(gather(sampling, place - offset, class->entries[e].literal));
        }
    }
    return TRAWL_OK;
}

/* By literal, those that begin at one place: often in order already, or as many as nest. */
static void order_place(struct hit *hits, uint32_t count)
{
    uint32_t i = 1;

    while (i < count && hits[i - 1].literal <= hits[i].literal)
        i++;
    if (i < count && count > SORTED_BY_HAND) {
        qsort(hits, count, sizeof *hits, settle_compare_hits);
        return;
    }
    for (; i < count; i++) {
        struct hit hit = hits[i];
        uint32_t at = i;

        for (; at > 0 && hits[at - 1].literal > hit.literal; at--)
            hits[at] = hits[at - 1];
        hits[at] = hit;
    }
}

/* Order the tile's hits, which lie at [begin, begin + SET_TILE_PLACES): a counting sort by place.
 */
static enum trawl_status order_gathered(struct scan *scan, uint64_t begin, uint64_t places)
{
    struct engine_lane *lane = scan->lane;
    struct hits *hits = &lane->gathered, *ordered = &lane->ordered, other;
    uint32_t *ends = lane->place_ends;

    ordered->count = 0;
    TRAWL_TRY(hits_reserve(ordered, hits->count, scan->error));
    memset(ends, 0, places * sizeof *ends);
    for (uint64_t i = 0; i < hits->count; i++)
        ends[hits->items[i].offset - begin]++;
    for (uint64_t place = 1; place < places; place++)
        ends[place] += ends[place - 1];
    for (uint64_t i = hits->count; i-- > 0;)
        ordered->items[--ends[hits->items[i].offset - begin]] = hits->items[i];
    for (uint64_t i = 0, next; i < hits->count; i = next) {
        for (next = i + 1;
             next < hits->count && ordered->items[next].offset == ordered->items[i].offset;)
            next++;
        if (next > i + 1)
            order_place(ordered->items + i, (uint32_t)(next - i));
    }
    ordered->count = hits->count;
    other = *hits;
    *hits = *ordered;
    *ordered = other;
    return TRAWL_OK;
}

/* The tile's occurrences, in order. */
static void settle_gathered(struct scan *scan, uint64_t begin, uint64_t places)
{
    struct hits *hits = &scan->lane->gathered;
    bool plain = !plan_has_conditions(scan->plan), ordered = true;

    if (scan->want == ENGINE_WANT_COUNT && plain) {
        scan->result->count += hits->count;
        return;
    }
    for (uint64_t i = 1; i < hits->count && ordered; i++)
        ordered = settle_compare_hits(&hits->items[i - 1], &hits->items[i]) < 0;
    if (!ordered)
        scan->status = order_gathered(scan, begin, places);
    scan->over = scan->status != TRAWL_OK;
    for (uint64_t i = 0; i < hits->count && !scan->over; i++) {
        const struct hit *hit = &hits->items[i];

        if (hit->offset >= scan->run_until || scan->want == ENGINE_WANT_SPANS)
            settle_emit(scan, hit->offset, hit->literal,
                        scan->plan->literals[hit->literal].bytes_count);
    }
}

/* Gather the tile's occurrences, as long as the work allows. */
static void gather_tile(struct sampling *sampling)
{
    struct scan *scan = sampling->scan;
    struct engine_lane *lane = scan->lane;

    lane->gathered.count = 0;
    for (uint32_t c = 0; c < lane->matcher->class_count && scan->work <= scan->work_max; c++) {
        sampling->class = &lane->matcher->classes[c];
        scan->status = verify(sampling, lane->passed, sample_tile(sampling, lane->passed));
        if (scan->status != TRAWL_OK) {
            scan->over = true;
            return;
        }
    }
}

/* LINES: what follows a hit in its line is passed over, so while lines have hits little is looked
 * at at once. */
static void adapt_tile(struct engine_lane *lane, bool hit)
{
    lane->tile_places = hit ? LINE_TILE_PLACES
                            : (uint32_t)min_u64(2 * (uint64_t)lane->tile_places, SET_TILE_PLACES);
}

void scan_classes(struct scan *scan)
{
    struct engine_lane *lane = scan->lane;

    scan->work_max = 0;
    while (!scan->over && !scan_is_full(scan)) {
        struct sampling sampling = {scan, lane->matcher, NULL, max_u64(scan->at, scan->run_until),
                                    scan->limit};
        uint64_t places = scan->want == ENGINE_WANT_LINES ? lane->tile_places : SET_TILE_PLACES;
        uint64_t kept = scan->result->count;
        bool settled = false;

        scan->at = sampling.begin;
        if (scan->at >= scan->limit)
            return;
        sampling.end = min_u64(scan->limit, scan->at + places);
        settle_allow(scan, sampling.end - sampling.begin);
        gather_tile(&sampling);
        while (scan->work > scan->work_max && !scan->over &&
               !(settled = settle_flood(scan, sampling.begin)))
            gather_tile(&sampling); /* once more, with more work, in the end with any */
        if (settled)
            continue;
        lane->dense_bytes /= 2;
        if (scan->over)
            return;
        settle_gathered(scan, sampling.begin, sampling.end - sampling.begin);
        adapt_tile(lane, scan->result->count > kept);
        scan->at = sampling.end;
    }
}
