/* brief: counts, lists or finds the first of the occurrences in a short text, without the start-up
 * work of a long search: no worker is set up, no clock is read, and the text is copied only where a
 * vector would load bytes beyond its end.
 *
 * Candidates are found with two bytes of a single literal, which the plan chose (its first two
 * probes); with nibble tables (plan/nibbles.h) for a set of up to PLAN_NIBBLE_LITERALS_MAX
 * literals; and with the plan's bitmap for a larger set. They are compared one by one. If the
 * comparisons exceed a bound, brief gives up and the caller starts an ordinary search, so the time
 * stays linear in the text.
 *
 * Counting GATTACA in 64 bytes takes 20 ns; setting up the objects of a search took 131 to 190.
 * Other calls, such as trawl_windows, search strings in less than 16 KiB without a job, a task and
 * a worker: up to 1,000 bytes in 0.34 to 0.83 of the time with these [EPYC, AVX2, busy,
 * 2026-11-29].
 */
#include "cpu/brief.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "cpu/set_class.h"
#include "cpu/set_matcher.h"
#include "cpu/set_stems.h"
#include "plan/parts.h"
#include "cpu/prices.def"

#define POSITIONS 512u /* how many candidates are collected before they are compared */
#define BUCKETS 128u
#define END_POSITIONS 192u /* at most this many of the text's last positions are copied */

struct brief {
    const struct trawl_plan *plan;
    const struct plan_set_tables *tables;
    /* pairs of bytes or trigrams of all literals (cpu/find.h); NULL: nibble tables or a bitmap */
    const struct set_class *words;
    uint64_t fold;
    const uint8_t *text;
    uint64_t count; /* bytes of the text */
    /* occurrences begin below this position: later ones are not wanted, or the remaining text is
     * shorter than every literal */
    uint64_t limit;
    uint64_t work, work_max;
    struct engine_brief *found;
};

/* Lists the occurrence of the literal at x. Must be called in hit order: by offset, then by
 * literal. */
static void list(struct brief *brief, uint64_t x, uint32_t index)
{
    struct hits *hits = brief->found->hits;

    if (hits_reserve(hits, 1, NULL) == TRAWL_OK)
        hits->items[hits->count++] = (struct hit){(uint32_t)(x - brief->found->from), index};
    else
        /* more work than work_max ever allows: the search ends and reports failure */
        brief->work = UINT64_MAX - UINT32_MAX;
}

/* Compares the literal with the text at x. If they are equal, and the plan accepts the occurrence
 * there, counts it, lists it if the caller wants a list, and remembers it if it is the first. */
static inline void take(struct brief *brief, uint64_t x, uint32_t index)
{
    const struct trawl_plan *plan = brief->plan;
    const struct plan_literal literal = plan_literal_at(plan, index);
    const uint8_t *bytes = plan_literal_bytes(plan, index), *text = brief->text + x;
    uint64_t length = literal.bytes_count, room = brief->count - x, looked;

    brief->work += CANDIDATE_WORK;
    brief->found->candidates++;
    if (length > room)
        return;
    if ((plan->flags & TRAWL_IGNORE_CASE) != 0) {
        looked = plan_mismatch(plan, bytes, text, length);
        brief->work += looked;
        if (looked < length)
            return;
    } else {
        brief->work += length;
        if (memcmp(bytes, text, (size_t)length) != 0)
            return;
    }
    if (literal.tail_count > 0) {
        length = plan_tail_match(plan, &literal, text, room, &looked);
        brief->work += CANDIDATE_WORK * looked;
        if (length == 0)
            return;
    }
    if (plan_has_conditions(plan) &&
        !plan_accepts(plan, brief->text, x, x + length, 0, brief->count))
        return;
    if (x < brief->found->end)
        return;
    if (brief->found->is_apart)
        brief->found->end = x + length;
    if (brief->found->hits != NULL)
        list(brief, x, index);
    engine_brief_put(brief->found, x, x + length, index, literal.pattern);
}

static inline bool is_over(const struct brief *brief)
{
    return brief->work > brief->work_max || (brief->found->is_first && brief->found->count > 0);
}

static void search_literal(struct brief *brief, const struct find_ops *find)
{
    const struct plan_tuning *tuning = &brief->plan->tuning;
    const uint32_t last = tuning->probe_count - 1;
    const struct plan_probe probes[3] = {tuning->probes[0], tuning->probes[min_u64(last, 1)],
                                         tuning->probes[min_u64(last, 2)]};
    uint32_t positions[POSITIONS];
    uint64_t at = brief->found->from;

    TRAWL_ASSERT(tuning->probe_count > 0);
    while (at < brief->limit && !is_over(brief)) {
        uint64_t to =
            brief->found->is_first ? min_u64(brief->limit, at + FIRST_BYTES) : brief->limit;
        uint32_t count = find->pair(brief->text, &at, to, probes, positions, POSITIONS);

        for (uint32_t i = 0; i < count && !is_over(brief); i++)
            take(brief, positions[i], 0);
    }
}

/* A position of the text: its bytes from plan_head_at on, and the bucket of set entries to compare
 * there. */
struct bucket {
    uint64_t head;
    uint32_t x, begin, end;
};

/* Looks up a bucket (a list of set entries) for each position. Keeps only the buckets with several
 * entries, or with one whose head is at the position. Has no branch per position, since the
 * processor could not predict it. */
static uint32_t list_buckets(const struct brief *brief, const uint32_t *positions, uint32_t count,
                             struct bucket *buckets)
{
    const struct plan_set *set = &brief->plan->set;
    const struct plan_set_tables *tables = brief->tables;
    const uint64_t at = plan_head_at(brief->plan);
    const uint32_t last = brief->plan->literal_count - 1;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t x = positions[i], head = class_load_head(brief->text + x, brief->count - x);
        uint32_t hash = plan_hash64((head | set->head_fold) & set->head_mask, set->bucket_bits);
        uint32_t begin = tables->buckets[hash], end = tables->buckets[hash + 1];
        const struct plan_head *first = &tables->heads[begin < last ? begin : last];

        head = x + at < brief->count ? class_load_head(brief->text + x + at, brief->count - x - at)
                                     : 0;
        buckets[kept] = (struct bucket){head, positions[i], begin, end};
        kept += ((begin < end) & ((head & first->mask) == first->bytes)) | (end - begin > 1);
    }
    return kept;
}

static void take_positions(struct brief *brief, const uint32_t *positions, uint32_t count)
{
    const struct plan_set_tables *tables = brief->tables;
    struct bucket buckets[BUCKETS];

    count = list_buckets(brief, positions, count, buckets);
    for (uint32_t i = 0; i < count && !is_over(brief); i++) {
        const struct bucket *it = &buckets[i];

        for (uint32_t e = it->begin; e < it->end; e++) {
            brief->work++;
            if ((it->head & tables->heads[e].mask) == tables->heads[e].bytes)
                take(brief, it->x, tables->entries[e]);
        }
    }
}

/* Searches the text's positions [at, at + positions). `place` points to the bytes at `at`, in the
 * text or in a copy. */
static void search_words(struct brief *brief, const struct find_ops *find,
                         const struct plan_nibbles *nibbles, const uint8_t *place, uint64_t at,
                         uint64_t positions)
{
    const uint64_t words = (positions + 63) / 64;
    uint32_t places[MANY_TEXT_MAX + SET_ROOM], count = 0;
    struct find_tile tile;

    if (brief->words != NULL && positions > FEW_POSITIONS) {
        class_words_find(brief->words, find, place, positions, &tile);
        count = find->positions(place, &tile, 0, brief->words, brief->fold, places);
        for (uint32_t i = 0; i < count; i++)
            places[i] += (uint32_t)at;
        for (uint32_t i = 0; i < count && !is_over(brief); i += BUCKETS)
            take_positions(brief, places + i, (uint32_t)min_u64(count - i, BUCKETS));
        return;
    }
    if (nibbles != NULL && find->nibbles != NULL)
        find->nibbles(place, words, nibbles, &tile);
    else
        find->set(place, positions, &brief->plan->set,
                  brief->tables->wide != NULL ? brief->tables->wide : brief->tables->bitmap, &tile);
    for (uint64_t i = 0; i < tile_words(&tile, words) && !is_over(brief); i++) {
        uint64_t first = 64 * tile_word(&tile, i), bits = tile.mask[tile_word(&tile, i)];

        if (positions - first < 64)
            bits &= (1ull << (positions - first)) - 1;
        for (; bits != 0; bits &= bits - 1)
            places[count++] = (uint32_t)(at + first + (uint64_t)__builtin_ctzll(bits));
        if (count + 64 <= BUCKETS && i + 1 < tile_words(&tile, words))
            continue;
        take_positions(brief, places, count);
        count = 0;
    }
}

static void search_set(struct brief *brief, const struct find_ops *find,
                       const struct plan_nibbles *nibbles)
{
    const uint64_t limit = brief->limit;
    uint8_t end[END_POSITIONS + FIND_SET_KEPT + PLAN_NIBBLE_REACH];
    uint64_t at = brief->found->from;

    while (at < limit && !is_over(brief)) {
        uint64_t room = brief->count + brief->found->readable - at,
                 words = room > FIND_SET_KEPT ? (room - FIND_SET_KEPT) / 64 : 0;
        uint64_t positions = min_u64(limit - at, 64 * min_u64(words, FIND_TILE_WORDS));

        if (brief->found->is_first)
            positions = min_u64(positions, FIRST_BYTES);
        if (words > 0) {
            search_words(brief, find, nibbles, brief->text + at, at, positions);
        } else { /* near the text's end, search a copy that has room after it */
            positions = min_u64(limit - at, END_POSITIONS);
            room = min_u64(room, END_POSITIONS + FIND_SET_KEPT);
            bytes_copy(end, brief->text + at, room);
            memset(end + room, 0, PLAN_NIBBLE_REACH);
            search_words(brief, find, nibbles, end, at, positions);
        }
        at += positions;
    }
}

/* Returns true if a worker would search for the set with tables that are faster in long texts: with
 * trigrams, or with classes where nibble tables cannot be used. */
static bool is_for_worker(const struct trawl_plan *plan, const struct find_ops *find)
{
    return plan->literal_count > PLAN_NIBBLE_LITERALS_MAX || find->nibbles == NULL ||
           (!find->looks_six && choice_stems_pay(plan, find));
}

bool brief_search(const struct find_ops *find, const struct trawl_plan *plan, const uint8_t *text,
                  uint64_t count, struct engine_brief *found)
{
    struct brief brief = {plan, NULL, NULL, 0, text, count, 0, 0, WORK_ONCE + count / 2, found};
    const struct plan_nibbles *nibbles;

    found->count = found->candidates = 0;
    found->is_long = count - found->from > TEXT_MAX;
    if (found->is_long || plan->method_asked != TRAWL_METHOD_AUTO ||
        plan->kind != PLAN_KIND_STRINGS)
        return false;
    if (plan->literal_count == 0 || count < plan->length_min)
        return true;
    brief.limit = min_u64(found->to, count - plan->length_min + 1);
    if (plan_is_one_literal(plan) && plan->method != TRAWL_METHOD_SET) {
        search_literal(&brief, find);
        return brief.work <= brief.work_max;
    }
    found->is_long = count - found->from > MANY_TEXT_MAX && is_for_worker(plan, find);
    if (found->is_long || !plan_has_strategy(plan, STRATEGY_BUCKETS) ||
        plan_nibbles_want(plan, find->looks_six, &nibbles, NULL) != TRAWL_OK ||
        plan_set_want(plan, &brief.tables, NULL) != TRAWL_OK)
        return false;
    if (plan->literal_count > PLAN_NIBBLE_LITERALS_MAX && choice_stems_pay(plan, find)) {
        const struct set_sample sample = {plan, find, choice_classes, text, 0};
        const struct set_matcher *matcher;

        if (set_matcher_want(&sample, &matcher, NULL) != TRAWL_OK)
            return false;
        brief.fold = matcher->fold;
        if (matcher->class_count == 1 && class_words_fit(&matcher->classes[0], find))
            brief.words = &matcher->classes[0];
    }
    search_set(&brief, find, nibbles);
    return brief.work <= brief.work_max;
}
