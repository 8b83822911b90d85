/* determinize: places, lists of places, and the automaton's states (determinize.h) */
#include "regex/determinize.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

#define PLACES_MAX 2048u
#define PLACE_WORDS (PLACES_MAX / 64)
#define STATES_MAX 512u
#define ITEMS_MAX (1u << 17) /* places in the lists of all states */
/* Number of steps after which the automaton counts as too large; a step adds a place to a list.
 * 2^21 steps take about 5 ms. */
#define STEPS_MAX (1u << 21)
/* Only small automata are searched for `tail` (line_automaton.h), within some 100 us. */
#define TAIL_STATES_MAX 32u
#define TAIL_BYTES_MAX 15u
#define NEXT_SET UINT16_MAX /* an item of a list, for LONGEST: between two sets */

struct list {
    uint16_t items[2 * PLACES_MAX];
    uint32_t count;
    bool ends;                  /* it has the end of a match */
    uint64_t held[PLACE_WORDS]; /* a bit for each place that has been added */
};

struct state {
    uint32_t from, count; /* its list is maker->items[from] to items[from + count - 1] */
    enum line_before before;
    bool seeks; /* a match may begin at each byte to come: none has ended so far */
};

struct maker {
    const struct expressions *made;
    enum determinize_as as;
    bool on_host;
    bool fails; /* the automaton would be too large, or cannot decide */
    bool may_be_empty;
    struct nfa nfa;
    struct place places[PLACES_MAX];
    uint32_t words; /* how many words of a list's `held` are used */
    uint32_t steps;
    uint32_t first;
    uint8_t class_of[256];
    uint8_t byte_of[256]; /* for each class, one of its bytes */
    uint32_t class_count;
    struct list now, after;
    uint16_t items[ITEMS_MAX];
    uint32_t item_count;
    struct state states[STATES_MAX]; /* states[0] and [1], FAILS and HOLDS, are unused */
    uint32_t state_count;
    uint16_t first_states[LINE_BEFORES];
    uint16_t next[256 * STATES_MAX];
    uint8_t ends[STATES_MAX];
};

/* ---- Lists -------------------------------------------------------------------------------- */

static void list_begin(const struct maker *maker, struct list *list)
{
    list->count = 0;
    list->ends = false;
    memset(list->held, 0, maker->words * sizeof *list->held);
}

/* Adds a place to the list, and the places that can be reached from it without reading a byte, in
 * the order of preference. Decides assertions at the border; if that is NULL, they are added. */
static void add(struct maker *maker, struct list *list, uint32_t place, const struct border *border)
{
    uint32_t stack[64];
    uint32_t depth = 0;

    stack[depth++] = place;
    while (depth > 0 && !(list->ends && maker->as == DETERMINIZE_ORDERED)) {
        const uint32_t at = stack[--depth];
        const struct place *what = &maker->nfa.places[at];

        if ((list->held[at / 64] >> at % 64 & 1) != 0)
            continue;
        list->held[at / 64] |= UINT64_C(1) << at % 64;
        maker->steps += border == NULL;
        if (depth + 2 > sizeof stack / sizeof *stack) {
            maker->fails = true;
            return;
        }
        if (what->kind == PLACE_FORK) {
            stack[depth++] = what->other;
            stack[depth++] = what->next;
        } else if (what->kind == PLACE_EDGE && border != NULL) {
            if (border->any || nfa_holds(&maker->nfa, what, border))
                stack[depth++] = what->next;
        } else {
            list->ends |= what->kind == PLACE_END;
            list->items[list->count++] = (uint16_t)at;
        }
    }
}

/* Begins the set of matches that begin later. */
static void next_set(struct list *list)
{
    if (list->count > 0 && list->items[list->count - 1] != NEXT_SET)
        list->items[list->count++] = NEXT_SET;
}

/* Sets maker->now to the state's list with its assertions decided. */
static void settle(struct maker *maker, const struct state *state, uint32_t next)
{
    const struct border border = {state->before, next, false};
    struct list *now = &maker->now;

    list_begin(maker, now);
    for (uint32_t i = 0; i < state->count && !maker->fails; i++) {
        const uint16_t item = maker->items[state->from + i];

        if (item != NEXT_SET)
            add(maker, now, item, &border);
        else if (now->ends)
            break;
        else
            next_set(now);
    }
}

static int compare_places(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* Sorts the sets of maker->after, whose order does not matter. */
static void sort(struct maker *maker)
{
    struct list *list = &maker->after;
    uint32_t begin = 0;

    if (maker->as == DETERMINIZE_ORDERED)
        return;
    list->count -= list->count > 0 && list->items[list->count - 1] == NEXT_SET;
    for (uint32_t i = 0; i <= list->count; i++)
        if (i == list->count || list->items[i] == NEXT_SET) {
            qsort(list->items + begin, i - begin, sizeof *list->items, compare_places);
            begin = i + 1;
        }
}

/* ---- States ------------------------------------------------------------------------------- */

/* Returns the number of the state with the list maker->after. Adds the state if it is new. */
static uint16_t state_of(struct maker *maker, enum line_before before, bool seeks)
{
    const struct list *list = &maker->after;
    const uint64_t bytes = list->count * sizeof *list->items;

    sort(maker);
    if (list->count == 0 && !seeks)
        return LINE_FAILS;
    for (uint32_t i = LINE_BEGIN; i < maker->state_count; i++)
        if (maker->states[i].before == before && maker->states[i].seeks == seeks &&
            maker->states[i].count == list->count &&
            memcmp(maker->items + maker->states[i].from, list->items, (size_t)bytes) == 0)
            return (uint16_t)i;
    maker->steps += maker->state_count;
    if (maker->state_count == STATES_MAX || list->count > ITEMS_MAX - maker->item_count) {
        maker->fails = true;
        return LINE_FAILS;
    }
    memcpy(maker->items + maker->item_count, list->items, (size_t)bytes);
    maker->states[maker->state_count] =
        (struct state){maker->item_count, list->count, before, seeks};
    maker->item_count += list->count;
    return (uint16_t)maker->state_count++;
}

/* Adds the first place, unless no match may begin any more. Returns whether one may. */
static bool seek(struct maker *maker, bool may)
{
    struct list *list = &maker->after;

    if (maker->as == DETERMINIZE_LONGEST && may)
        next_set(list);
    if (may)
        add(maker, list, maker->first, NULL);
    return may && !(list->ends && maker->as != DETERMINIZE_ANY);
}

/* Returns the state after `byte`, with LINE_MATCH if a match ends before the byte. */
static uint16_t follow(struct maker *maker, uint32_t number, uint32_t byte)
{
    const struct state from = maker->states[number];
    const enum line_before before = maker->nfa.has_edges ? nfa_before(byte) : LINE_BEFORE_OTHER;
    struct list *now = &maker->now, *after = &maker->after;
    bool seeks = from.seeks;

    settle(maker, &from, byte);
    if (now->ends && maker->as == DETERMINIZE_ANY)
        return LINE_HOLDS;
    list_begin(maker, after);
    for (uint32_t i = 0; i < now->count && !maker->fails; i++) {
        const struct place *place = &maker->nfa.places[now->items[i] % PLACES_MAX];

        if (now->items[i] == NEXT_SET && after->ends)
            break;
        if (now->items[i] == NEXT_SET)
            next_set(after);
        else if (place->kind == PLACE_BYTES && place->low <= byte && byte <= place->high)
            add(maker, after, place->next, NULL);
    }
    maker->steps += (from.count + now->count) / 16;
    if (maker->as != DETERMINIZE_ANY)
        seeks = seeks && !now->ends && !after->ends;
    seeks = seek(maker, seeks);
    if (after->ends && maker->as == DETERMINIZE_ANY)
        return LINE_HOLDS;
    return state_of(maker, before, seeks) | (now->ends ? LINE_MATCH : 0);
}

/* Replaces states from which no match can be reached with LINE_FAILS. States are numbered in the
 * order in which they are reached, so most are found in the first round. */
static void prune(struct maker *maker)
{
    bool holds[STATES_MAX] = {[LINE_HOLDS] = true}, grows = true;

    while (grows) {
        grows = false;
        for (uint32_t i = maker->state_count; i-- > LINE_BEGIN;) {
            bool found = maker->ends[i] != 0;

            for (uint32_t class = 0; class < maker->class_count && !found && !holds[i]; class ++) {
                const uint16_t next = maker->next[256 * i + maker->byte_of[class]];

                found = (next & LINE_MATCH) != 0 || holds[next];
            }
            grows |= found && !holds[i];
            holds[i] |= found;
        }
    }
    for (uint32_t i = 256 * LINE_BEGIN; i < 256 * maker->state_count; i++)
        if (!holds[maker->next[i] & ~LINE_MATCH])
            maker->next[i] &= LINE_MATCH;
}

/* Makes the states in which reading begins: first that at the begin of a line. */
static void begin(struct maker *maker)
{
    const struct border any = {.any = true};

    maker->words = (maker->nfa.count + 63) / 64;
    maker->state_count = LINE_BEGIN;
    list_begin(maker, &maker->now);
    add(maker, &maker->now, maker->first, &any);
    maker->may_be_empty = maker->now.ends;
    /* A search that goes on after an empty match steps over a byte, not over a character. Only on
     * the host is a line with an empty match inside a character read otherwise. */
    maker->fails |= maker->may_be_empty &&
                    (maker->as != DETERMINIZE_ANY ? maker->nfa.has_part
                                                  : !maker->on_host && maker->made->has_marked &&
                                                        !maker->made->options.bytes);
    for (uint32_t i = 0; i < LINE_BEFORES && !maker->fails; i++) {
        const bool is_known = maker->nfa.has_edges && (i == 0 || maker->as != DETERMINIZE_ANY);

        list_begin(maker, &maker->after);
        (void)seek(maker, true);
        maker->first_states[i] =
            i > 0 && !is_known ? maker->first_states[0]
                               : state_of(maker, is_known ? (enum line_before)i : LINE_BEFORE_OTHER,
                                          maker->as != DETERMINIZE_BACKWARDS);
    }
}

static void fill(struct maker *maker)
{
    const struct trawl_plan *plan = maker->made->plan;

    begin(maker);
    for (uint32_t byte = 0; byte < 256; byte++)
        maker->next[256 * LINE_HOLDS + byte] = LINE_HOLDS;
    maker->ends[LINE_HOLDS] = 1;
    for (uint32_t i = LINE_BEGIN; i < maker->state_count && !maker->fails; i++) {
        uint16_t by_class[256];

        for (uint32_t class = 0; class < maker->class_count && !maker->fails; class ++)
            by_class[class] = follow(maker, i, maker->byte_of[class]);
        for (uint32_t byte = 0; byte < 256 && !maker->fails; byte++)
            maker->next[256 * i + byte] = by_class[maker->class_of[byte]];
        settle(maker, &maker->states[i], END_OF_LINE);
        maker->ends[i] = maker->now.ends;
        maker->fails |= maker->steps > STEPS_MAX;
        for (uint32_t end = 0; end < 2 && maker->on_host; end++)
            maker->next[256 * i + (end == 0 ? plan->line_end : plan->line_end_also)] =
                maker->ends[i] != 0 ? LINE_HOLDS : LINE_FAILS;
    }
    if (!maker->fails)
        prune(maker);
}

/* Adds the places of the expression or, for ANY, of all. */
static void put_all(struct maker *maker, uint32_t expression)
{
    const struct expressions *made = maker->made;
    const bool lines = (made->plan->flags & TRAWL_WHOLE_LINE) != 0;
    const bool words = !lines && (made->plan->flags & TRAWL_WHOLE_WORD) != 0;
    const char edges[] = {lines ? 'A' : 'h', lines ? 'z' : 'H'};
    const bool back = maker->as == DETERMINIZE_BACKWARDS;
    struct nfa *nfa = &maker->nfa;
    uint32_t end, all = NO_PLACE;

    *nfa = (struct nfa){.options = &made->options,
                        .backwards = back,
                        .needs_marks = made->needs_marks,
                        .is_ordered = maker->as == DETERMINIZE_ORDERED,
                        .places = maker->places,
                        .most = PLACES_MAX};
    end = nfa_put(nfa, (struct place){.kind = PLACE_END});
    if (lines || words)
        end = nfa_put_edge(nfa, edges[!back], false, end);
    for (uint32_t i = 0; i < made->count && !nfa->fails; i++)
        if (maker->as == DETERMINIZE_ANY || i == expression)
            all = nfa_put_fork(nfa, nfa_put_node(nfa, made->items[i].tree.root, end), all);
    maker->first = lines || words ? nfa_put_edge(nfa, edges[back], false, all) : all;
    maker->fails = nfa->fails;
}

/* Returns line_automaton.tail. Follows all pairs of the first state and any state until both are
 * the same one, whatever bytes they read. An automaton that decides before a line's end has none.
 */
static uint32_t tail_of(const struct maker *maker)
{
    const struct trawl_plan *plan = maker->made->plan;
    bool pairs[TAIL_STATES_MAX][TAIL_STATES_MAX] = {{false}}, are_left = true;
    uint32_t tail = 0;

    if (maker->state_count > TAIL_STATES_MAX)
        return 0;
    for (uint32_t a = LINE_BEGIN; a < maker->state_count; a++)
        pairs[a][LINE_BEGIN] = true;
    for (; are_left && tail <= TAIL_BYTES_MAX; tail++) {
        bool next[TAIL_STATES_MAX][TAIL_STATES_MAX] = {{false}};

        are_left = false;
        for (uint32_t i = 0; i < maker->state_count * maker->state_count; i++) {
            const uint32_t a = i / maker->state_count, b = i % maker->state_count;

            for (uint32_t class = 0; class < maker->class_count && pairs[a][b]; class ++) {
                const uint8_t byte = maker->byte_of[class];
                const uint16_t to_a = maker->next[256 * a + byte];
                const uint16_t to_b = maker->next[256 * b + byte];

                if (byte == plan->line_end || byte == plan->line_end_also)
                    continue;
                if (to_a <= LINE_HOLDS || to_b <= LINE_HOLDS)
                    return 0;
                are_left |= to_a != to_b;
                next[to_a][to_b] = to_a != to_b;
            }
        }
        memcpy(pairs, next, sizeof pairs);
    }
    return tail <= TAIL_BYTES_MAX ? tail : 0;
}

/* Copies the tables. */
static enum trawl_status keep(const struct maker *maker, struct line_automaton *automaton,
                              struct trawl_error *error)
{
    const uint32_t count = automaton->state_count = maker->state_count;

    TRAWL_TRY(MEMORY_NEW(automaton->ends, count, error));
    memcpy(automaton->ends, maker->ends, count);
    TRAWL_TRY(MEMORY_NEW(automaton->next, 256 * (uint64_t)count, error));
    memcpy(automaton->next, maker->next, 256 * sizeof *maker->next * count);
    memcpy(automaton->first, maker->first_states, sizeof automaton->first);
    automaton->may_be_empty = maker->may_be_empty;
    return TRAWL_OK;
}

enum trawl_status determinize(const struct expressions *made, uint32_t expression,
                              enum determinize_as as, bool on_host,
                              struct line_automaton *automaton, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    const uint8_t ends[2] = {made->plan->line_end, made->plan->line_end_also};
    struct maker *maker;

    TRAWL_TRY(MEMORY_ZEROED(maker, 1, error));
    maker->made = made;
    maker->as = as;
    maker->on_host = on_host;
    put_all(maker, expression);
    /* on the host, line ends lead elsewhere (fill) */
    maker->class_count =
        nfa_divide(&maker->nfa, on_host ? ends : NULL, maker->class_of, maker->byte_of);
    if (!maker->fails)
        fill(maker);
    if (!maker->fails)
        status = keep(maker, automaton, error);
    if (!maker->fails && on_host)
        automaton->tail = tail_of(maker);
    memory_release(maker, 1, sizeof *maker);
    return status;
}

void determinize_free(struct line_automaton *automaton)
{
    memory_release(automaton->next, automaton->state_count, 256 * sizeof *automaton->next);
    memory_release(automaton->ends, automaton->state_count, 1);
}
