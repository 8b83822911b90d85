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
    uint32_t hash = count;

    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ (level->ranges[i].to << 16 | (uint32_t)level->ranges[i].high << 8 |
                        level->ranges[i].low)) *
               2654435769u;
    for (uint32_t i = 1; i < classes->state_count; i++)
        if (classes->states[i].hash == hash && classes->states[i].count == count &&
            same_ranges(classes->ranges + classes->states[i].from, level->ranges, count)) {
            *state = i;
            return TRAWL_OK;
        }
    TRAWL_TRY(
        MEMORY_ROOM(classes->states, classes->state_capacity, classes->state_count + 2, error));
    TRAWL_TRY(
        MEMORY_ROOM(classes->ranges, classes->range_capacity, classes->range_count + count, error));
    if (classes->state_count == CLASSES_END) /* it has no ranges */
        classes->states[classes->state_count++] = (struct class_state){0, 0, 0};
    if (count > 0)
        memcpy(classes->ranges + classes->range_count, level->ranges,
               count * sizeof *level->ranges);
    *state = (uint32_t)classes->state_count;
    classes->states[classes->state_count++] =
        (struct class_state){(uint32_t)classes->range_count, count, hash};
    classes->range_count += count;
    return TRAWL_OK;
}

/* Sets *state to the one before `rest` bytes that may be any. */
static enum trawl_status put_any(struct classes *classes, uint32_t rest, uint32_t *state,
                                 struct trawl_error *error)
{
    *state = CLASSES_END;
    for (uint32_t i = 0; i < rest; i++) {
        struct level level;

        level.ranges[0] = (struct class_range){0x80, 0xbf, *state};
        level.count = 1;
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
    const uint32_t max = (1u << 6 * rest) - 1;
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

        end = (uint32_t)min_u64(at | max, within.last);
        while (i < set->set_count && set->set[i].last < at)
            i++;
        if (i == set->set_count || set->set[i].first > within.last)
            break;
        if (set->set[i].first > end)
            continue;
        if (set->set[i].first <= at && set->set[i].last >= end && (at & max) == 0 &&
            end == (at | max)) { /* all such blocks of the range */
            end = (uint32_t)(min_u64(set->set[i].last, within.last) + 1) & ~max;
            TRAWL_TRY(put_any(classes, rest, &to, error));
            end--;
        } else {
            struct level next;

            next.count = 0;
            TRAWL_TRY(put_block(classes, set, (struct code_range){at, end}, rest - 1, 0x80, &next,
                                error));
            TRAWL_TRY(put_state(classes, &next, &to, error));
        }
        level_put(level, base + (at >> 6 * rest & 63), base + (end >> 6 * rest & 63), to);
    }
    return TRAWL_OK;
}

static enum trawl_status put_first(struct classes *classes, const struct syntax_node *set,
                                   bool bytes, uint32_t *first, struct trawl_error *error)
{
    static const struct code_range lengths[] = {
        {0x80, 0x7ff}, {0x800, 0xd7ff}, {0xe000, 0xffff}, {0x10000, 0x10ffff}}; /* no surrogates */
    static const uint8_t bases[] = {0xc0, 0xe0, 0xe0, 0xf0}, rests[] = {1, 2, 2, 3};
    const uint32_t single = bytes ? 0xff : 0x7f;
    struct level level;

    level.count = 0;
    for (uint32_t i = 0; i < set->set_count && set->set[i].first <= single; i++)
        level_put(&level, set->set[i].first, (uint32_t)min_u64(set->set[i].last, single),
                  CLASSES_END);
    for (uint32_t i = 0; i < 4 && !bytes; i++)
        TRAWL_TRY(put_block(classes, set, lengths[i], rests[i], bases[i], &level, error));
    return put_state(classes, &level, first, error);
}

enum trawl_status classes_know(struct classes *classes, const struct syntax_node *set,
                               uint32_t *index, struct trawl_error *error)
{
    for (*index = 0; *index < classes->known_count; ++*index) {
        const struct class_known *known = &classes->known[*index];

        if (known->count == set->set_count &&
            (known->count == 0 ||
             memcmp(classes->codes + known->from, set->set, known->count * sizeof *set->set) == 0))
            return TRAWL_OK;
    }
    TRAWL_TRY(
        MEMORY_ROOM(classes->known, classes->known_capacity, classes->known_count + 1, error));
    TRAWL_TRY(MEMORY_ROOM(classes->codes, classes->code_capacity,
                          classes->code_count + set->set_count, error));
    if (set->set_count > 0)
        memcpy(classes->codes + classes->code_count, set->set, set->set_count * sizeof *set->set);
    classes->known[classes->known_count++] =
        (struct class_known){(uint32_t)classes->code_count, set->set_count, CLASSES_NONE};
    classes->code_count += set->set_count;
    return TRAWL_OK;
}

bool classes_hold(const struct classes *classes, uint32_t index, uint32_t code)
{
    const struct class_known *known = &classes->known[index];

    return unicode_holds(classes->codes + known->from, known->count, code);
}

enum trawl_status classes_put(struct classes *classes, const struct syntax_node *set, bool bytes,
                              uint32_t *first, struct trawl_error *error)
{
    uint32_t index;

    TRAWL_TRY(classes_know(classes, set, &index, error));
    if (classes->known[index].first == CLASSES_NONE)
        TRAWL_TRY(put_first(classes, set, bytes, &classes->known[index].first, error));
    *first = classes->known[index].first;
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

/* Adds the characters from `first` on to the next cut, which the classes in `members` have. */
static enum trawl_status put_cut(struct symbols *symbols, uint32_t first, uint64_t members,
                                 struct trawl_error *error)
{
    uint32_t symbol = 0;

    while (symbol < symbols->count && symbols->members[symbol] != members)
        symbol++;
    if (symbol == SYMBOLS_MAX)
        return TRAWL_LIMIT;
    symbols->count = (uint32_t)max_u64(symbols->count, symbol + 1);
    symbols->members[symbol] = members;
    TRAWL_TRY(MEMORY_ROOM(symbols->cuts, symbols->cut_capacity, symbols->cut_count + 1, error));
    symbols->cuts[symbols->cut_count++] = (struct symbol_cut){first, symbol};
    return TRAWL_OK;
}

enum trawl_status symbols_make(struct symbols *symbols, const struct classes *classes,
                               struct trawl_error *error)
{
    const uint64_t count = min_u64(classes->known_count, SYMBOLS_CLASSES);
    uint32_t next[SYMBOLS_CLASSES] = {0}, end;

    symbols->count = 0;
    symbols->cut_count = symbols->near = 0;
    for (uint32_t at = 0x80; at <= 0x10ffff; at = end + 1) {
        uint64_t members = 0;

        end = 0x10ffff;
        for (uint32_t i = 0; i < count; i++) {
            const struct class_known *known = &classes->known[i];
            const struct code_range *codes = classes->codes + known->from;

            while (next[i] < known->count && codes[next[i]].last < at)
                next[i]++;
            if (next[i] == known->count)
                continue;
            members |= (uint64_t)(codes[next[i]].first <= at) << i;
            end = (uint32_t)min_u64(end, codes[next[i]].first <= at ? codes[next[i]].last
                                                                    : codes[next[i]].first - 1);
        }
        TRAWL_TRY(put_cut(symbols, at, members, error));
        for (uint32_t two = at; two <= end && two < 0x800; two++)
            symbols->of_two[two] = (uint16_t)symbols->cuts[symbols->cut_count - 1].symbol;
    }
    return put_cut(symbols, UINT32_MAX, 0, error);
}

void symbols_release(struct symbols *symbols)
{
    memory_release(symbols->cuts, symbols->cut_capacity, sizeof *symbols->cuts);
}
