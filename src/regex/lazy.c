/* lazy: the places, parts and states of an automaton that is made while it reads (lazy.h). */
#include "regex/lazy_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/words.h"
#include "regex/prices.def"

/* An expression with more places always passes. */
#define RULE_PLACES_MAX 4096u
/* A share of the memory (lazy_parts.h). If the plan limits memory, a 64th of that is one, up to 1
 * MiB. There are four, of which arrays that grow may take twice as much, so that a thread needs an
 * eighth of the limit, up to 8 MiB; a server counts 9 (tools/trawl/options/expressions.c). A place
 * takes PLACE_BYTES with the arrays of lists. */
#define SHARE_BYTES (UINT64_C(1) << 23)
#define LIMITED_BYTES (UINT64_C(1) << 20)
#define SHARES 64u
#define PLACE_BYTES 80u
#define STATES_MAX (1u << 15)
#define CHARACTER_BYTES_MAX 4u
struct lazy_sizes lazy_sizes = {.states = STATES_MAX, .credit = 4096};

void lazy_free(struct lazy *lazy)
{
    if (lazy == NULL)
        return;
    lazy_free(lazy->sure);
    for (uint64_t i = 0; i < lazy->part_count; i++)
        memory_release(lazy->parts[i].moved, BEFORES * lazy->stride, sizeof(struct range));
    memory_release(lazy->nfa.places, lazy->place_capacity, sizeof *lazy->nfa.places);
    memory_release(lazy->firsts, lazy->count, sizeof(uint32_t));
    memory_release(lazy->groups, lazy->group_count, sizeof(uint32_t));
    memory_release(lazy->rules, lazy->rule_capacity, sizeof(uint32_t));
    memory_release(lazy->parts, lazy->part_capacity, sizeof *lazy->parts);
    memory_release(lazy->kept, lazy->kept_capacity, sizeof(uint32_t));
    memory_release(lazy->list, 6 * (uint64_t)lazy->list_capacity, sizeof(uint32_t));
    memory_release(lazy->states, lazy->state_capacity, sizeof *lazy->states);
    memory_release(lazy->next, lazy->next_capacity, sizeof(uint32_t));
    memory_release(lazy->slots, lazy->slot_count, sizeof(uint32_t));
    memory_release(lazy->items, lazy->item_capacity, sizeof(uint32_t));
    memory_release(lazy->found, lazy->count, 2 * sizeof(uint32_t));
    memory_release(lazy->place_slots, NFA_SLOTS, sizeof(uint16_t));
    for (uint32_t i = 0; i < LANES; i++)
        memory_release(lazy->lanes[i].hits, lazy->lanes[i].capacity, sizeof(struct lazy_hit));
    memory_release(lazy, 1, sizeof *lazy);
}

/* ---- Lists -------------------------------------------------------------------------------- */

static void list_begin(struct lazy *lazy)
{
    lazy->list_count = lazy->end_count = 0;
    if (++lazy->list_number == 0) {
        memset(lazy->seen, 0, 2 * (size_t)lazy->list_capacity * sizeof(uint32_t));
        lazy->list_number = 1;
    }
}

static void push(struct lazy *lazy, uint32_t *marks, uint32_t place, uint32_t *depth)
{
    if (marks[place] == lazy->list_number)
        return;
    marks[place] = lazy->list_number;
    lazy->stack[(*depth)++] = place;
}

/* Adds a place to the list, and those that are reached from it without reading a byte, up to
 * assertions. `base` elements of the stack are in use. */
static void add(struct lazy *lazy, uint32_t place, uint32_t base)
{
    uint32_t depth = base;

    push(lazy, lazy->seen, place, &depth);
    while (depth > base) {
        const uint32_t at = lazy->stack[--depth];
        const struct place *what = &lazy->nfa.places[at];

        if (what->kind == PLACE_FORK) {
            push(lazy, lazy->seen, what->other, &depth);
            push(lazy, lazy->seen, what->next, &depth);
        } else if (what->kind == PLACE_END) {
            lazy->ends[lazy->end_count++] = at;
        } else {
            lazy->list[lazy->list_count++] = at;
        }
    }
}

/* Adds to the list what follows the places of another list after the border's byte. */
static void move(struct lazy *lazy, const uint32_t *items, uint32_t count,
                 const struct border *border)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t depth = 0;

        push(lazy, lazy->settled, items[i], &depth);
        while (depth > 0) {
            const uint32_t at = lazy->stack[--depth];
            const struct place *what = &lazy->nfa.places[at];

            if (what->kind == PLACE_FORK) {
                push(lazy, lazy->settled, what->other, &depth);
                push(lazy, lazy->settled, what->next, &depth);
            } else if (what->kind == PLACE_EDGE) {
                if (nfa_holds(&lazy->nfa, what, border))
                    push(lazy, lazy->settled, what->next, &depth);
            } else if (what->kind == PLACE_END) {
                if (lazy->seen[at] != lazy->list_number)
                    lazy->ends[lazy->end_count++] = at;
                lazy->seen[at] = lazy->list_number;
            } else if (what->low <= border->next && border->next <= what->high) {
                add(lazy, what->next, depth);
            }
        }
    }
}

/* Adds places and ends that `move` has found earlier. */
static void put_list(struct lazy *lazy, const uint32_t *items, struct range range)
{
    for (uint32_t i = 0; i < range.count + range.ends; i++) {
        const uint32_t at = items[range.from + i];

        if (lazy->seen[at] == lazy->list_number)
            continue;
        lazy->seen[at] = lazy->list_number;
        if (i < range.count)
            lazy->list[lazy->list_count++] = at;
        else
            lazy->ends[lazy->end_count++] = at;
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
        add(lazy, lazy->firsts[lazy->rules[part->from + i]], 0);
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
    }
    *out = *moved;
    return TRAWL_OK;
}

/* ---- States ------------------------------------------------------------------------------- */

static void flush(struct lazy *lazy)
{
    memset(lazy->slots, 0, lazy->slot_count * sizeof(uint32_t));
    lazy->state_count = 1; /* transition 0 is unknown */
    lazy->item_count = 0;
    lazy->flushes++;
}

static void forget_moved(struct lazy *lazy)
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
    forget_moved(lazy);
    for (uint64_t i = 0; i < lazy->part_count; i++)
        lazy->parts[i].first = (struct range){0, 0, 0};
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

/* Makes room for one more state and its list, up to the most that there may be. */
static enum trawl_status make_room(struct lazy *lazy, struct trawl_error *error)
{
    const uint64_t states = min_u64(lazy->state_count + UINT64_C(1), lazy->states_max);
    const uint64_t items = min_u64(lazy->item_count + (uint64_t)lazy->nfa.count, lazy->items_max);

    TRAWL_TRY(MEMORY_ROOM(lazy->states, lazy->state_capacity, states, error));
    TRAWL_TRY(MEMORY_ROOM(lazy->next, lazy->next_capacity, states * lazy->stride, error));
    return MEMORY_ROOM(lazy->items, lazy->item_capacity, items, error);
}

/* Returns the number of the state with the list that was made; 0 if there is no room for it. */
static uint32_t state_of(struct lazy *lazy, uint32_t part, uint32_t before)
{
    const uint32_t count = lazy->list_count, ends = lazy->end_count;
    const struct state made = {{lazy->item_count, count, ends}, part, before};
    uint32_t *items = lazy->items + lazy->item_count;
    uint64_t hash = part * UINT64_C(31) + before;
    uint32_t slot;

    if (lazy->item_count + (uint64_t)count + ends > lazy->items_max)
        return 0;
    sort(lazy->list, count);
    sort(lazy->ends, ends);
    memcpy(items, lazy->list, count * sizeof(uint32_t));
    memcpy(items + count, lazy->ends, ends * sizeof(uint32_t));
    for (uint32_t i = 0; i < count + ends; i++)
        hash = (hash ^ items[i]) * UINT64_C(0x9e3779b97f4a7c15);
    slot = (uint32_t)(hash >> 32) % lazy->slot_count;
    for (; lazy->slots[slot] != 0; slot = (slot + 1) % lazy->slot_count) {
        const struct state *state = &lazy->states[lazy->slots[slot]];

        if (state->part == part && state->before == before && state->list.count == count &&
            state->list.ends == ends &&
            memcmp(lazy->items + state->list.from, items, (count + ends) * sizeof(uint32_t)) == 0)
            return lazy->slots[slot];
    }
    if (lazy->state_count == lazy->states_max)
        return 0;
    /* here, and not for all states at once: most expressions need few */
    memset(lazy->next + (uint64_t)lazy->state_count * lazy->stride, 0,
           lazy->stride * sizeof(uint32_t));
    lazy->states[lazy->state_count] = made;
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
        *start = state_of(lazy, is_anchored ? NOTHING : index, before);
        part->starts[is_anchored][before] = *start;
        if (*start == 0)
            flush(lazy);
    } while (*start == 0);
    return TRAWL_OK;
}

/* Makes the transition of the state after the class. Sets *next to 0 if there is no room. */
static enum trawl_status make_transition(struct lazy *lazy, uint32_t number, uint32_t class,
                                         uint32_t *next, int64_t *credit, struct trawl_error *error)
{
    const struct state from = lazy->states[number];
    const uint32_t byte = class == lazy->class_count ? END_OF_LINE : lazy->byte_of[class];
    const struct border border = {from.before, byte, false};
    struct range moved = {0, 0, 0};
    const uint64_t flushes = lazy->flushes;
    uint32_t before = LINE_BEFORE_OTHER, to;

    TRAWL_TRY(make_room(lazy, error));
    if (from.part != NOTHING)
        TRAWL_TRY(find_moved(lazy, &lazy->parts[from.part], class, &border, &moved, error));
    list_begin(lazy);
    move(lazy, lazy->items + from.list.from, from.list.count, &border);
    put_list(lazy, lazy->kept, moved);
    *credit -= TRANSITION_COST + from.list.count + 2 * (int64_t)lazy->list_count;
    *next = DEAD;
    if (byte == END_OF_LINE && lazy->end_count == 0 && from.part != NOTHING) {
        /* for lazy_scan: the next line begins */
        TRAWL_TRY(lazy_start(lazy, from.part, false, lazy_before(lazy), &to, error));
        *next = to * lazy->stride;
        if (flushes != lazy->flushes)
            return TRAWL_OK;
    } else if (lazy->list_count + lazy->end_count > 0 || from.part != NOTHING) {
        if (lazy->nfa.has_edges && byte != END_OF_LINE)
            before = byte >= 0x80 ? LINE_BEFORE_HIGH : (uint32_t)nfa_before(&lazy->nfa, byte);
        to = state_of(lazy, from.part, before);
        if (to == 0) {
            *next = 0;
            return TRAWL_OK;
        }
        *next = to * lazy->stride | (lazy->states[to].list.ends > 0 ? STOP : 0);
    }
    lazy->next[number * lazy->stride + class] = *next;
    return TRAWL_OK;
}

/* ---- Parts -------------------------------------------------------------------------------- */

int64_t lazy_credit(const struct lazy *lazy, uint32_t count)
{
    const uint64_t rules = lazy->place_slots != NULL ? EXACT_RULES : max_u64(count, FEW_RULES);

    return (int64_t)min_u64(rules * lazy_sizes.credit, CREDIT_MOST);
}

static void put_found(struct lazy *lazy, uint32_t expression)
{
    if (lazy->found_at[expression] == lazy->call)
        return;
    lazy->found_at[expression] = lazy->call;
    lazy->found[lazy->found_count++] = expression;
}

static enum trawl_status new_part(struct lazy *lazy, uint32_t from, uint32_t count, bool passes,
                                  uint32_t *next, struct trawl_error *error)
{
    TRAWL_TRY(MEMORY_ROOM(lazy->parts, lazy->part_capacity, lazy->part_count + 1, error));
    lazy->parts[lazy->part_count] =
        (struct part){from, count, *next, passes, .credit = lazy_credit(lazy, count)};
    *next = (uint32_t)lazy->part_count++;
    return TRAWL_OK;
}

/* Returns a number of bytes that no match of the node exceeds; UINT32_MAX: there is none, or what
 * comes before the match matters. */
static uint32_t most_bytes(const struct syntax_node *node)
{
    uint64_t most = node->kind == SYNTAX_CHAR || node->kind == SYNTAX_SET ? CHARACTER_BYTES_MAX : 0;

    if (node->kind == SYNTAX_EDGE || node->kind == SYNTAX_BYTE || node->kind == SYNTAX_REFERENCE)
        return UINT32_MAX;
    for (uint32_t i = 0; i < node->count; i++) {
        const uint64_t item = most_bytes(node->items[i]);

        most = node->kind == SYNTAX_LIST     ? most + item
               : node->kind == SYNTAX_REPEAT ? item * node->most
                                             : max_u64(most, item);
    }
    return (uint32_t)min_u64(most, UINT32_MAX);
}

/* Returns lazy->tail of an expression. */
static uint32_t tail_of(const struct syntax_node *root)
{
    uint32_t tail = 0;

    for (uint32_t i = 0; i < root->count; i++) {
        struct syntax_node list = *root->items[i];
        const struct syntax_node *last = list.count > 0 ? list.items[--list.count] : root;

        if (last->kind != SYNTAX_EDGE || (last->letter != '$' && last->letter != 'z') ||
            (last->flags & SYNTAX_MANY_LINES) != 0)
            return 0;
        tail = (uint32_t)max_u64(tail, most_bytes(&list));
    }
    return tail < UINT32_MAX ? tail : 0;
}

/* Adds the places of an expression. */
static enum trawl_status put_expression(struct lazy *lazy, uint32_t index,
                                        struct trawl_error *error)
{
    const struct expression *item = &lazy->made->items[index];
    const uint32_t flags = item->beyond == NULL ? lazy->made->plan->flags : 0;
    const bool lines = (flags & TRAWL_WHOLE_LINE) != 0;
    const bool words = !lines && (flags & TRAWL_WHOLE_WORD) != 0;
    struct nfa *nfa = &lazy->nfa;
    const uint32_t count = nfa->count;
    struct syntax tree;
    bool is_large;
    uint32_t at;

    lazy->firsts[index] = NOTHING;
    nfa->most = (uint32_t)min_u64((nfa->slots != NULL ? 0 : nfa->count) + RULE_PLACES_MAX,
                                  lazy->made->memory.mib > 0 ? lazy->share_bytes / PLACE_BYTES
                                                             : UINT32_MAX);
    TRAWL_TRY(MEMORY_ROOM(nfa->places, lazy->place_capacity, nfa->most, error));
    TRAWL_TRY(syntax_again(&item->tree, &tree, error));
    nfa->steps = 0;
    at = nfa_put(nfa, (struct place){.kind = PLACE_END, .other = index});
    if (lines || words)
        at = nfa_put_edge(nfa, lines ? 'z' : 'H', false, at);
    at = lines || words ? nfa_put_node(nfa, &tree.root, at) : nfa_put_core(nfa, &tree.root, at);
    lazy->tail = lazy->count == 1 && !lines && !words ? tail_of(&tree.root) : 0;
    syntax_release(&tree);
    if (lines || words)
        at = nfa_put_edge(nfa, lines ? 'A' : 'h', false, at);
    if (!nfa->fails)
        lazy->firsts[index] = at;
    else
        nfa->count = count;
    is_large = nfa->fails && !nfa->is_hull && !nfa->is_sure;
    nfa->fails = false;
    if (is_large) {
        nfa->is_hull = true;
        nfa->slots = NULL;
    }
    return is_large ? put_expression(lazy, index, error) : TRAWL_OK;
}

/* Makes the places of the expressions in lazy->found. If they divide the classes of bytes, forgets
 * all states. */
static enum trawl_status make_places(struct lazy *lazy, struct trawl_error *error)
{
    const bool had_edges = lazy->nfa.has_edges;
    uint32_t count, states, *list, *slots;

    for (uint32_t i = 0; i < lazy->found_count; i++)
        if (lazy->firsts[lazy->found[i]] == 0) {
            const enum trawl_status status = put_expression(lazy, lazy->found[i], error);

            lazy->is_stale |= had_edges != lazy->nfa.has_edges;
            TRAWL_TRY(status);
        }
    if (lazy->classed_count == lazy->nfa.count && !lazy->is_stale)
        return TRAWL_OK;
    lazy->items_max = (uint32_t)max_u64(lazy->share_bytes / 4, 8 * (uint64_t)lazy->nfa.count);
    if (lazy->nfa.count > lazy->list_capacity) {
        const uint32_t room = 2 * lazy->nfa.count;

        TRAWL_TRY(MEMORY_ZEROED(list, 6 * (uint64_t)room, error));
        memory_release(lazy->list, 6 * (uint64_t)lazy->list_capacity, sizeof(uint32_t));
        lazy->list_capacity = room;
        lazy->list = list;
        lazy->ends = lazy->list + room;
        lazy->stack = lazy->ends + room;
        lazy->seen = lazy->stack + 2 * (uint64_t)room;
        lazy->settled = lazy->seen + room;
        lazy->list_number = 0;
    }
    count = nfa_divide(&lazy->nfa, lazy->classed_count, NULL, NULL, lazy->cuts, lazy->class_of,
                       lazy->byte_of);
    lazy->classed_count = lazy->nfa.count;
    memcpy(lazy->line_class_of, lazy->class_of, sizeof lazy->class_of);
    lazy->line_class_of[lazy->made->plan->line_end] = (uint8_t)count;
    lazy->line_class_of[lazy->made->plan->line_end_also] = (uint8_t)count;
    lazy->is_stale |= count != lazy->class_count;
    if (!lazy->is_stale)
        return TRAWL_OK;
    states = (uint32_t)min_u64(lazy_sizes.states, lazy->share_bytes / 4 / (count + 1));
    if (2 * states > lazy->slot_count) {
        TRAWL_TRY(MEMORY_NEW(slots, 2 * (uint64_t)states, error));
        memory_release(lazy->slots, lazy->slot_count, sizeof *slots);
        lazy->slots = slots;
        lazy->slot_count = 2 * states;
    }
    flush(lazy);
    forget_moved(lazy);
    lazy->class_count = count;
    lazy->stride = count + 1;
    lazy->states_max = states;
    lazy->is_stale = false;
    return TRAWL_OK;
}

enum trawl_status lazy_group(struct lazy *lazy, uint32_t group, struct trawl_error *error)
{
    const struct expressions *made = lazy->made;
    const uint32_t atom = group - LAZY_ATOM,
                   *indexes = group == LAZY_REST ? made->rest_items : NULL;
    const uint32_t begin = group < LAZY_ATOM ? 0 : made->atom_first[atom];
    const uint32_t end = group == LAZY_ALL    ? made->count
                         : group == LAZY_REST ? (uint32_t)made->rest->pattern_count
                                              : made->atom_first[atom + 1];
    uint32_t from, first = NOTHING;

    TRAWL_TRY(MEMORY_ROOM(lazy->rules, lazy->rule_capacity,
                          lazy->rule_count + 2 * (uint64_t)(end - begin), error));
    lazy->call++;
    lazy->found_count = 0;
    for (uint32_t i = begin; i < end; i++)
        put_found(lazy, group >= LAZY_ATOM ? made->anchors[made->atom_anchors[i]].expression
                                           : (indexes != NULL ? indexes[i] : i));
    TRAWL_TRY(make_places(lazy, error));
    from = (uint32_t)lazy->rule_count;
    for (uint32_t i = 0; i < lazy->found_count; i++)
        if (lazy->firsts[lazy->found[i]] != NOTHING)
            lazy->rules[lazy->rule_count++] = lazy->found[i];
    if (lazy->rule_count > from)
        TRAWL_TRY(new_part(lazy, from, (uint32_t)lazy->rule_count - from, false, &first, error));
    for (uint32_t i = 0; i < lazy->found_count; i++)
        if (lazy->firsts[lazy->found[i]] == NOTHING) {
            lazy->rules[lazy->rule_count] = lazy->found[i];
            TRAWL_TRY(new_part(lazy, (uint32_t)lazy->rule_count++, 1, true, &first, error));
        }
    lazy->groups[group] = first;
    return TRAWL_OK;
}

enum trawl_status lazy_halve(struct lazy *lazy, uint32_t index, struct trawl_error *error)
{
    struct part *part = &lazy->parts[index];
    const uint32_t half = part->count / 2;
    uint32_t next = part->next;

    part->passes = part->count == 1;
    if (part->passes)
        return TRAWL_OK;
    TRAWL_TRY(new_part(lazy, part->from + half, part->count - half, false, &next, error));
    part = &lazy->parts[index];
    lazy->moved_count -= part->moved != NULL;
    memory_release(part->moved, BEFORES * lazy->stride, sizeof *part->moved);
    *part = (struct part){part->from, half, next, .credit = lazy_credit(lazy, half)};
    flush(lazy); /* no state may mean this part as it was */
    return TRAWL_OK;
}

/* Adds the ends of a state, reached when the line was read up to `to`, to the result. Returns true
 * if no more are wanted. */
static bool take_ends(struct lazy *lazy, const struct state *state, const struct lazy_line *line,
                      uint64_t to, bool *matches)
{
    lazy->is_ascii = line->any && lazy->is_ascii &&
                     ((!lazy->nfa.is_hull && !lazy->nfa.is_open) ||
                      words_are_ascii(line->bytes + lazy->ascii_to, to - lazy->ascii_to));
    lazy->ascii_to = to;
    for (uint32_t i = 0; i < state->list.ends; i++) {
        const uint32_t end = lazy->items[state->list.from + state->list.count + i];
        const uint32_t expression = lazy->nfa.places[end].other;

        put_found(lazy, expression);
        *matches |= lazy->is_ascii && lazy->made->items[expression].beyond == NULL;
    }
    return line->any && *matches;
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
        flush(lazy);
        state = state_of(lazy, here.part, here.before);
        TRAWL_ASSERT(state != 0);
        TRAWL_TRY(make_transition(lazy, state, class, next, credit, error));
        TRAWL_ASSERT(*next != 0);
    }
    return TRAWL_OK;
}

/* Reads the line, up to `end`, for a part. */
static enum trawl_status read_part(struct lazy *lazy, uint32_t index, const struct lazy_line *line,
                                   uint64_t end, uint64_t *spare, bool *matches,
                                   struct trawl_error *error)
{
    const uint8_t *bytes = line->bytes, *class_of = lazy->class_of;
    const uint32_t all = lazy->found_count + lazy->parts[index].count;
    uint32_t before = LINE_BEFORE_OTHER, start, state, next;
    uint64_t at = line->from;
    struct part *part;
    bool is_last;

    if (lazy->nfa.has_edges && at > 0)
        before = bytes[at - 1] >= 0x80 ? LINE_BEFORE_HIGH
                                       : (uint32_t)nfa_before(&lazy->nfa, bytes[at - 1]);
    else if (lazy->nfa.has_edges)
        before = LINE_BEFORE_BEGIN;
    TRAWL_TRY(lazy_start(lazy, index, line->is_anchored, before, &start, error));
    state = start * lazy->stride;
    lazy->is_ascii = true;
    lazy->ascii_to = at - (at > 0);
    do {
        uint32_t class;

        for (; at < end; at++) {
            next = lazy->next[state + class_of[bytes[at]]];
            if (next == 0 || (next & STOP) != 0)
                break;
            state = next;
        }
        is_last = at == end;
        if (is_last && end < line->count) { /* an anchored line was read far enough */
            for (uint32_t i = 0; i < lazy->parts[index].count; i++)
                put_found(lazy, lazy->rules[lazy->parts[index].from + i]);
            break;
        }
        class = is_last ? lazy->class_count : class_of[bytes[at]];
        TRAWL_TRY(lazy_follow(lazy, index, state, class, &next, error));
        if (lazy->parts[index].credit < 0)
            return lazy_halve(lazy, index, error);
        if (next == DEAD)
            break;
        state = next & ~STOP;
        if ((next & STOP) != 0 &&
            (take_ends(lazy, &lazy->states[state / lazy->stride], line, at + !is_last, matches) ||
             lazy->found_count == all))
            break;
        at += !is_last;
    } while (!is_last);
    part = &lazy->parts[index];
    part->credit = min_i64(part->credit + (int64_t)(at - line->from) + READ_CREDIT,
                           lazy_credit(lazy, part->count));
    if (line->is_anchored)
        *spare -= min_u64(*spare, at - line->from);
    return TRAWL_OK;
}

/* Returns true if the part's only expression passes: until that has happened so often that deciding
 * about it in another way took as long as making more states. */
static bool passes(const struct lazy *lazy, struct part *part)
{
    if (part->passes && lazy->firsts[lazy->rules[part->from]] != NOTHING) {
        part->credit += READ_CREDIT;
        part->passes = part->credit < lazy_credit(lazy, 1);
    }
    return part->passes;
}

enum trawl_status lazy_find(struct lazy *lazy, uint32_t group, const struct lazy_line *line,
                            uint64_t *spare, const uint32_t **found, uint32_t *count, bool *matches,
                            struct trawl_error *error)
{
    uint64_t end = line->count;

    lazy_forget(lazy);
    if (line->is_anchored)
        end = line->from + min_u64(line->count - line->from, ANCHORED_BYTES + *spare);
    if (lazy->groups[group] == NOTHING)
        TRAWL_TRY(lazy_group(lazy, group, error));
    *matches = false;
    lazy->found_count = 0;
    if (++lazy->call == 0) {
        memset(lazy->found_at, 0, lazy->count * sizeof(uint32_t));
        lazy->call = 1;
    }
    for (uint32_t i = lazy->groups[group]; i != NOTHING && !(line->any && *matches);) {
        const bool reads = !passes(lazy, &lazy->parts[i]);
        const struct part part = lazy->parts[i];

        if (reads)
            TRAWL_TRY(read_part(lazy, i, line, end, spare, matches, error));
        if (lazy->parts[i].passes)
            put_found(lazy, lazy->rules[part.from]);
        if (part.count == lazy->parts[i].count)
            i = part.next;
    }
    *found = lazy->found;
    *count = lazy->found_count;
    return TRAWL_OK;
}

/* ---- The automaton ------------------------------------------------------------------------ */

static enum trawl_status make(struct lazy *lazy, struct trawl_error *error)
{
    const struct expressions *made = lazy->made;
    uint32_t *marks;

    TRAWL_TRY(MEMORY_ZEROED(lazy->firsts, made->count, error));
    lazy->share_bytes = made->memory.mib > 0
                            ? min_u64(((uint64_t)made->memory.mib << 20) / SHARES, LIMITED_BYTES)
                            : SHARE_BYTES;
    TRAWL_TRY(MEMORY_ROOM(lazy->nfa.places, lazy->place_capacity, 1, error));
    if (!lazy->nfa.is_hull)
        TRAWL_TRY(MEMORY_ZEROED(lazy->place_slots, NFA_SLOTS, error));
    lazy->nfa.slots = lazy->place_slots;
    lazy->nfa.most = 1;
    (void)nfa_put(&lazy->nfa, (struct place){.kind = PLACE_END}); /* no expression begins at 0 */
    lazy->group_count = LAZY_ATOM + (uint32_t)made->atom_count;
    TRAWL_TRY(MEMORY_NEW(lazy->groups, lazy->group_count, error));
    memset(lazy->groups, 0xff, lazy->group_count * sizeof(uint32_t));
    TRAWL_TRY(MEMORY_ZEROED(marks, 2 * (uint64_t)made->count, error));
    lazy->found = marks;
    lazy->found_at = marks + made->count;
    return TRAWL_OK;
}

enum trawl_status lazy_make(const struct expressions *made, struct lazy **out,
                            struct trawl_error *error)
{
    enum trawl_status status;
    struct lazy *lazy;

    TRAWL_TRY(MEMORY_ZEROED(lazy, 1, error));
    lazy->made = made;
    lazy->count = made->count;
    lazy->nfa = (struct nfa){.options = &made->options,
                             .is_hull = made->count > 1,
                             .is_strict = true,
                             .is_open = made->count > 1 || made->has_marked || made->needs_marks,
                             .needs_marks = made->needs_marks};
    status = make(lazy, error);
    if (status != TRAWL_OK)
        lazy_free(lazy);
    else
        *out = lazy;
    return status;
}
