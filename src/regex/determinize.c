/* determinize: lists of places, and the automaton's states (determinize.h) */
#include "regex/determinize.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"

/* Numbers of states and steps after which the automaton counts as too large; a step adds a place to
 * a list. 2^24 steps take about 40 ms. */
#define STEPS_MAX (1u << 24)
#define ALL_STEPS_MAX (UINT64_C(1) << 26) /* of all automata of a plan */
/* On a device, the tables of larger automata have a column for each class of bytes. */
#define BYTE_STATES_MAX 48u
#define NEXT_SET UINT16_MAX /* an item of a list, for LONGEST: between two sets */

#define PLACES_MAX 4096u
#define PLACE_WORDS (PLACES_MAX / 64)
#define STATES_MAX DETERMINIZE_STATES_MAX
#define ITEMS_MAX (1u << 19) /* places in the lists of all states */
#define SLOTS NFA_SLOTS      /* a power of two, and more than states */
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

struct determinizer {
    const struct expressions *made;
    enum determinize_as as;
    uint32_t words_max;
    const char *fails; /* what the automaton cannot decide, or why it is too large */
    bool may_be_empty;
    struct nfa nfa;
    uint16_t place_slots[SLOTS];
    uint32_t words; /* how many words of a list's `held` are used */
    uint32_t steps;
    uint32_t first;
    uint8_t class_of[256];
    uint8_t byte_of[256]; /* for each class, one of its bytes */
    uint32_t class_count;
    uint32_t settled; /* the state whose list is `now`, without assertions to decide; or 0 */
    uint32_t item_count;
    uint16_t state_slots[SLOTS]; /* a state's number; 0: none */
    uint32_t state_count;
    uint16_t first_states[LINE_BEFORES];
    uint8_t ends[STATES_MAX];
    bool reaches[STATES_MAX]; /* a match may still be found */
    uint64_t all_steps; /* of all automata so far; from here on, nothing is zeroed for the next */
    struct classes classes;
    struct place places[PLACES_MAX];
    struct list now, after;
    struct list start; /* the first place, and what can be reached from it */
    uint16_t items[ITEMS_MAX];
    struct state states[STATES_MAX]; /* those before LINE_BEGIN are unused */
    uint16_t next[256 * STATES_MAX]; /* next[class_count * state + class] */
};

/* Returns true if the automaton reads around an anchor's string. */
static bool is_around(const struct determinizer *maker)
{
    return maker->as >= DETERMINIZE_BEFORE;
}

/* Returns true if the automaton stops where a match ends. */
static bool decides(const struct determinizer *maker)
{
    return maker->as == DETERMINIZE_ANY || is_around(maker);
}

static void fail_if(struct determinizer *maker, bool is_so, const char *why)
{
    if (is_so && maker->fails == NULL)
        maker->fails = why;
}

/* ---- Lists -------------------------------------------------------------------------------- */

static void list_begin(const struct determinizer *maker, struct list *list)
{
    list->count = 0;
    list->ends = false;
    memset(list->held, 0, maker->words * sizeof *list->held);
}

static bool is_beyond(uint32_t byte)
{
    return byte >= 0x80 && byte != END_OF_LINE;
}

/* Adds a place to the list, and the places that can be reached from it without reading a byte, in
 * the order of preference. Decides assertions at the border; if that is NULL, they are added. */
static void add(struct determinizer *maker, struct list *list, uint32_t place,
                const struct border *border)
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
        fail_if(maker, depth + 2 > sizeof stack / sizeof *stack,
                "its automaton would be too large");
        if (maker->fails != NULL)
            return;
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
static void settle(struct determinizer *maker, const struct state *state, uint32_t next)
{
    const struct border border = {.before = state->before, .next = next};
    const uint32_t number = (uint32_t)(state - maker->states);
    struct list *now = &maker->now;

    if (maker->settled == number)
        return;
    maker->settled = maker->nfa.has_edges ? 0 : number;
    list_begin(maker, now);
    for (uint32_t i = 0; i < state->count && maker->fails == NULL; i++) {
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
static void sort(struct determinizer *maker)
{
    struct list *list = &maker->after;
    uint32_t begin = 0;

    if (maker->as == DETERMINIZE_ORDERED)
        return;
    if (maker->as != DETERMINIZE_LONGEST) { /* one set */
        list->count = 0;
        for (uint32_t word = 0; word < maker->words; word++)
            for (uint64_t held = list->held[word]; held != 0; held &= held - 1) {
                const uint32_t at = 64 * word + (uint32_t)__builtin_ctzll(held);

                if (maker->nfa.places[at].kind != PLACE_FORK)
                    list->items[list->count++] = (uint16_t)at;
            }
        return;
    }
    list->count -= list->count > 0 && list->items[list->count - 1] == NEXT_SET;
    for (uint32_t i = 0; i <= list->count; i++)
        if (i == list->count || list->items[i] == NEXT_SET) {
            qsort(list->items + begin, i - begin, sizeof *list->items, compare_places);
            begin = i + 1;
        }
}

/* ---- States ------------------------------------------------------------------------------- */

/* Returns the number of the state with the list maker->after. Adds the state if it is new. */
static uint16_t state_of(struct determinizer *maker, enum line_before before, bool seeks)
{
    const struct list *list = &maker->after;
    const uint64_t bytes = list->count * sizeof *list->items;
    uint32_t slot = (uint32_t)before * 2 + seeks + 1;

    sort(maker);
    if (list->count == 0 && !seeks)
        return LINE_FAILS;
    for (uint32_t i = 0; i < list->count; i++)
        slot = (slot ^ list->items[i]) * 2654435769u;
    for (slot /= UINT32_MAX / SLOTS + 1; maker->state_slots[slot] != 0; slot = (slot + 1) % SLOTS) {
        const struct state *held = &maker->states[maker->state_slots[slot]];

        if (held->before == before && held->seeks == seeks && held->count == list->count &&
            memcmp(maker->items + held->from, list->items, (size_t)bytes) == 0)
            return maker->state_slots[slot];
    }
    fail_if(maker, maker->state_count == STATES_MAX || list->count > ITEMS_MAX - maker->item_count,
            "its automaton would be too large");
    if (maker->fails != NULL)
        return LINE_FAILS;
    maker->state_slots[slot] = (uint16_t)maker->state_count;
    memcpy(maker->items + maker->item_count, list->items, (size_t)bytes);
    maker->states[maker->state_count] =
        (struct state){maker->item_count, list->count, before, seeks};
    maker->item_count += list->count;
    return (uint16_t)maker->state_count++;
}

/* Adds the places from the first on, unless no match may begin any more. Returns whether one may.
 */
static bool add_starts(struct determinizer *maker, bool may)
{
    struct list *list = &maker->after;

    if (maker->as == DETERMINIZE_LONGEST && may)
        next_set(list);
    for (uint32_t i = 0; may && i < maker->start.count; i++) {
        const uint16_t at = maker->start.items[i];

        if (list->ends && maker->as == DETERMINIZE_ORDERED)
            break;
        if ((list->held[at / 64] >> at % 64 & 1) != 0)
            continue;
        list->held[at / 64] |= UINT64_C(1) << at % 64;
        list->ends |= maker->nfa.places[at].kind == PLACE_END;
        list->items[list->count++] = (uint16_t)at;
    }
    maker->steps += may ? maker->start.count / 4 : 0;
    return may && !(list->ends && maker->as != DETERMINIZE_ANY);
}

/* Returns the state after `byte`, with LINE_MATCH if a match ends before the byte, by the guess. */
static uint16_t follow_guess(struct determinizer *maker, uint32_t number, uint32_t byte)
{
    const struct state *from = &maker->states[number];
    const enum line_before before =
        maker->nfa.has_edges ? nfa_before(&maker->nfa, byte, UNIT_INSIDE) : LINE_BEFORE_OTHER;
    struct list *now = &maker->now, *after = &maker->after;
    bool seeks = from->seeks;

    settle(maker, from, byte);
    if (now->ends && decides(maker))
        return LINE_HOLDS;
    list_begin(maker, after);
    for (uint32_t i = 0; i < now->count && maker->fails == NULL; i++) {
        const struct place *place = &maker->nfa.places[now->items[i] % PLACES_MAX];

        if (now->items[i] == NEXT_SET && after->ends)
            break;
        if (now->items[i] == NEXT_SET)
            next_set(after);
        else if (place->kind == PLACE_BYTES && place->low <= byte && byte <= place->high)
            add(maker, after, place->next, NULL);
    }
    maker->steps += (from->count + now->count) / 16;
    if (maker->as != DETERMINIZE_ANY)
        seeks = seeks && !now->ends && !after->ends;
    seeks = add_starts(maker, seeks);
    if (after->ends && decides(maker))
        return LINE_HOLDS;
    return state_of(maker, before, seeks) | (now->ends ? LINE_MATCH : 0);
}

/* Returns the same if it is the same by all guesses, or else LINE_UNDECIDED. At END_OF_LINE,
 * returns line_automaton.ends instead. */
static uint16_t follow(struct determinizer *maker, uint32_t number, uint32_t byte)
{
    const bool asks = maker->nfa.is_wide &&
                      (maker->states[number].before == LINE_BEFORE_BEYOND || is_beyond(byte));
    uint16_t first = 0;

    for (uint32_t guess = 0; guess <= (asks ? 4u : 0u) && maker->fails == NULL; guess++) {
        uint16_t found;

        maker->nfa.guess = guess;
        if (byte == END_OF_LINE)
            settle(maker, &maker->states[number], byte);
        found = byte == END_OF_LINE ? maker->now.ends : follow_guess(maker, number, byte);
        if (guess > 0 && found != first)
            return LINE_UNDECIDED;
        first = found;
    }
    return first;
}

/* Replaces states from which no match can be reached with LINE_FAILS. States are numbered in the
 * order in which they are reached, so most are found in the first round. */
static void prune(struct determinizer *maker)
{
    bool *holds = maker->reaches, grows = true;

    holds[LINE_HOLDS] = holds[LINE_UNDECIDED] = true;
    while (grows) {
        grows = false;
        for (uint32_t i = maker->state_count; i-- > LINE_BEGIN;) {
            bool found = maker->ends[i] != 0;

            for (uint32_t class = 0; class < maker->class_count && !found && !holds[i]; class ++) {
                const uint16_t next = maker->next[maker->class_count * i + class];

                found = (next & LINE_MATCH) != 0 || holds[next];
            }
            grows |= found && !holds[i];
            holds[i] |= found;
        }
    }
    for (uint32_t i = maker->class_count * LINE_BEGIN; i < maker->class_count * maker->state_count;
         i++)
        if (!holds[maker->next[i] & ~LINE_MATCH])
            maker->next[i] &= LINE_MATCH;
}

/* Makes the start states, that at the beginning of a line first. */
static void begin(struct determinizer *maker)
{
    const struct border any = {.any = true};

    maker->state_count = LINE_BEGIN;
    list_begin(maker, &maker->now);
    add(maker, &maker->now, maker->first, &any);
    maker->may_be_empty = maker->now.ends;
    list_begin(maker, &maker->start);
    add(maker, &maker->start, maker->first, NULL);
    /* A search that goes on after an empty match steps over a byte, not over a character. */
    fail_if(maker,
            maker->may_be_empty && !is_around(maker) &&
                (maker->as != DETERMINIZE_ANY
                     ? maker->nfa.has_part
                     : maker->made->has_words && !maker->made->options.bytes),
            "a match may be empty, beside the edge of a word or with \\C");
    for (uint32_t i = 0; i < LINE_BEFORES && maker->fails == NULL; i++) {
        const bool is_known = maker->nfa.has_edges && (i == 0 || maker->as != DETERMINIZE_ANY) &&
                              (i != LINE_BEFORE_BEYOND || maker->nfa.is_wide);

        list_begin(maker, &maker->after);
        (void)add_starts(maker, true);
        maker->first_states[i] =
            maker->after.ends && is_around(maker)  ? LINE_HOLDS
            : i == LINE_BEFORE_BEYOND && !is_known ? maker->first_states[LINE_BEFORE_OTHER]
            : i > 0 && !is_known
                ? maker->first_states[0]
                : state_of(maker, is_known ? (enum line_before)i : LINE_BEFORE_OTHER,
                           maker->as < DETERMINIZE_BACKWARDS);
    }
}

static void fill(struct determinizer *maker)
{
    const uint32_t count = maker->class_count;

    begin(maker);
    for (uint32_t i = 0; i < count * LINE_BEGIN; i++)
        maker->next[i] = (uint16_t)(i / count); /* LINE_FAILS, LINE_HOLDS, LINE_UNDECIDED */
    maker->ends[LINE_HOLDS] = 1;
    maker->ends[LINE_UNDECIDED] = LINE_UNDECIDED;
    for (uint32_t i = LINE_BEGIN; i < maker->state_count && maker->fails == NULL; i++) {
        for (uint32_t class = 0; class < count && maker->fails == NULL; class ++)
            maker->next[count * i + class] = follow(maker, i, maker->byte_of[class]);
        maker->ends[i] = (uint8_t)follow(maker, i, END_OF_LINE);
        fail_if(maker,
                maker->steps > STEPS_MAX ||
                    (maker->words_max > 0 && maker->state_count * count > maker->words_max) ||
                    maker->all_steps > ALL_STEPS_MAX,
                "its automaton would be too large");
    }
    if (maker->fails == NULL)
        prune(maker);
}

/* Adds the places of the expressions, or of the anchor's expression. Errors: MEMORY. */
static enum trawl_status put_all(struct determinizer *maker, const struct determinize_of *of,
                                 struct trawl_error *error)
{
    const struct expressions *made = maker->made;
    const struct anchor *anchor = is_around(maker) ? &made->anchors[*of->items] : NULL;
    const bool lines = (made->plan->flags & TRAWL_WHOLE_LINE) != 0;
    const bool words = !lines && (made->plan->flags & TRAWL_WHOLE_WORD) != 0;
    const char edges[] = {lines ? 'A' : 'h', lines ? 'z' : 'H'};
    const bool back = maker->as == DETERMINIZE_BACKWARDS || maker->as == DETERMINIZE_BEFORE;
    struct nfa_border border = {.place = NO_PLACE};
    struct nfa *nfa = &maker->nfa;
    uint32_t end, all = NO_PLACE;

    if (anchor != NULL) {
        border.list = anchor->list;
        border.item = anchor->first;
    }

    *nfa = (struct nfa){.options = &made->options,
                        .backwards = back,
                        .is_ordered = maker->as == DETERMINIZE_ORDERED,
                        .is_wide = made->has_words &&
                                   (made->options.letters.is_word != NULL || made->is_strict),
                        .classes = &maker->classes,
                        .slots = maker->place_slots,
                        .slot_count = SLOTS,
                        .places = maker->places,
                        .borders = &border,
                        .border_count = anchor != NULL,
                        .max = PLACES_MAX};
    end = nfa_put(nfa, (struct place){.kind = PLACE_END});
    if (lines || words)
        end = nfa_put_edge(nfa, edges[!back], false, end);
    for (uint32_t i = 0; i < of->count; i++) {
        const uint32_t item = anchor != NULL      ? anchor->expression
                              : of->items == NULL ? i
                                                  : of->items[i];
        struct syntax tree;

        TRAWL_TRY(syntax_again(&made->items[item].tree, &tree, error));
        all = nfa_put_fork(nfa, nfa_put_node(nfa, &tree.root, end), all);
        syntax_release(&tree);
    }
    maker->first = lines || words ? nfa_put_edge(nfa, edges[back], false, all) : all;
    maker->steps = nfa->steps;
    maker->fails = nfa->fails ? nfa->why : NULL;
    if (anchor != NULL)
        maker->first = border.place;
    fail_if(maker, anchor != NULL && border.times != 1,
            "its strings lie in a part that is repeated a number of times");
    return TRAWL_OK;
}

/* Sets maker->now to all places that can be reached, which are not those before an anchor. */
static void reach(struct determinizer *maker)
{
    struct list *list = &maker->now;

    maker->words = (maker->nfa.count + 63) / 64;
    maker->nfa.has_edges = false;
    list_begin(maker, list);
    list->items[list->count++] = (uint16_t)maker->first;
    while (list->count > 0) {
        const uint16_t at = list->items[--list->count];
        const struct place *place = &maker->nfa.places[at];

        if ((list->held[at / 64] >> at % 64 & 1) != 0)
            continue;
        list->held[at / 64] |= UINT64_C(1) << at % 64;
        maker->nfa.has_edges |= place->kind == PLACE_EDGE;
        if (place->kind != PLACE_END)
            list->items[list->count++] = (uint16_t)place->next;
        if (place->kind == PLACE_FORK)
            list->items[list->count++] = (uint16_t)place->other;
    }
}

/* Returns true if nothing has to be read. */
static bool holds_at_once(const struct determinizer *maker)
{
    bool holds = true;

    for (uint32_t i = 0; i < LINE_BEFORES; i++)
        holds = holds && maker->first_states[i] == LINE_HOLDS;
    return holds;
}

/* Copies the tables. */
static enum trawl_status copy_tables(const struct determinizer *maker,
                                     struct line_automaton *automaton, struct trawl_error *error)
{
    const uint32_t count = automaton->state_count = maker->state_count;
    const bool by_class = count > BYTE_STATES_MAX || is_around(maker);

    automaton->columns = by_class ? maker->class_count : 256;
    for (uint32_t byte = 0; byte < 256; byte++)
        automaton->column_of[byte] = by_class ? maker->class_of[byte] : (uint8_t)byte;
    TRAWL_TRY(MEMORY_NEW(automaton->ends, count, error));
    memcpy(automaton->ends, maker->ends, count);
    TRAWL_TRY(MEMORY_NEW(automaton->next, automaton->columns * (uint64_t)count, error));
    for (uint32_t i = 0; i < automaton->columns * count; i++) {
        const uint32_t column = i % automaton->columns;

        automaton->next[i] = maker->next[maker->class_count * (i / automaton->columns) +
                                         (by_class ? column : maker->class_of[column])];
    }
    memcpy(automaton->first, maker->first_states, sizeof automaton->first);
    automaton->may_be_empty = maker->may_be_empty;
    return TRAWL_OK;
}

enum trawl_status determinize(const struct expressions *made, const struct determinize_of *of,
                              struct determinizer **kept, struct line_automaton *automaton,
                              struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    /* line ends lead elsewhere */
    const uint8_t ends[2] = {made->plan->line_end, made->plan->line_end_also};
    bool cuts[257] = {false};
    struct determinizer *maker;

    if (*kept == NULL)
        TRAWL_TRY(MEMORY_ZEROED(*kept, 1, error));
    maker = *kept;
    memset(maker, 0, offsetof(struct determinizer, all_steps));
    maker->made = made;
    maker->as = of->as;
    maker->words_max = of->words_max;
    TRAWL_TRY(put_all(maker, of, error));
    if (maker->fails == NULL) {
        reach(maker);
        maker->class_count = nfa_divide(&maker->nfa, 0, maker->now.held, ends, cuts,
                                        maker->class_of, maker->byte_of);
        fill(maker);
    }
    maker->all_steps += maker->steps;
    if (maker->fails == NULL && !(of->as == DETERMINIZE_BEFORE && holds_at_once(maker)))
        status = copy_tables(maker, automaton, error);
    automaton->fails = maker->fails;
    return status;
}

void determinizer_free(struct determinizer *maker)
{
    if (maker != NULL)
        classes_release(&maker->classes);
    memory_release(maker, 1, sizeof *maker);
}

void determinize_free(struct line_automaton *automaton)
{
    memory_release(automaton->next, automaton->state_count,
                   automaton->columns * sizeof *automaton->next);
    memory_release(automaton->ends, automaton->state_count, 1);
}
