/* lazy_scan: reads a text with the lazy automaton, four parts of it in turn (lazy.h). */
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "regex/judge.h"
#include "regex/lazy_parts.h"

/* after a byte beyond ASCII, so many are read as if there were more of them */
#define WIDE_BYTES 32u

/* Reads on in all lanes, until one ends or has something to do. */
static void read_lanes(struct lazy *lazy, const uint8_t *text, const uint16_t *class_of)
{
    const uint32_t *next = lazy->next;
    struct lane *a = lazy->lanes, *b = a + 1, *c = a + 2, *d = a + 3;
    const uint8_t *in_a = text + a->at, *in_b = text + b->at, *in_c = text + c->at,
                  *in_d = text + d->at;
    const uint64_t count =
        min_u64(min_u64(a->end - a->at, b->end - b->at), min_u64(c->end - c->at, d->end - d->at));
    uint32_t state_a = a->state, state_b = b->state, state_c = c->state, state_d = d->state;
    uint64_t i = 0;

    for (; i < count; i++) {
        const uint32_t to_a = next[state_a + class_of[in_a[i]]];
        const uint32_t to_b = next[state_b + class_of[in_b[i]]];
        const uint32_t to_c = next[state_c + class_of[in_c[i]]];
        const uint32_t to_d = next[state_d + class_of[in_d[i]]];

        /* - 1: a transition that is not known is 0 */
        if ((((to_a - 1) | (to_b - 1) | (to_c - 1) | (to_d - 1)) & STOP) != 0)
            break;
        state_a = to_a;
        state_b = to_b;
        state_c = to_c;
        state_d = to_d;
    }
    a->state = state_a;
    b->state = state_b;
    c->state = state_c;
    d->state = state_d;
    for (uint32_t k = 0; k < LANES; k++)
        lazy->lanes[k].at += i;
}

/* Returns the class of the lane's next byte. */
static inline uint32_t lane_class(const struct lazy *lazy, const uint8_t *text,
                                  const uint16_t *class_of, const struct lane *lane, uint64_t *edge)
{
    return lazy_class(lazy, class_of[text[lane->at]], text, lane->end, lane->at, edge);
}

/* Reads a byte of the lane. Returns false if there is something to do, and reads none. */
static inline bool read_byte(const struct lazy *lazy, const uint8_t *text, const uint16_t *class_of,
                             struct lane *lane)
{
    uint64_t edge = lane->edge;
    const uint32_t to = lazy->next[lane->state + lane_class(lazy, text, class_of, lane, &edge)];

    if (((to - 1) & STOP) != 0)
        return false;
    lane->edge = edge;
    lane->state = to;
    lane->at++;
    return true;
}

static void read_lane(const struct lazy *lazy, const uint8_t *text, const uint16_t *class_of,
                      struct lane *lane)
{
    uint64_t at = lane->at;
    uint32_t state = lane->state, to = state;

    while (lazy->wide > 0 && lane->at < lane->end && read_byte(lazy, text, class_of, lane))
        at = lane->at;
    for (; lazy->wide == 0 && at < lane->end; at++) {
        to = lazy->next[state + class_of[text[at]]];
        if (((to - 1) & STOP) != 0)
            break;
        state = to;
    }
    lane->at = at;
    lane->state = lazy->wide == 0 ? state : lane->state;
}

/* Like read_lanes, if words are known; reads at most `max` bytes in each lane. */
static void read_wide(struct lazy *lazy, const uint8_t *text, const uint16_t *class_of,
                      uint64_t max)
{
    struct lane *lanes = lazy->lanes;
    bool reads = true;

    for (uint64_t i = 0; i < max && reads; i++)
        for (uint32_t k = 0; k < LANES; k++)
            reads &= lanes[k].at < lanes[k].end && read_byte(lazy, text, class_of, &lanes[k]);
}

/* Returns true if the lane's next byte is not one to read on from. */
static inline bool is_due(const struct lazy *lazy, const uint8_t *text, const struct lane *lane)
{
    uint64_t edge = lane->edge;
    const uint32_t class = lane_class(lazy, text, lazy->line_class_of, lane, &edge);

    return ((lazy->next[lane->state + class] - 1) & STOP) != 0;
}

/* Returns the start of the line that the lane is in. */
static uint64_t begin_of_line(const struct lazy *lazy, const uint8_t *text, const struct lane *lane)
{
    const struct trawl_plan *plan = lazy->made->plan;

    return judge_after_last(text, judge_after_last(text, lane->from, lane->at, plan->line_end),
                            lane->at, plan->line_end_also);
}

/* Sets lane->state to that in which a line begins. */
static enum trawl_status begin_lane(struct lazy *lazy, uint32_t index, struct lane *lane,
                                    struct trawl_error *error)
{
    const struct part *part = &lazy->parts[index];
    uint32_t start = part->starts[0][lazy_before(lazy)];

    if (start == 0 || part->flushes != lazy->flushes)
        TRAWL_TRY(lazy_start(lazy, index, false, lazy_before(lazy), &start, error));
    lane->state = start * lazy->stride;
    lane->edge = 0;
    return TRAWL_OK;
}

/* Reads a byte of the lane's, or the line's end at the text's. If a match ends there, adds the line
 * to lane->hits, and goes on after it. */
static enum trawl_status take(struct lazy *lazy, uint32_t index, const uint8_t *text,
                              struct lane *lane, struct trawl_error *error)
{
    const struct expressions *made = lazy->made;
    const bool is_end = lane->at == lane->end;
    const uint32_t class =
        is_end ? lazy->class_count : lane_class(lazy, text, lazy->line_class_of, lane, &lane->edge);
    uint32_t next = lazy->next[lane->state + class];
    struct lazy_hit *hit;

    lane->is_read |= is_end;
    if (next == 0)
        TRAWL_TRY(lazy_follow(lazy, index, lane->state, class, &next, error));
    if ((next & STOP) == 0) {
        lane->state = next;
        lane->at += !is_end;
        return TRAWL_OK;
    }
    TRAWL_TRY(MEMORY_ROOM(lane->hits, lane->capacity, lane->count + 1, error));
    hit = &lane->hits[lane->count++];
    hit->begin = begin_of_line(lazy, text, lane);
    lane->at += bytes_find_either(text + lane->at, lane->end - lane->at, made->plan->line_end,
                                  made->plan->line_end_also);
    lane->at += lane->at < lane->end;
    lane->is_read |= lane->at == lane->end;
    hit->after = lane->at;
    hit->matches =
        !made->has_beyond && (!lazy->nfa.is_hull || lazy->text_is_ascii ||
                              bytes_are_ascii(text + hit->begin, hit->after - hit->begin));
    return begin_lane(lazy, index, lane, error);
}

/* Divides the text into the lanes. */
static enum trawl_status begin_lanes(struct lazy *lazy, uint32_t index, const uint8_t *text,
                                     uint64_t text_bytes, struct trawl_error *error)
{
    for (uint32_t k = 0; k < LANES; k++) {
        const uint64_t at = k > 0 ? lazy->lanes[k - 1].end : 0;
        uint64_t end = max_u64(at, text_bytes / LANES * (k + 1));

        if (k + 1 == LANES)
            end = text_bytes;
        else
            end += bytes_find_either(text + end, text_bytes - end, lazy->made->plan->line_end,
                                     lazy->made->plan->line_end_also);
        lazy->lanes[k].at = lazy->lanes[k].from = at;
        lazy->lanes[k].end = min_u64(end + 1, text_bytes);
        lazy->lanes[k].is_read = lazy->lanes[k].end < text_bytes || at == text_bytes ||
                                 lazy->line_class_of[text[text_bytes - 1]] == lazy->class_count;
        lazy->lanes[k].count = 0;
        TRAWL_TRY(begin_lane(lazy, index, &lazy->lanes[k], error));
    }
    return TRAWL_OK;
}

/* After the states were forgotten for `taker`: the other lanes that have not ended read their lines
 * again. */
static enum trawl_status begin_again(struct lazy *lazy, uint32_t index, const uint8_t *text,
                                     const struct lane *taker, struct trawl_error *error)
{
    for (struct lane *lane = lazy->lanes; lane < lazy->lanes + LANES; lane++)
        if (lane != taker && !(lane->at == lane->end && lane->is_read)) {
            lane->at = begin_of_line(lazy, text, lane);
            TRAWL_TRY(begin_lane(lazy, index, lane, error));
        }
    return TRAWL_OK;
}

/* Reads the lanes to their ends. */
static enum trawl_status scan(struct lazy *lazy, uint32_t index, const uint8_t *text,
                              struct trawl_error *error)
{
    struct lane *lanes = lazy->lanes, *now = lanes;
    const bool is_wide = lazy->wide > 0 && !lazy->text_is_ascii;
    uint64_t flushes = lazy->flushes;
    bool together = true;

    while (now < lanes + LANES && lazy->parts[index].credit >= 0) {
        for (uint32_t k = 0; k < LANES; k++)
            together &= lanes[k].at < lanes[k].end;
        if (together)
            read_lanes(lazy, text, is_wide ? lazy->ascii_class_of : lazy->line_class_of);
        else
            read_lane(lazy, text, lazy->line_class_of, now);
        if (together && is_wide)
            read_wide(lazy, text, lazy->line_class_of, WIDE_BYTES);
        for (struct lane *lane = together ? lanes : now; lane < lanes + LANES; lane++) {
            if (lane->at == lane->end ? !lane->is_read : is_due(lazy, text, lane))
                TRAWL_TRY(take(lazy, index, text, lane, error));
            if (flushes != lazy->flushes)
                TRAWL_TRY(begin_again(lazy, index, text, lane, error));
            if (flushes != lazy->flushes || !together)
                break;
        }
        together &= flushes == lazy->flushes;
        flushes = lazy->flushes;
        now += now->at == now->end && now->is_read;
    }
    return TRAWL_OK;
}

/* Sets *index to the only part of all expressions, and *reads to whether there is only one. */
static enum trawl_status find_part(struct lazy *lazy, uint32_t *index, bool *reads,
                                   struct trawl_error *error)
{
    lazy_forget(lazy);
    if (lazy->groups[LAZY_ALL] == NOTHING)
        TRAWL_TRY(lazy_group(lazy, LAZY_ALL, error));
    *index = lazy->groups[LAZY_ALL];
    *reads = lazy->parts[*index].next == NOTHING && !lazy->parts[*index].passes;
    return TRAWL_OK;
}

/* After `bytes` bytes were read: halves the part if it has made too many states. */
static enum trawl_status end_scan(struct lazy *lazy, uint32_t index, uint64_t bytes, bool *reads,
                                  struct trawl_error *error)
{
    struct part *part = &lazy->parts[index];

    *reads = part->credit >= 0;
    if (!*reads)
        return lazy_halve(lazy, index, error);
    part->credit = min_i64(part->credit + (int64_t)bytes, lazy_credit(lazy, part->count));
    return TRAWL_OK;
}

enum trawl_status lazy_scan(struct lazy *lazy, const uint8_t *text, uint64_t text_bytes,
                            const struct lazy_hit **hits, uint64_t *count, bool *reads,
                            struct trawl_error *error)
{
    struct lane *first = lazy->lanes;
    uint32_t index;

    TRAWL_TRY(find_part(lazy, &index, reads, error));
    if (!*reads)
        return TRAWL_OK;
    lazy->text_is_ascii = bytes_are_ascii(text, text_bytes);
    TRAWL_TRY(begin_lanes(lazy, index, text, text_bytes, error));
    TRAWL_TRY(scan(lazy, index, text, error));
    TRAWL_TRY(end_scan(lazy, index, text_bytes, reads, error));
    if (!*reads)
        return TRAWL_OK;
    for (uint32_t k = 1; k < LANES; k++) {
        const uint64_t more = first[k].count;

        TRAWL_TRY(MEMORY_ROOM(first->hits, first->capacity, first->count + more, error));
        if (more > 0)
            memcpy(first->hits + first->count, first[k].hits, (size_t)more * sizeof *first->hits);
        first->count += more;
    }
    *hits = first->hits;
    *count = first->count;
    return TRAWL_OK;
}

/* Reads the rest of a record, up to the end of its first match. */
static enum trawl_status read_record(struct lazy *lazy, uint32_t index, const uint8_t *text,
                                     struct lane *lane, bool *may, struct trawl_error *error)
{
    uint32_t next = 0, class;

    while (!lane->is_read && (next & STOP) == 0) {
        read_lane(lazy, text, lazy->class_of, lane);
        lane->is_read = lane->at == lane->end;
        class = lazy->class_count;
        if (!lane->is_read)
            class = lane_class(lazy, text, lazy->class_of, lane, &lane->edge);
        TRAWL_TRY(lazy_follow(lazy, index, lane->state, class, &next, error));
        lane->state = next & ~STOP;
        lane->at += !lane->is_read;
    }
    *may = (next & STOP) != 0;
    return TRAWL_OK;
}

enum trawl_status lazy_records(struct lazy *lazy, const uint8_t *text, struct lazy_hit *records,
                               uint32_t count, bool *reads, struct trawl_error *error)
{
    struct lane *lanes = lazy->lanes;
    uint64_t flushes, bytes = 0;
    uint32_t index;
    bool is_hull;

    TRAWL_TRY(find_part(lazy, &index, reads, error));
    if (!*reads)
        return TRAWL_OK;
    is_hull = lazy->nfa.is_hull; /* as find_part left it */
    for (uint32_t k = 0; k < count; k++) {
        lanes[k].end = records[k].after;
        lanes[k].from = records[k].begin;
        if (lazy->tail > 0 && lanes[k].end - lanes[k].from > lazy->tail)
            lanes[k].from = lanes[k].end - lazy->tail;
        lanes[k].at = lanes[k].from;
        lanes[k].is_read = false;
        TRAWL_TRY(begin_lane(lazy, index, &lanes[k], error));
        bytes += records[k].after - records[k].begin;
    }
    flushes = lazy->flushes;
    if (count == LANES && lazy->wide > 0)
        read_wide(lazy, text, lazy->class_of, UINT64_MAX);
    else if (count == LANES)
        read_lanes(lazy, text, lazy->class_of);
    for (uint32_t k = 0; k < count; k++) {
        if (flushes != lazy->flushes) { /* the record is read again */
            lanes[k].at = lanes[k].from;
            TRAWL_TRY(begin_lane(lazy, index, &lanes[k], error));
        }
        TRAWL_TRY(read_record(lazy, index, text, &lanes[k], &records[k].may, error));
        records[k].matches = records[k].may && !lazy->made->has_beyond &&
                             (!is_hull || bytes_are_ascii(text + records[k].begin,
                                                          records[k].after - records[k].begin));
    }
    return end_scan(lazy, index, bytes, reads, error);
}
