/* lazy_states: the lists of places, states and transitions of lazy automata (lazy.h). */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/lazy_parts.h"
#include "regex/prices.def"

/* ---- Lists -------------------------------------------------------------------------------- */

static void list_begin(struct lazy *lazy)
{
    lazy->list_count = lazy->end_count = 0;
    lazy->has_end = lazy->ended = false;
    lazy->ended_by = NOTHING;
    if (++lazy->list_number == 0) {
        memset(lazy->seen, 0, 2 * (size_t)lazy->list_capacity * sizeof(uint32_t));
        lazy->list_number = 1;
    }
}

/* Begins the set of matches that begin later. */
static void next_set(struct lazy *lazy)
{
    if (lazy->list_count > 0 && lazy->list[lazy->list_count - 1] != NEXT_SET)
        lazy->list[lazy->list_count++] = NEXT_SET;
}

/* Returns true if nothing may follow in the list, as a match ends there. */
static bool is_cut(const struct lazy *lazy)
{
    return lazy->as == LAZY_ORDERED && (lazy->has_end || lazy->ended);
}

/* Adds the end of a match to the list that is made. */
static void add_end(struct lazy *lazy, uint32_t place)
{
    if (lazy->as == LAZY_ENDS)
        lazy->ends[lazy->end_count++] = place;
    else
        lazy->list[lazy->list_count++] = place;
    lazy->has_end = true;
}

/* Adds a place to the list, and those that are reached from it without reading a byte, up to
 * assertions, in the order of preference. `base` elements of the stack are in use. */
static void add(struct lazy *lazy, uint32_t place, uint32_t base)
{
    uint32_t depth = base;

    lazy->stack[depth++] = place;
    while (depth > base && !is_cut(lazy) && !lazy->stays) {
        uint32_t at = lazy->stack[--depth];

        while (lazy->seen[at] != lazy->list_number) {
            const struct place *what = &lazy->nfa.places[at];

            lazy->seen[at] = lazy->list_number;
            if (what->kind == PLACE_FORK) {
                lazy->stack[depth++] = what->other;
                at = what->next;
            } else if (what->kind == PLACE_END) {
                add_end(lazy, at);
            } else {
                lazy->list[lazy->list_count++] = at;
            }
        }
    }
}

/* Adds to the list what follows a place of another list after the border's byte. */
static void move_place(struct lazy *lazy, uint32_t place, const struct border *border)
{
    uint32_t depth = 0;

    lazy->stack[depth++] = place;
    while (depth > 0 && !is_cut(lazy)) {
        uint32_t at = lazy->stack[--depth];

        while (lazy->settled[at] != lazy->list_number) {
            const struct place *what = &lazy->nfa.places[at];

            lazy->settled[at] = lazy->list_number;
            if (what->kind == PLACE_FORK) {
                lazy->stack[depth++] = what->other;
                at = what->next;
            } else if (what->kind == PLACE_EDGE) {
                at = nfa_holds(&lazy->nfa, what, border) ? what->next : at;
            } else if (what->kind == PLACE_END && lazy->as != LAZY_ENDS) {
                lazy->ended = true;
                lazy->ended_by = (uint32_t)min_u64(lazy->ended_by, what->other);
            } else if (what->kind == PLACE_END) {
                if (lazy->seen[at] != lazy->list_number)
                    add_end(lazy, at);
                lazy->seen[at] = lazy->list_number;
            } else if (what->kind == PLACE_CLASS) {
                const uint32_t next = nfa_after(&lazy->nfa, at, border);

                if (next != NO_PLACE)
                    add(lazy, next, depth);
            } else if (what->low <= border->next && border->next <= what->high) {
                add(lazy, what->next, depth);
            }
        }
    }
}

/* The same for a list. */
static void move(struct lazy *lazy, const uint32_t *items, uint32_t count,
                 const struct border *border)
{
    for (uint32_t i = 0; i < count && !is_cut(lazy); i++) {
        if (items[i] != NEXT_SET)
            move_place(lazy, items[i], border);
        else if (lazy->ended || lazy->has_end)
            break;
        else
            next_set(lazy);
    }
}

/* Adds places and ends that `move` has found earlier. */
static void put_list(struct lazy *lazy, const uint32_t *items, struct range range)
{
    for (uint32_t i = 0; i < range.count + range.ends; i++) {
        const uint32_t at = items[range.from + i];

        if (at != NEXT_SET && lazy->seen[at] == lazy->list_number)
            continue;
        if (at != NEXT_SET)
            lazy->seen[at] = lazy->list_number;
        if (i < range.count)
            lazy->list[lazy->list_count++] = at;
        else
            lazy->ends[lazy->end_count++] = at;
    }
}

/* Adds what find_moved has found, unless no match begins any more. */
static void put_moved(struct lazy *lazy, struct range moved)
{
    if (lazy->as == LAZY_ENDS) {
        put_list(lazy, lazy->kept, moved);
    } else if (!lazy->ended && !lazy->has_end) {
        lazy->ended = moved.ends > 0;
        moved.ends = 0;
        if (lazy->as == LAZY_LONGEST)
            next_set(lazy);
        put_list(lazy, lazy->kept, moved);
        for (uint32_t i = 0; i < moved.count; i++)
            lazy->has_end |= lazy->nfa.places[lazy->kept[moved.from + i]].kind == PLACE_END;
    }
}

/* Copies the list to lazy->kept. */
static enum trawl_status copy_list(struct lazy *lazy, struct range *range,
                                   struct trawl_error *error)
{
    const uint64_t count = (uint64_t)lazy->list_count + lazy->end_count;

    TRAWL_TRY(MEMORY_ROOM(lazy->kept, lazy->kept_capacity, lazy->kept_count + count, error));
    *range = (struct range){(uint32_t)lazy->kept_count, lazy->list_count, lazy->end_count};
    if (count > 0)
        memcpy(lazy->kept + lazy->kept_count, lazy->list, lazy->list_count * sizeof(uint32_t));
    if (lazy->end_count > 0)
        memcpy(lazy->kept + lazy->kept_count + lazy->list_count, lazy->ends,
               lazy->end_count * sizeof(uint32_t));
    lazy->kept_count += count;
    return TRAWL_OK;
}

/* Finds the places where matches of the part begin. */
static enum trawl_status find_first(struct lazy *lazy, struct part *part, struct trawl_error *error)
{
    if (part->first.count + part->first.ends > 0)
        return TRAWL_OK;
    list_begin(lazy);
    for (uint32_t i = 0; i < part->count; i++)
        add(lazy, part->border > 0 ? part->border : lazy->firsts[lazy->rules[part->from + i]], 0);
    part->holds = lazy->has_end;
    return copy_list(lazy, &part->first, error);
}

/* Sets *out to where the matches of the part that begin at the border are after its byte. */
static enum trawl_status find_moved(struct lazy *lazy, struct part *part, uint32_t class,
                                    const struct border *border, struct range *out,
                                    struct trawl_error *error)
{
    const uint64_t count = BEFORES * lazy->stride;
    struct range *moved;

    if (part->moved == NULL) {
        TRAWL_TRY(MEMORY_NEW(part->moved, count, error));
        lazy->moved_count++;
        memset(part->moved, 0xff, (size_t)count * sizeof *part->moved);
    }
    TRAWL_TRY(find_first(lazy, part, error));
    moved = &part->moved[border->before * lazy->stride + class];
    if (moved->from == NOTHING) {
        list_begin(lazy);
        move(lazy, lazy->kept + part->first.from, part->first.count, border);
        put_list(lazy, lazy->kept, /* a match may be empty */
                 (struct range){part->first.from + part->first.count, 0, part->first.ends});
        TRAWL_TRY(copy_list(lazy, moved, error));
        moved->ends += lazy->ended;
    }
    *out = *moved;
    return TRAWL_OK;
}

/* ---- States ------------------------------------------------------------------------------- */

void lazy_flush(struct lazy *lazy)
{
    if (lazy->slot_count > 0)
        memset(lazy->slots, 0, lazy->slot_count * sizeof(uint32_t));
    lazy->state_count = 1; /* transition 0 is unknown */
    lazy->item_count = 0;
    lazy->flushes++;
}

void lazy_forget_moved(struct lazy *lazy)
{
    for (uint64_t i = 0; i < lazy->part_count; i++) {
        memory_release(lazy->parts[i].moved, BEFORES * lazy->stride, sizeof(struct range));
        lazy->parts[i].moved = NULL;
    }
    lazy->moved_count = 0;
}

void lazy_forget(struct lazy *lazy)
{
    const uint64_t bytes = lazy->kept_count * sizeof(uint32_t) +
                           lazy->moved_count * BEFORES * lazy->stride * sizeof(struct range);

    if (lazy->made->memory.mib == 0 || bytes <= lazy->share_bytes)
        return;
    lazy_forget_moved(lazy);
    for (uint64_t i = 0; i < lazy->part_count; i++) {
        lazy->parts[i].first = (struct range){0, 0, 0};
        lazy->parts[i].flushes = 0; /* so that lazy_start finds them again */
    }
    lazy->kept_count = 0;
}

static int compare_places(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

    return first < second ? -1 : first > second;
}

/* Sorts places. Short lists are nearly sorted already. */
static void sort(uint32_t *items, uint32_t count)
{
    if (count > SHORT_LIST) {
        qsort(items, count, sizeof *items, compare_places);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t item = items[i];
        uint32_t to = i;

        for (; to > 0 && items[to - 1] > item; to--)
            items[to] = items[to - 1];
        items[to] = item;
    }
}

/* Makes the hash table of states larger. */
static enum trawl_status grow_slots(struct lazy *lazy, uint64_t count, struct trawl_error *error)
{
    uint32_t *slots;

    TRAWL_TRY(MEMORY_ZEROED(slots, count, error));
    memory_release(lazy->slots, lazy->slot_count, sizeof *slots);
    lazy->slots = slots;
    lazy->slot_count = (uint32_t)count;
    for (uint32_t i = 1; i < lazy->state_count; i++) {
        uint32_t slot = lazy->states[i].hash % lazy->slot_count;

        while (slots[slot] != 0)
            slot = (slot + 1) % lazy->slot_count;
        slots[slot] = i;
    }
    return TRAWL_OK;
}

enum trawl_status lazy_room(struct lazy *lazy, uint32_t count, struct trawl_error *error)
{
    const uint32_t room = 2 * count;
    uint32_t *list;

    if (count <= lazy->list_capacity)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_ZEROED(list, 6 * (uint64_t)room, error));
    memory_release(lazy->list, 6 * (uint64_t)lazy->list_capacity, sizeof(uint32_t));
    lazy->list_capacity = room;
    lazy->list = list;
    lazy->ends = lazy->list + room;
    lazy->stack = lazy->ends + room;
    lazy->seen = lazy->stack + 2 * (uint64_t)room;
    lazy->settled = lazy->seen + room;
    lazy->list_number = 0;
    return TRAWL_OK;
}

/* Makes room for one more state and its list, up to the most that there may be. */
static enum trawl_status make_room(struct lazy *lazy, struct trawl_error *error)
{
    const uint64_t states = min_u64(lazy->state_count + UINT64_C(1), lazy->states_max);
    const uint64_t items =
        min_u64(lazy->item_count + 2 * (uint64_t)lazy->list_capacity, lazy->items_max);

    TRAWL_TRY(MEMORY_ROOM(lazy->states, lazy->state_capacity, states, error));
    TRAWL_TRY(MEMORY_ROOM(lazy->next, lazy->next_capacity, states * lazy->stride, error));
    if (lazy->slot_count < 2 * lazy->state_capacity)
        TRAWL_TRY(grow_slots(lazy, 2 * lazy->state_capacity, error));
    return MEMORY_ROOM(lazy->items, lazy->item_capacity, items, error);
}

/* Sorts the lists of the state that is made, as far as their order does not matter. */
static void sort_all(struct lazy *lazy)
{
    uint32_t begin = 0;

    sort(lazy->ends, lazy->end_count);
    if (lazy->as == LAZY_ORDERED)
        return;
    lazy->list_count -= lazy->list_count > 0 && lazy->list[lazy->list_count - 1] == NEXT_SET;
    for (uint32_t i = 0; i < lazy->list_count && lazy->as == LAZY_LONGEST; i++)
        if (lazy->list[i] == NEXT_SET) {
            sort(lazy->list + begin, i - begin);
            begin = i + 1;
        }
    sort(lazy->list + begin, lazy->list_count - begin);
}

/* Returns the number of the state with the list that was made; 0 if there is no room for it. */
static uint32_t state_of(struct lazy *lazy, uint32_t part, uint32_t before, bool is_single)
{
    uint32_t *items = lazy->items + lazy->item_count;
    uint64_t hash = part * UINT64_C(31) + before + is_single * UINT64_C(7);
    uint32_t slot, count, ends;

    sort_all(lazy);
    count = lazy->list_count;
    ends = lazy->end_count;
    if (lazy->item_count + (uint64_t)count + ends > lazy->items_max)
        return 0;
    memcpy(items, lazy->list, count * sizeof(uint32_t));
    memcpy(items + count, lazy->ends, ends * sizeof(uint32_t));
    for (uint32_t i = 0; i < count + ends; i++)
        hash = (hash ^ items[i]) * UINT64_C(0x9e3779b97f4a7c15);
    slot = (uint32_t)(hash >> 32) % lazy->slot_count;
    for (; lazy->slots[slot] != 0; slot = (slot + 1) % lazy->slot_count) {
        const struct state *state = &lazy->states[lazy->slots[slot]];

        if (state->part == part && state->before == before && state->list.count == count &&
            state->list.ends == ends && state->is_single == is_single &&
            memcmp(lazy->items + state->list.from, items, (count + ends) * sizeof(uint32_t)) == 0)
            return lazy->slots[slot];
    }
    if (lazy->state_count == lazy->states_max)
        return 0;
    /* here, and not for all states at once: most expressions need few */
    memset(lazy->next + (uint64_t)lazy->state_count * lazy->stride, 0,
           lazy->stride * sizeof(uint32_t));
    lazy->states[lazy->state_count] = (struct state){
        {lazy->item_count, count, ends}, part, before, (uint32_t)(hash >> 32), is_single};
    lazy->item_count += count + ends;
    return lazy->slots[slot] = lazy->state_count++;
}

enum trawl_status lazy_start(struct lazy *lazy, uint32_t index, bool is_anchored, uint32_t before,
                             uint32_t *start, struct trawl_error *error)
{
    struct part *part = &lazy->parts[index];

    TRAWL_TRY(find_first(lazy, part, error));
    do {
        if (part->flushes != lazy->flushes)
            memset(part->starts, 0, sizeof part->starts);
        part->flushes = lazy->flushes;
        *start = part->starts[is_anchored][before];
        if (*start > 0)
            return TRAWL_OK;
        TRAWL_TRY(make_room(lazy, error));
        list_begin(lazy);
        if (is_anchored)
            put_list(lazy, lazy->kept, part->first);
        *start = state_of(lazy, is_anchored ? NOTHING : index, before, true);
        part->starts[is_anchored][before] = *start;
        if (*start == 0)
            lazy_flush(lazy);
    } while (*start == 0);
    return TRAWL_OK;
}

/* Returns the border between what comes before and the class. */
static struct border border_of(const struct lazy *lazy, uint32_t before, uint32_t class)
{
    const uint32_t more = class - lazy->byte_classes, wide = lazy->wide;
    const bool is_byte = class < lazy->byte_classes, back = lazy->nfa.backwards;
    struct border border = {.before = before, .next = END_OF_LINE};

    if (class == lazy->class_count)
        return border;
    border.next =
        back && !is_byte ? CHARACTER : lazy->byte_of[is_byte ? class : lazy->high + more % wide];
    if (!is_byte)
        border.unit =
            back && !lazy->nfa.knows_words ? UNIT_OTHER : (enum nfa_unit)(UNIT_WORD + more / wide);
    else if (back && border.next >= 0x80)
        border.unit = lazy->made->is_strict ? UNIT_NONE : UNIT_OTHER;
    if (border.next == CHARACTER)
        border.classes = lazy->symbols.members[more % wide];
    return border;
}

/* Returns true if words are known, and the border is inside of a character. */
static bool is_inside(const struct lazy *lazy, const struct border *border)
{
    return lazy->nfa.knows_words && border_is_inside(border);
}

/* Returns true if matches of the part may begin at the border: those of an expression with word
 * boundaries do not begin inside of a character, not even empty ones. */
static bool may_begin(const struct lazy *lazy, uint32_t part, const struct border *border)
{
    return part != NOTHING && !(is_inside(lazy, border) &&
                                lazy->made->items[lazy->rules[lazy->parts[part].from]].has_words);
}

/* Makes the transition of the state after the class. Sets *next to 0 if there is no room. */
static enum trawl_status make_transition(struct lazy *lazy, uint32_t number, uint32_t class,
                                         uint32_t *next, int64_t *credit, struct trawl_error *error)
{
    const struct state from = lazy->states[number];
    const struct border border = border_of(lazy, from.before, class);
    const uint32_t byte = border.next;
    const bool finds = lazy->as != LAZY_ENDS, is_end = byte == END_OF_LINE;
    const bool was_idle = from.list.count == 0;
    const uint64_t flushes = lazy->flushes;
    struct range moved = {0, 0, 0};
    uint32_t before = LINE_BEFORE_OTHER, part = from.part, count, to, flags;
    bool is_sure, is_single;

    if (lazy->nfa.slots != NULL) { /* each place may lead to a new one */
        count = lazy->nfa.count + from.list.count +
                (from.part != NOTHING ? lazy->parts[from.part].first.count : 0);
        if (count > lazy->nfa.max) {
            *credit = -1;
            *next = DEAD;
            return TRAWL_OK;
        }
        TRAWL_TRY(lazy_room(lazy, count, error));
    }
    TRAWL_TRY(make_room(lazy, error));
    if (may_begin(lazy, from.part, &border))
        TRAWL_TRY(find_moved(lazy, &lazy->parts[from.part], class, &border, &moved, error));
    list_begin(lazy);
    move(lazy, lazy->items + from.list.from, from.list.count, &border);
    is_sure = was_idle || (from.is_single && lazy->ended);
    count = lazy->list_count;
    put_moved(lazy, moved);
    is_single = was_idle || (from.is_single && lazy->list_count == count);
    *credit -= TRANSITION_COST + from.list.count + 2 * (int64_t)lazy->list_count;
    if (finds && (lazy->ended || lazy->has_end))
        part = NOTHING;
    /* if the list has an end, that one counts */
    flags = lazy->ended && !lazy->has_end ? STOP | MATCH | (is_sure ? 0 : UNSURE) : 0;
    *next = flags | STOP;
    if (is_end && !finds && lazy->end_count == 0 && part != NOTHING) {
        /* for lazy_scan: the next line begins */
        TRAWL_TRY(lazy_start(lazy, part, false, lazy_before(lazy), &to, error));
        *next = to * lazy->stride;
        if (flushes != lazy->flushes)
            return TRAWL_OK;
    } else if (!(is_end && finds) && (lazy->list_count + lazy->end_count > 0 || part != NOTHING)) {
        if (lazy->nfa.has_edges && !is_end)
            before = is_inside(lazy, &border) ? from.before
                                              : (uint32_t)nfa_before(&lazy->nfa, byte, border.unit);
        to = state_of(lazy, part, before, is_single || lazy->list_count == 0);
        if (to == 0) {
            *next = 0;
            return TRAWL_OK;
        }
        flags |= lazy->states[to].list.ends > 0              ? STOP
                 : finds && lazy->states[to].list.count == 0 ? IDLE
                                                             : 0;
        *next = to * lazy->stride | flags;
    }
    lazy->next[number * lazy->stride + class] = *next;
    return TRAWL_OK;
}

uint32_t lazy_ends(struct lazy *lazy, uint32_t state, uint32_t class)
{
    const struct state *now = &lazy->states[state / lazy->stride];
    const struct border border = border_of(lazy, now->before, class);

    lazy->stays = true;
    list_begin(lazy);
    move(lazy, lazy->items + now->list.from, now->list.count, &border);
    if (may_begin(lazy, now->part, &border)) {
        const struct range first = lazy->parts[now->part].first;

        move(lazy, lazy->kept + first.from, first.count, &border);
    }
    lazy->stays = false;
    return lazy->ended ? MATCH | UNSURE : 0;
}

enum trawl_status lazy_follow(struct lazy *lazy, uint32_t index, uint32_t state, uint32_t class,
                              uint32_t *next, struct trawl_error *error)
{
    int64_t *credit = &lazy->parts[index].credit;

    *next = lazy->next[state + class];
    if (*next == 0)
        TRAWL_TRY(make_transition(lazy, state / lazy->stride, class, next, credit, error));
    if (*next == 0) { /* too many states */
        const struct state here = lazy->states[state / lazy->stride];

        list_begin(lazy);
        put_list(lazy, lazy->items, here.list);
        lazy_flush(lazy);
        state = state_of(lazy, here.part, here.before, here.is_single);
        TRAWL_ASSERT(state != 0);
        TRAWL_TRY(make_transition(lazy, state, class, next, credit, error));
        TRAWL_ASSERT(*next != 0);
    }
    return TRAWL_OK;
}
