/* scan_repeats: a text that repeats itself is searched once.
 *
 * What occurs at a position follows from the bytes there, as many as the longest literal has. Where
 * a set's search costs much, samples of the text tell whether it repeats itself. If so, each thread
 * keeps bytes that it searched with their hits. Bytes of the text that equal kept ones are
 * compared, and the hits are those of the kept ones.
 */
#include "cpu/repeats.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/worker.h"

#define BYTES_MAX (3u << 20)  /* that are kept, */
#define HITS_MAX (1u << 19)   /* and of their hits: a power of two */
#define HITS_FIRST 4096u      /* room for them at first: the same */
#define PARTS_MAX 4096u       /* of what is kept */
#define LENGTH_MAX (1u << 15) /* of literals: so much of each run of equal bytes is lost */
#define WORK_MIN 1u /* per byte, in about nanoseconds: a text that took less is not looked at */
#define HITS_PER_BYTE_MAX 16u    /* a text with more is not kept, */
#define COUNTED_PER_BYTE_MAX 64u /* or with more than this where none is copied, */
#define HITS_PER_PART 4096u      /* but a part of it may have so many more */

#define HASH_FACTOR 0x9e3779b97f4a7c15ull
#define SAMPLE_BYTES 256u /* shorter ones stand in many places that go on in other ways */
#define WINDOW_BYTES 32u  /* of a sample four windows are read */
#define ANCHOR_GRID 64u   /* kept bytes have a sample at so many places */
#define ANCHOR_LOOKS 256u /* samples of the text that are looked up before it counts as new, */
#define ANCHOR_BYTES (1u << 16) /* for which so much text is compared */
#define VISIT_HITS 16u          /* a run with fewer gives hits, where tallies would do */
#define LENT_MIN 1024u          /* a run with fewer hits is copied, where it might be lent */
#define RUN_MIN 256u            /* shorter runs are not followed, but at the end */
/* New text is searched in parts: the first one is small, as its hits may be many, and each is
 * twice as long as the one before, as text that is known again may come soon. */
#define PART_FIRST 64u
#define PART_MIN 512u      /* at least, */
#define PART_PER_LENGTH 8u /* or times the longest literal: the automaton reads that first */
#define PART_MAX (1u << 15)
#define COPY_BYTES (PART_MAX + LENGTH_MAX)
#define PART_HITS (1u << 15) /* after a part with more hits they are shorter again */

#define SEEN_BITS 15u        /* of the table of samples that were seen, */
#define SEEN_LOOK (1u << 16) /* in which those of one place in so many bytes are looked up */
#define SEEN_FROM (1u << 19) /* bytes, for less than which there is no table */

#define LOOKS_MAX 16u           /* half of so many are to find something */
#define BEFORE_BYTES (1u << 18) /* the work of about so many counts */

#define TRIAL_BYTES (1u << 18) /* of so many bytes */
#define TRIAL_SHARE 4u         /* at least such a part has to be known, */
#define LATER_BYTES (1u << 20) /* or this many bytes, doubled each time, are not looked at */
#define LATER_MAX 12u

static inline uint64_t load64(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline uint64_t hash_window(const uint8_t *bytes)
{
    uint64_t a = load64(bytes) * HASH_FACTOR, b = load64(bytes + 8);
    uint64_t c = load64(bytes + 16) * 0xc2b2ae3d27d4eb4full, d = load64(bytes + 24);
    uint64_t hash = (a ^ a >> 32) + (c ^ c >> 29) * 0x165667b19e3779f9ull;

    hash += (b ^ hash >> 31) * 0x85ebca77c2b2ae63ull;
    hash ^= hash >> 32;
    return (hash ^ d) * 0x27d4eb2f165667c5ull;
}

static inline uint64_t hash_sample(const uint8_t *bytes)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < 4; i++, bytes += (SAMPLE_BYTES - WINDOW_BYTES) / 3)
        hash = (hash ^ hash >> 32 ^ hash_window(bytes)) * HASH_FACTOR;
    return hash ^ hash >> 32;
}

static void forget(struct repeats *repeats)
{
    memory_release(repeats->bytes, repeats->bytes_room, 1);
    memory_release(repeats->parts, repeats->parts_room, sizeof *repeats->parts);
    memory_release(repeats->lengths, repeats->lengths_room, sizeof *repeats->lengths);
    memory_release(repeats->visits, repeats->visits_room, sizeof *repeats->visits);
    memory_release(repeats->anchors, 1ull << REPEATS_ANCHOR_BITS, sizeof *repeats->anchors);
    memory_release(repeats->copy, COPY_BYTES, 1);
    hits_release(&repeats->kept);
    hits_release(&repeats->found.hits);
    repeats->bytes = NULL;
    repeats->parts = NULL;
    repeats->lengths = NULL;
    repeats->visits = NULL;
    repeats->anchors = NULL;
    repeats->copy = NULL;
    repeats->kept = repeats->found.hits = (struct hits){0};
    repeats->bytes_count = repeats->bytes_room = 0;
    repeats->parts_count = repeats->parts_room = 0;
    repeats->lengths_room = repeats->lengths_count = 0;
    repeats->visits_room = repeats->visited_from = repeats->visited_to = 0;
    repeats->anchored = 0;
    repeats->active = false;
}

void repeats_end(struct repeats *repeats)
{
    forget(repeats);
    memory_release(repeats->seen, 1ull << SEEN_BITS, sizeof *repeats->seen);
    memset(repeats, 0, sizeof *repeats);
}

bool repeats_fit(const struct scan *scan)
{
    const struct trawl_plan *plan = scan->plan;

    return (scan->want <= ENGINE_WANT_HITS || scan->want == ENGINE_WANT_LINES) &&
           plan->length_max <= LENGTH_MAX && plan->element_count == 0 && !plan_has_conditions(plan);
}

/* ---- does the text repeat itself? ---- */

void repeats_begin(struct repeats *repeats, uint64_t serial)
{
    if (repeats->seen_bytes == 0)
        repeats->seen_bytes = SAMPLE_BYTES;
    repeats->seen_begin = repeats->look_next = repeats->seen_bytes;
    repeats->looks = repeats->finds = repeats->farthest = 0;
    if (repeats->serial == serial)
        return;
    forget(repeats);
    repeats->serial = serial;
    repeats->skips = repeats->later = 0;
}

/* How far back, in this search, a sample of the text at `bytes` was seen; 0: it was not. */
static uint64_t seen_before(const struct repeats *repeats, const uint8_t *bytes, uint64_t at)
{
    for (uint64_t i = 0; i < SAMPLE_BYTES; i++) {
        uint64_t hash = hash_sample(bytes + i);
        uint64_t entry = repeats->seen[hash & ((1u << SEEN_BITS) - 1)];
        uint64_t distance =
            (uint64_t)((uint32_t)(at / SAMPLE_BYTES) - (uint32_t)(entry >> 32)) * SAMPLE_BYTES;

        if ((uint32_t)entry == (uint32_t)(hash >> 32) && distance <= at - repeats->seen_begin)
            return distance;
    }
    return 0;
}

void repeats_activate(struct repeats *repeats, uint64_t distance, uint64_t work_per_byte)
{
    repeats->active = true;
    repeats->work_per_byte = work_per_byte;
    repeats->part_bytes = PART_FIRST;
    repeats->next = UINT64_MAX;
    repeats->next_hit = 0;
    repeats->trial_free = min_u64(distance << 2 * repeats->later, BYTES_MAX);
    repeats->trial_bytes = repeats->trial_known = repeats->trial_work = 0;
}

/* Look at samples of a text that was dear to search: does most of it stand in what was looked at
 * before? */
static enum trawl_status look_at(struct repeats *repeats, const uint8_t *bytes, uint64_t count,
                                 uint64_t work_per_byte, struct trawl_error *error)
{
    if (repeats->seen == NULL && repeats->seen_bytes + count < SEEN_FROM) {
        repeats->seen_bytes += (count + SAMPLE_BYTES - 1) / SAMPLE_BYTES * SAMPLE_BYTES;
        return TRAWL_OK;
    }
    if (repeats->seen == NULL) {
        void *memory;

        TRAWL_TRY(memory_allocate_zeroed(1ull << SEEN_BITS, sizeof *repeats->seen, &memory, error));
        repeats->seen = (uint64_t *)memory;
    }
    TRAWL_ASSERT(repeats->seen_bytes % SAMPLE_BYTES == 0);
    for (uint64_t x = 0; x + 2ull * SAMPLE_BYTES <= count; x += SAMPLE_BYTES) {
        uint64_t hash, at = repeats->seen_bytes + x;

        if (at >= repeats->look_next) {
            uint64_t distance = seen_before(repeats, bytes + x, at);
            bool is_near = distance > 0 && distance <= BYTES_MAX;

            repeats->look_next = at + SEEN_LOOK;
            repeats->looks++;
            repeats->finds += is_near;
            repeats->farthest = is_near ? max_u64(repeats->farthest, distance) : repeats->farthest;
        }
        hash = hash_sample(bytes + x);
        repeats->seen[hash & ((1u << SEEN_BITS) - 1)] = at / SAMPLE_BYTES << 32 | hash >> 32;
    }
    repeats->seen_bytes += (count + SAMPLE_BYTES - 1) / SAMPLE_BYTES * SAMPLE_BYTES;
    if (repeats->finds > 0 && 2 * repeats->finds >= repeats->looks)
        repeats_activate(repeats, repeats->farthest, work_per_byte);
    if (repeats->active || repeats->looks >= LOOKS_MAX)
        repeats->looks = repeats->finds = repeats->farthest = 0;
    return TRAWL_OK;
}

/* ---- what is kept ---- */

/* The part that has the place; NULL: none. */
static const struct repeats_part *part_of(const struct repeats *repeats, uint64_t place)
{
    uint64_t lo = 0, hi = repeats->parts_count;

    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;

        if (repeats->parts[middle].end <= place)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < repeats->parts_count ? &repeats->parts[lo] : NULL;
}

/* How many begins from x on, at most `enough`, have the hits of those from the place on? *tries:
 * bytes that may be compared. */
static uint64_t known_from(const struct scan *scan, uint64_t x, uint64_t place, uint64_t least,
                           uint64_t enough, uint64_t *tries)
{
    const struct repeats *repeats = &scan->worker->repeats;
    const struct repeats_part *part = part_of(repeats, place);
    uint64_t more = scan->plan->length_max - 1, most, same;

    if (part == NULL || place < part->begin || place >= part->until)
        return 0;
    most = min_u64(part->until - place, scan->limit - x);
    if (most < least && most < scan->limit - x)
        return 0;
    most = min_u64(most, max_u64(enough, least));
    most = min_u64(min_u64(most + more, scan->available - x), part->end - place);
    same = scan->worker->find->mismatch(scan->chunk->bytes + x, repeats->bytes + place, most);
    TRAWL_ASSERT(same <= most);
    *tries -= min_u64(*tries, same + 1);
    same = same > more ? same - more : 0;
    return same >= least || same == scan->limit - x ? same : 0;
}

/* With so many hits a scan ends; the next one goes on there, by what is known. */
static uint64_t hits_most(const struct scan *scan)
{
    return scan->chunk->hits_few > 0 ? scan->chunk->hits_few : ENGINE_HITS_MAX;
}

/* Begins from repeats->next on that have as many hits as this scan may take. */
static uint64_t enough_from_next(const struct scan *scan)
{
    const struct repeats *repeats = &scan->worker->repeats;
    uint64_t last = repeats->next_hit + max_u64(hits_most(scan), scan->chunk->lent_max);

    if (scan->want != ENGINE_WANT_HITS || scan->chunk->may_tally || last >= repeats->kept.count ||
        repeats->kept.items[last].offset < repeats->next)
        return UINT64_MAX;
    return repeats->kept.items[last].offset - repeats->next + 1;
}

/* As known_from, with the place; 0: nothing of what is kept is known to be there. */
static uint64_t find_known(const struct scan *scan, uint64_t x, uint64_t *place)
{
    const struct repeats *repeats = &scan->worker->repeats;
    const uint8_t *text = scan->chunk->bytes + x;
    uint64_t count = scan->available - x, known;
    uint64_t tries = ANCHOR_BYTES;

    *place = repeats->next;
    if (*place < repeats->bytes_count &&
        (known = known_from(scan, x, *place, 1, enough_from_next(scan), &tries)) > 0)
        return known;
    if (repeats->anchors == NULL)
        return 0;
    for (uint64_t i = 0; i < ANCHOR_LOOKS && i + SAMPLE_BYTES <= count && tries > 0; i++) {
        uint32_t anchor = repeats->anchors[hash_sample(text + i) >> (64 - REPEATS_ANCHOR_BITS)];

        if (anchor == PLAN_NONE || anchor < i ||
            load64(repeats->bytes + anchor) != load64(text + i))
            continue;
        *place = anchor - i;
        known = known_from(scan, x, *place, RUN_MIN, UINT64_MAX, &tries);
        if (known > 0)
            return known;
    }
    return 0;
}

/* The first of the kept hits at the place or later, none before `lo`. */
static uint64_t hits_from(const struct hits *kept, uint64_t lo, uint64_t place)
{
    uint64_t hi = kept->count, step = 1;

    while (lo + step < hi && kept->items[lo + step].offset < place) {
        lo += step;
        step *= 2;
    }
    hi = min_u64(hi, lo + step + 1);
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;

        if (kept->items[middle].offset < place)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Hits [lo, hi), of which that of a place is at the place and `shift`. With `most` hits the result
 * is full, and ends with a position. */
static void take_hits(struct scan *scan, const struct hit *items, uint64_t lo, uint64_t hi,
                      uint32_t shift, uint64_t most)
{
    struct hits *hits = &scan->result->hits;
    uint64_t count = min_u64(hi - lo, most - hits->count);
    struct hit *next;

    while (count < hi - lo && count > 0 && items[lo + count].offset == items[lo + count - 1].offset)
        count++;
    scan->status = hits_reserve(hits, count, scan->error);
    scan->over = scan->status != TRAWL_OK;
    if (scan->over)
        return;
    next = hits->items + hits->count;
    for (uint64_t i = 0; i < count; i++)
        next[i] = (struct hit){items[lo + i].offset + shift, items[lo + i].literal};
    hits->count += count;
    scan->result->count += count;
    if (count < hi - lo)
        scan->at = items[lo + count].offset + shift;
}

/* ---- hits that are lent ---- */

/* Are the hits [lo, hi) to be lent? */
static bool may_lend(const struct scan *scan, uint64_t lo, uint64_t hi)
{
    return scan->chunk->lent_max > 0 && scan->want == ENGINE_WANT_HITS &&
           hi - lo >= min_u64(LENT_MIN, scan->chunk->lent_max);
}

/* The lengths of the kept hits before `to`. */
static enum trawl_status note_lengths(struct scan *scan, uint64_t to)
{
    struct repeats *repeats = &scan->worker->repeats;
    void *lengths = repeats->lengths;

    if (to > repeats->lengths_room) {
        uint64_t room = repeats->kept.capacity;

        TRAWL_TRY(memory_grow(repeats->lengths_room, room, sizeof *repeats->lengths, &lengths,
                              scan->error));
        repeats->lengths = (uint16_t *)lengths;
        repeats->lengths_room = room;
    }
    for (; repeats->lengths_count < to; repeats->lengths_count++) {
        uint32_t literal = repeats->kept.items[repeats->lengths_count].literal;

        repeats->lengths[repeats->lengths_count] =
            (uint16_t)plan_literal_at(scan->plan, literal).bytes_count;
    }
    return TRAWL_OK;
}

/* Lend the kept hits [lo, hi), or as many of them as may be, up to the end of a position. */
static void lend_hits(struct scan *scan, uint64_t lo, uint64_t hi, uint64_t shift)
{
    struct repeats *repeats = &scan->worker->repeats;
    const struct hit *items = repeats->kept.items + lo;
    uint64_t count = min_u64(hi - lo, scan->chunk->lent_max);

    TRAWL_ASSERT(scan->plan->literals == NULL && scan->plan->length_max <= LENGTH_MAX);
    TRAWL_ASSERT(scan->result->hits.count == 0 && scan->result->lent.count == 0 && count > 0);
    while (count < hi - lo && items[count].offset == items[count - 1].offset)
        count++;
    scan->status = note_lengths(scan, lo + count);
    scan->over = scan->status != TRAWL_OK;
    if (scan->over)
        return;
    scan->result->lent = (struct hits_lent){items, repeats->lengths + lo, count, shift};
    scan->result->count += count;
    repeats->lent += count;
    if (count < hi - lo)
        scan->at = items[count].offset + shift;
}

/* ---- visits: of runs whose hits are only to be counted by literal ---- */

static bool may_visit(const struct scan *scan)
{
    return scan->chunk->may_tally && scan->want == ENGINE_WANT_HITS;
}

/* Those in a text that is kept, for each byte, at most. */
static uint64_t hits_per_byte_most(const struct scan *scan)
{
    return scan->want == ENGINE_WANT_COUNT || may_visit(scan) || scan->chunk->lent_max > 0
               ? COUNTED_PER_BYTE_MAX
               : HITS_PER_BYTE_MAX;
}

/* The kept hits [lo, hi) occur once more: one more from the first one on, one less after the last.
 */
static enum trawl_status visit(struct scan *scan, uint64_t lo, uint64_t hi)
{
    struct repeats *repeats = &scan->worker->repeats;
    bool first = repeats->visited_to == 0;

    TRAWL_ASSERT(lo < hi && hi <= repeats->kept.count);
    if (hi >= repeats->visits_room) {
        uint64_t room = repeats->kept.capacity + 1;
        void *visits = repeats->visits;

        TRAWL_TRY(
            memory_grow(repeats->visits_room, room, sizeof *repeats->visits, &visits, scan->error));
        repeats->visits = (uint32_t *)visits;
        memset(repeats->visits + repeats->visits_room, 0,
               (size_t)(room - repeats->visits_room) * sizeof *repeats->visits);
        repeats->visits_room = room;
    }
    repeats->visits[lo]++;
    repeats->visits[hi]--; /* may wrap, but no sum of all before does: a chunk has less than 2^32
                              begins */
    repeats->visited_from = first ? lo : min_u64(repeats->visited_from, lo);
    repeats->visited_to = max_u64(repeats->visited_to, hi);
    repeats->tallied += hi - lo;
    scan->result->count += hi - lo;
    return TRAWL_OK;
}

/* Visits to tallies; where the scan has failed or there is no room they are forgotten. */
static void visits_end(struct scan *scan)
{
    struct repeats *repeats = &scan->worker->repeats;
    struct tallies *tallies = &scan->result->tallies;
    uint64_t from = repeats->visited_from, to = repeats->visited_to;
    uint32_t count = 0;
    bool keeps;

    if (to == 0)
        return;
    TRAWL_ASSERT(from < to && to <= repeats->kept.count && to < repeats->visits_room);
    if (scan->status == TRAWL_OK)
        scan->status = tallies_reserve(tallies, to - from, scan->error);
    keeps = scan->status == TRAWL_OK;
    scan->over = scan->over || !keeps;
    for (uint64_t i = from; keeps && i < to; i++) {
        count += repeats->visits[i];
        if (count > 0)
            tallies->items[tallies->count++] =
                (struct tally){repeats->kept.items[i].literal, count};
    }
    memset(repeats->visits + from, 0, (size_t)(to - from + 1) * sizeof *repeats->visits);
    repeats->visited_from = repeats->visited_to = 0;
}

/* What the result needs of the hits of begins [scan->at, to), which are [lo, hi). */
static void take(struct scan *scan, const struct hits *kept, uint64_t lo, uint64_t hi,
                 uint64_t shift, uint64_t to)
{
    const struct repeats *repeats = &scan->worker->repeats;

    TRAWL_ASSERT(lo <= hi && hi <= kept->count && scan->at < to);
    scan->at = to;
    if (scan->want == ENGINE_WANT_COUNT) {
        scan->result->count += hi - lo;
    } else if (may_visit(scan) && kept == &repeats->kept && hi - lo >= VISIT_HITS) {
        scan->status = visit(scan, lo, hi);
        scan->over = scan->status != TRAWL_OK;
    } else if (kept == &repeats->kept && may_lend(scan, lo, hi)) {
        lend_hits(scan, lo, hi, shift);
    } else if (scan->want == ENGINE_WANT_HITS) {
        take_hits(scan, kept->items, lo, hi, (uint32_t)shift,
                  kept == &repeats->kept ? hits_most(scan) : ENGINE_HITS_MAX);
    } else {
        while (lo < hi && !scan->over) {
            uint32_t x = kept->items[lo].offset + (uint32_t)shift;
            uint32_t literal = kept->items[lo].literal;

            TRAWL_ASSERT(x < to);
            if (x >= scan->run_until)
                verify_emit(scan, x, literal, plan_literal_at(scan->plan, literal).bytes_count);
            lo++;
            if (lo < hi && scan->run_until >= to)
                lo = hi;
            else if (lo < hi && scan->run_until > x + 1)
                lo = hits_from(kept, lo, (uint32_t)(scan->run_until - shift));
        }
    }
}

/* ---- new text ---- */

static enum trawl_status bytes_reserve(struct repeats *repeats, uint64_t more,
                                       struct trawl_error *error)
{
    uint64_t needed = repeats->bytes_count + more, room;
    void *bytes = repeats->bytes;

    if (needed <= repeats->bytes_room)
        return TRAWL_OK;
    room = max_u64(needed, min_u64(2 * repeats->bytes_room, BYTES_MAX));
    TRAWL_TRY(memory_grow(repeats->bytes_room, room, 1, &bytes, error));
    repeats->bytes = (uint8_t *)bytes;
    repeats->bytes_room = room;
    return TRAWL_OK;
}

static enum trawl_status parts_reserve(struct repeats *repeats, struct trawl_error *error)
{
    uint64_t room = max_u64(2 * repeats->parts_room, 16);
    void *parts = repeats->parts;

    if (repeats->parts_count < repeats->parts_room)
        return TRAWL_OK;
    TRAWL_TRY(memory_grow(repeats->parts_room, room, sizeof *repeats->parts, &parts, error));
    repeats->parts = (struct repeats_part *)parts;
    repeats->parts_room = room;
    return TRAWL_OK;
}

/* Samples of the last part that are not in the table. Where two fall together the first stays: more
 * text follows it. */
static enum trawl_status add_anchors(struct repeats *repeats, struct trawl_error *error)
{
    const struct repeats_part *part = &repeats->parts[repeats->parts_count - 1];
    uint64_t place =
        (max_u64(part->begin, repeats->anchored) + ANCHOR_GRID - 1) / ANCHOR_GRID * ANCHOR_GRID;

    if (repeats->anchors == NULL) {
        void *memory;

        TRAWL_TRY(
            memory_allocate(1ull << REPEATS_ANCHOR_BITS, sizeof *repeats->anchors, &memory, error));
        repeats->anchors = (uint32_t *)memory;
        memset(repeats->anchors, 0xff, sizeof *repeats->anchors << REPEATS_ANCHOR_BITS);
    }
    for (; place + SAMPLE_BYTES <= part->end; place += ANCHOR_GRID) {
        uint64_t hash = hash_sample(repeats->bytes + place);
        uint32_t *anchor = &repeats->anchors[hash >> (64 - REPEATS_ANCHOR_BITS)];

        *anchor = *anchor == PLAN_NONE ? (uint32_t)place : *anchor;
    }
    repeats->anchored = place;
    return TRAWL_OK;
}

/* Keep the text of begins [0, count) of the part, which have been searched, and their hits, as long
 * as there is room. Of each begin as many bytes are kept as a literal may have. */
static enum trawl_status keep(struct scan *scan, const struct scan *searched)
{
    struct repeats *repeats = &scan->worker->repeats;
    struct repeats_part *part;
    const struct hits *found = &searched->result->hits;
    const uint8_t *text = searched->chunk->bytes;
    uint64_t more = scan->plan->length_max - 1, taken = found->count;
    uint64_t count =
        min_u64(searched->at, searched->available - min_u64(searched->available, more));
    uint64_t room = HITS_FIRST; /* powers of two, so that they do not exceed HITS_MAX */
    uint32_t shift;

    while (taken > 0 && found->items[taken - 1].offset >= count)
        taken--;
    if (count == 0 || repeats->bytes_count + count + more > BYTES_MAX ||
        repeats->kept.count + taken > HITS_MAX || repeats->parts_count == PARTS_MAX)
        return TRAWL_OK;
    TRAWL_TRY(bytes_reserve(repeats, count + more, scan->error));
    TRAWL_TRY(parts_reserve(repeats, scan->error));
    while (room < repeats->kept.count + taken)
        room *= 2;
    TRAWL_TRY(hits_reserve(&repeats->kept, room - repeats->kept.count, scan->error));
    part = repeats->parts_count > 0 ? &repeats->parts[repeats->parts_count - 1] : NULL;
    if (part == NULL || memcmp(repeats->bytes + part->until, text, (size_t)more) != 0) {
        part = &repeats->parts[repeats->parts_count++];
        part->begin = part->until = repeats->bytes_count;
        part->end = part->begin + more;
        memcpy(repeats->bytes + part->begin, text, (size_t)more);
    }
    TRAWL_ASSERT(part->end - part->until == more);
    memcpy(repeats->bytes + part->end, text + more, (size_t)count);
    shift = (uint32_t)part->until;
    for (uint64_t i = 0; i < taken; i++)
        repeats->kept.items[repeats->kept.count++] =
            (struct hit){found->items[i].offset + shift, found->items[i].literal};
    part->until += count;
    part->end += count;
    repeats->bytes_count = part->end;
    return add_anchors(repeats, scan->error);
}

static uint64_t part_min(const struct trawl_plan *plan)
{
    return min_u64(max_u64(PART_MIN, PART_PER_LENGTH * plan->length_max), PART_MAX);
}

/* The chunk from scan->at on, or of one that may change a copy of as much as is searched next: what
 * is kept has to be what was searched. */
static enum trawl_status next_part(struct scan *scan, struct engine_chunk *chunk)
{
    struct repeats *repeats = &scan->worker->repeats;
    uint64_t from = scan->at, bytes = min_u64(scan->limit - from, repeats->part_bytes);
    uint64_t count = min_u64(scan->available - from, bytes + scan->plan->length_max - 1);
    void *copy;

    TRAWL_ASSERT(bytes > 0 && bytes <= count && count <= COPY_BYTES);
    *chunk = *scan->chunk;
    chunk->bytes += from;
    chunk->begin += from;
    chunk->owned -= from;
    chunk->before += from;
    chunk->hits_few = chunk->ticket = 0;
    chunk->may_tally = chunk->may_change = false;
    if (!scan->chunk->may_change)
        return TRAWL_OK;
    if (repeats->copy == NULL) {
        TRAWL_TRY(memory_allocate_zeroed(COPY_BYTES, 1, &copy, scan->error));
        repeats->copy = (uint8_t *)copy;
    }
    memcpy(repeats->copy, chunk->bytes, (size_t)count);
    chunk->bytes = repeats->copy;
    chunk->owned = bytes;
    chunk->before = 0;
    chunk->after = count - bytes;
    chunk->readable = COPY_BYTES - bytes;
    return TRAWL_OK;
}

/* Search the next bytes as they are. */
static void search_new(struct scan *scan)
{
    struct engine_worker *worker = scan->worker;
    struct repeats *repeats = &worker->repeats;
    struct engine_result *found = &repeats->found;
    struct engine_chunk chunk;
    struct scan part;
    uint64_t from = scan->at, work = worker->dense.work;

    scan->status = next_part(scan, &chunk);
    scan->over = scan->status != TRAWL_OK;
    if (scan->over)
        return;
    scan_begin(&part, scan->plan, &chunk, 0, ENGINE_WANT_HITS, found, scan->error);
    part.worker = worker;
    part.limit = min_u64(part.limit, repeats->part_bytes);
    scan_by_method(&part);
    scan->status = part.status;
    scan->result->candidate_count += found->candidate_count;
    if (scan->status == TRAWL_OK) {
        part.at = min_u64(part.at, part.limit);
        scan->status = keep(scan, &part);
    }
    scan->over = scan->status != TRAWL_OK;
    if (scan->over)
        return;
    if (repeats->trial_bytes >= repeats->trial_free)
        repeats->trial_work += part.work + worker->dense.work - work;
    if (found->hits.count > PART_HITS)
        repeats->part_bytes = max_u64(repeats->part_bytes / 2, part_min(scan->plan));
    else
        repeats->part_bytes = min_u64(2 * repeats->part_bytes, PART_MAX);
    if (found->hits.count > hits_per_byte_most(scan) * part.at + HITS_PER_PART)
        repeats->trial_bytes = UINT64_MAX / 2; /* it is not to go on */
    take(scan, &found->hits, 0, found->hits.count, from, from + part.at);
    repeats->next = UINT64_MAX;
    repeats->next_hit = 0;
}

/* Does it pay to keep text? Much has to be known, and the rest has to take less work than all did
 * before. */
static void judge(struct scan *scan, uint64_t bytes, bool known)
{
    struct repeats *repeats = &scan->worker->repeats;
    uint64_t judged;

    repeats->trial_bytes += bytes;
    repeats->trial_known += known ? bytes : 0;
    if (repeats->trial_bytes < repeats->trial_free + TRIAL_BYTES || scan->result->lent.count > 0)
        return;
    judged = repeats->trial_bytes - repeats->trial_free;
    if (TRIAL_SHARE * repeats->trial_known < judged ||
        repeats->trial_work / 3 > repeats->work_per_byte * judged / 4) {
        visits_end(scan);
        forget(repeats);
        repeats->skips = (uint64_t)LATER_BYTES << repeats->later;
        repeats->later = (uint32_t)min_u64(repeats->later + 1, LATER_MAX);
    }
    repeats->trial_bytes = repeats->trial_known = repeats->trial_work = repeats->trial_free = 0;
}

/* True: the scan stops here, as hits are lent, or are to be lent by the next scan. */
static bool search_kept(struct scan *scan)
{
    struct repeats *repeats = &scan->worker->repeats;

    if (repeats->active) /* what is next is not read by the automaton for the scan before */
        scan->worker->dense.ticket = 0;
    while (!scan->over && scan->result->hits.count < hits_most(scan) && repeats->active) {
        uint64_t begin = max_u64(scan->at, scan->run_until), place, known, lo, hi, count;

        repeats->next += begin - scan->at;
        scan->at = begin;
        if (begin >= scan->limit)
            return false;
        known = find_known(scan, begin, &place);
        if (known == 0) {
            search_new(scan);
        } else {
            repeats->part_bytes = part_min(scan->plan);
            lo = hits_from(&repeats->kept, place == repeats->next ? repeats->next_hit : 0, place);
            hi = hits_from(&repeats->kept, lo, place + known);
            repeats->next = place;
            repeats->next_hit = lo;
            if (scan->result->hits.count > 0 && may_lend(scan, lo, hi))
                return true;
            count = scan->result->count;
            take(scan, &repeats->kept, lo, hi, begin - place, begin + known);
            repeats->next_hit = scan->at == begin + known ? hi : lo + scan->result->count - count;
            repeats->next = place + (scan->at - begin);
            repeats->followed += scan->at - begin;
        }
        TRAWL_ASSERT(scan->over || scan->at > begin);
        judge(scan, scan->at - begin, known > 0);
        if (scan->result->lent.count > 0)
            return true;
    }
    return false;
}

void scan_repeats(struct scan *scan)
{
    struct engine_worker *worker = scan->worker;
    struct repeats *repeats = &worker->repeats;
    bool stops = search_kept(scan);
    uint64_t from = scan->at, bytes, work;

    visits_end(scan);
    if (stops || scan->over || scan->result->hits.count >= hits_most(scan) || from >= scan->limit)
        return;
    work = scan->work + worker->dense.work;
    scan_by_method(scan);
    bytes = min_u64(scan->at, scan->limit) - from;
    if (repeats->bytes_before > BEFORE_BYTES) {
        repeats->bytes_before /= 2;
        repeats->work_before /= 2;
    }
    repeats->bytes_before += bytes;
    repeats->work_before += scan->work + worker->dense.work - work;
    if (repeats->skips > 0)
        repeats->skips -= min_u64(repeats->skips, bytes);
    else if (scan->status == TRAWL_OK && repeats->work_before > WORK_MIN * repeats->bytes_before &&
             scan->result->count < hits_per_byte_most(scan) * bytes)
        scan->status = look_at(repeats, scan->chunk->bytes + from, bytes,
                               repeats->work_before / repeats->bytes_before, scan->error);
    scan->over = scan->over || scan->status != TRAWL_OK;
}
