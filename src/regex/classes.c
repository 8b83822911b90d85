/* classes: makes the automata of classes (classes.h). */
#include "regex/classes.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

#define LEVEL_MAX 256u /* ranges of a state */

/* A state that is made: its ranges so far. */
struct level {
    struct class_range ranges[LEVEL_MAX];
    uint32_t count;
};

/* Adds bytes that lead to a state, which may continue the last range. */
static void level_put(struct level *level, uint32_t low, uint32_t high, uint32_t to)
{
    struct class_range *last = &level->ranges[level->count - (level->count > 0)];

    if (level->count > 0 && last->to == to && last->high + 1u == low)
        last->high = (uint8_t)high;
    else
        level->ranges[level->count++] = (struct class_range){(uint8_t)low, (uint8_t)high, to};
}

static bool same_ranges(const struct class_range *a, const struct class_range *b, uint32_t count)
{
    bool same = true;

    for (uint32_t i = 0; i < count && same; i++)
        same = a[i].low == b[i].low && a[i].high == b[i].high && a[i].to == b[i].to;
    return same;
}

/* Sets *state to the one with the level's ranges. */
static enum trawl_status put_state(struct classes *classes, const struct level *level,
                                   uint32_t *state, struct trawl_error *error)
{
    const uint32_t count = level->count;

    for (uint32_t i = 1; i < classes->state_count; i++)
        if (classes->states[i].count == count &&
            same_ranges(classes->ranges + classes->states[i].from, level->ranges, count)) {
            *state = i;
            return TRAWL_OK;
        }
    TRAWL_TRY(
        MEMORY_ROOM(classes->states, classes->state_capacity, classes->state_count + 2, error));
    TRAWL_TRY(
        MEMORY_ROOM(classes->ranges, classes->range_capacity, classes->range_count + count, error));
    if (classes->state_count == CLASSES_END) /* it has no ranges */
        classes->states[classes->state_count++] = (struct class_state){0, 0};
    if (count > 0)
        memcpy(classes->ranges + classes->range_count, level->ranges,
               count * sizeof *level->ranges);
    *state = (uint32_t)classes->state_count;
    classes->states[classes->state_count++] =
        (struct class_state){(uint32_t)classes->range_count, count};
    classes->range_count += count;
    return TRAWL_OK;
}

/* Sets *state to the one before `rest` bytes that may be any. */
static enum trawl_status put_any(struct classes *classes, uint32_t rest, uint32_t *state,
                                 struct trawl_error *error)
{
    *state = CLASSES_END;
    for (uint32_t i = 0; i < rest; i++) {
        const struct level level = {.ranges = {{0x80, 0xbf, *state}}, .count = 1};

        TRAWL_TRY(put_state(classes, &level, state, error));
    }
    return TRAWL_OK;
}

/* Adds to the level the bytes of the set's characters in `within`, which have the same bytes up to
 * one that is `base` or more; `rest` bytes follow that one. */
static enum trawl_status put_block(struct classes *classes, const struct syntax_node *set,
                                   struct code_range within, uint32_t rest, uint32_t base,
                                   struct level *level, struct trawl_error *error)
{
    const uint32_t most = (1u << 6 * rest) - 1;
    uint32_t i = 0, high = set->set_count;

    while (i < high) { /* the first range that does not end before */
        const uint32_t middle = i + (high - i) / 2;

        if (set->set[middle].last < within.first)
            i = middle + 1;
        else
            high = middle;
    }
    for (uint32_t at = within.first, end; at <= within.last; at = end + 1) {
        uint32_t to = CLASSES_END;

        end = (uint32_t)min_u64(at | most, within.last);
        while (i < set->set_count && set->set[i].last < at)
            i++;
        if (i == set->set_count || set->set[i].first > within.last)
            break;
        if (set->set[i].first > end)
            continue;
        if (set->set[i].first <= at && set->set[i].last >= end && (at & most) == 0 &&
            end == (at | most)) { /* all such blocks of the range */
            end = (uint32_t)(min_u64(set->set[i].last, within.last) + 1) & ~most;
            TRAWL_TRY(put_any(classes, rest, &to, error));
            end--;
        } else {
            struct level next = {.count = 0};

            TRAWL_TRY(put_block(classes, set, (struct code_range){at, end}, rest - 1, 0x80, &next,
                                error));
            TRAWL_TRY(put_state(classes, &next, &to, error));
        }
        level_put(level, base + (at >> 6 * rest & 63), base + (end >> 6 * rest & 63), to);
    }
    return TRAWL_OK;
}

static enum trawl_status put_first(struct classes *classes, const struct syntax_node *set,
                                   uint32_t last, bool bytes, uint32_t *first,
                                   struct trawl_error *error)
{
    static const struct code_range lengths[] = {
        {0x80, 0x7ff}, {0x800, 0xd7ff}, {0xe000, 0xffff}, {0x10000, 0x10ffff}}; /* no surrogates */
    static const uint8_t bases[] = {0xc0, 0xe0, 0xe0, 0xf0}, rests[] = {1, 2, 2, 3};
    const uint32_t single = bytes ? 0xff : 0x7f;
    struct level level = {.count = 0};

    for (uint32_t i = 0; i < set->set_count && set->set[i].first <= min_u64(last, single); i++)
        level_put(&level, set->set[i].first,
                  (uint32_t)min_u64(set->set[i].last, min_u64(last, single)), CLASSES_END);
    for (uint32_t i = 0; i < 4 && !bytes && last > single; i++)
        TRAWL_TRY(put_block(classes, set, lengths[i], rests[i], bases[i], &level, error));
    return put_state(classes, &level, first, error);
}

enum trawl_status classes_put(struct classes *classes, const struct syntax_node *set, uint32_t last,
                              bool bytes, uint32_t *first, struct trawl_error *error)
{
    struct class_known *known;

    for (uint32_t i = 0; i < classes->known_count; i++) {
        known = &classes->known[i];
        if (known->count == set->set_count &&
            memcmp(classes->codes + known->from, set->set, known->count * sizeof *set->set) == 0) {
            *first = known->first;
            return TRAWL_OK;
        }
    }
    TRAWL_TRY(put_first(classes, set, last, bytes, first, error));
    TRAWL_TRY(
        MEMORY_ROOM(classes->known, classes->known_capacity, classes->known_count + 1, error));
    TRAWL_TRY(MEMORY_ROOM(classes->codes, classes->code_capacity,
                          classes->code_count + set->set_count, error));
    memcpy(classes->codes + classes->code_count, set->set, set->set_count * sizeof *set->set);
    classes->known[classes->known_count++] =
        (struct class_known){(uint32_t)classes->code_count, set->set_count, *first};
    classes->code_count += set->set_count;
    return TRAWL_OK;
}

uint32_t classes_next(const struct classes *classes, uint32_t state, uint32_t byte)
{
    const struct class_range *ranges = classes->ranges + classes->states[state].from;
    uint32_t low = 0, high = classes->states[state].count;

    while (low < high) { /* the first range that does not end before the byte */
        const uint32_t middle = low + (high - low) / 2;

        if (ranges[middle].high < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low < classes->states[state].count && ranges[low].low <= byte && byte < 256
               ? ranges[low].to
               : CLASSES_NONE;
}

void classes_release(struct classes *classes)
{
    memory_release(classes->ranges, classes->range_capacity, sizeof *classes->ranges);
    memory_release(classes->states, classes->state_capacity, sizeof *classes->states);
    memory_release(classes->known, classes->known_capacity, sizeof *classes->known);
    memory_release(classes->codes, classes->code_capacity, sizeof *classes->codes);
    *classes = (struct classes){.ranges = NULL};
}
