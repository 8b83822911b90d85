/* determinize: places, lists of places, and the automaton's states (determinize.h) */
#include "regex/determinize.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"

#define PLACES_MAX 2048u
#define PLACE_WORDS (PLACES_MAX / 64)
#define STATES_MAX 512u
#define ITEMS_MAX (1u << 17) /* places in the lists of all states */
/* Number of steps after which the automaton counts as too large; a step adds a place to a list.
 * 2^21 steps take about 5 ms. */
#define STEPS_MAX (1u << 21)
#define END_OF_LINE 256u /* read at the end of a line, instead of a byte */
#define NO_PLACE UINT16_MAX
/* Only small automata are searched for `tail` (line_automaton.h), within some 100 us. */
#define TAIL_STATES_MAX 32u
#define TAIL_BYTES_MAX 15u
#define NEXT_SET UINT16_MAX /* an item of a list, for LONGEST: between two sets */

/* The word boundaries, by the letters of syntax_node, and where each is true: bit 0 between two
 * characters outside words, bit 1 after a word, bit 2 before a word, bit 3 inside a word. */
static const char boundaries[] = "bBmMhH";
static const uint8_t boundary_bits[] = {6, 9, 4, 2, EDGE_NO_WORD_BEFORE, EDGE_NO_WORD_AFTER};

enum place_kind { PLACE_BYTES, PLACE_FORK, PLACE_EDGE, PLACE_END };

struct place {
    uint8_t kind;
    uint8_t low, high; /* for BYTES: the range of bytes */
    char letter;       /* for EDGE: as in syntax_node */
    bool by_lines;     /* for EDGE: ^ and $ also match at newlines */
    uint16_t next;
    uint16_t other; /* for FORK: the place after `next`, in order of preference */
};

/* Where assertions are decided: between what was read and `next`, a byte or END_OF_LINE. */
struct border {
    enum line_before before;
    uint32_t next;
    bool any; /* every assertion is true */
};

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
    bool has_edges;
    bool has_part; /* a place may take a part of a character */
    bool may_be_empty;
    struct place places[PLACES_MAX];
    uint32_t place_count;
    uint32_t words; /* how many words of a list's `held` are used */
    uint32_t steps;
    uint16_t first;
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

/* ---- Places ------------------------------------------------------------------------------- */

static uint16_t put(struct maker *maker, struct place place)
{
    if (maker->place_count == PLACES_MAX)
        maker->fails = true;
    if (maker->fails)
        return 0;
    maker->places[maker->place_count] = place;
    return (uint16_t)maker->place_count++;
}

static uint16_t put_bytes(struct maker *maker, uint32_t low, uint32_t high, uint16_t next)
{
    return put(maker,
               (struct place){
                   .kind = PLACE_BYTES, .low = (uint8_t)low, .high = (uint8_t)high, .next = next});
}

static uint16_t put_fork(struct maker *maker, uint16_t next, uint16_t other)
{
    if (next == NO_PLACE || other == NO_PLACE)
        return next == NO_PLACE ? other : next;
    return put(maker, (struct place){.kind = PLACE_FORK, .next = next, .other = other});
}

/* Adds places for all non-ASCII characters as RE2 does: its sets also accept encodings that are too
 * long, and code points beyond U+10FFFF. */
static uint16_t put_beyond(struct maker *maker, uint16_t next)
{
    if (maker->as == DETERMINIZE_BACKWARDS) {
        const uint16_t four = put_bytes(maker, 0x80, 0xbf, put_bytes(maker, 0xf0, 0xf4, next));
        const uint16_t three = put_fork(maker, put_bytes(maker, 0xe0, 0xef, next), four);
        const uint16_t two = put_bytes(maker, 0xc2, 0xdf, next);

        return put_bytes(maker, 0x80, 0xbf,
                         put_fork(maker, two, put_bytes(maker, 0x80, 0xbf, three)));
    }
    const uint16_t last = put_bytes(maker, 0x80, 0xbf, next);
    const uint16_t third = put_bytes(maker, 0x80, 0xbf, last);
    const uint16_t two = put_bytes(maker, 0xc2, 0xdf, last);
    const uint16_t three = put_bytes(maker, 0xe0, 0xef, third);
    const uint16_t four = put_bytes(maker, 0xf0, 0xf4, put_bytes(maker, 0x80, 0xbf, third));

    return put_fork(maker, two, put_fork(maker, three, four));
}

/* Adds places for the characters from `low` to `high` in UTF-8. */
static uint16_t put_range(struct maker *maker, uint32_t low, uint32_t high, uint16_t next)
{
    static const uint32_t lengths[] = {0x7f, 0x7ff, 0xffff};
    uint8_t from[4], to[4];
    uint32_t count;

    if (low == 0x80 && high == 0x10ffff)
        return put_beyond(maker, next);
    for (uint32_t i = 0; i < 3; i++)
        if (low <= lengths[i] && lengths[i] < high)
            return put_fork(maker, put_range(maker, low, lengths[i], next),
                            put_range(maker, lengths[i] + 1, high, next));
    for (uint32_t bits = 6; high >= 0x80 && bits <= 18; bits += 6) {
        const uint32_t rest = (1u << bits) - 1;

        if ((low & ~rest) == (high & ~rest))
            break;
        if ((low & rest) != 0)
            return put_fork(maker, put_range(maker, low, low | rest, next),
                            put_range(maker, (low | rest) + 1, high, next));
        if ((high & rest) != rest)
            return put_fork(maker, put_range(maker, low, (high & ~rest) - 1, next),
                            put_range(maker, high & ~rest, high, next));
    }
    (void)plan_utf8_encode(high, to);
    count = plan_utf8_encode(low, from);
    for (uint32_t i = 0; i < count; i++) { /* a range for each byte */
        const uint32_t at = maker->as == DETERMINIZE_BACKWARDS ? i : count - 1 - i;

        next = put_bytes(maker, from[at], to[at], next);
    }
    return next;
}

static uint16_t put_characters(struct maker *maker, const struct syntax_node *node, uint16_t next)
{
    uint16_t all = NO_PLACE;

    for (uint32_t i = 0; i < node->set_count && !maker->fails; i++) {
        const struct code_range range = node->set[i];

        all = put_fork(maker,
                       maker->made->options.bytes ? put_bytes(maker, range.first, range.last, next)
                                                  : put_range(maker, range.first, range.last, next),
                       all);
    }
    /* for a class without characters, a range without bytes */
    return all == NO_PLACE ? put_bytes(maker, 1, 0, next) : all;
}

static uint16_t put_node(struct maker *maker, const struct syntax_node *node, uint16_t next);

/* Adds a fork to a repetition's item, and to what follows the repetition. */
static uint16_t put_choice(struct maker *maker, const struct syntax_node *node, uint16_t item,
                           uint16_t next)
{
    return node->is_lazy ? put_fork(maker, next, item) : put_fork(maker, item, next);
}

static uint16_t put_repeat(struct maker *maker, const struct syntax_node *node, uint16_t next)
{
    const struct syntax_node *item = node->items[0];
    uint16_t from = next;

    /* RE2 simplifies such repetitions, which may change what a match prefers */
    maker->fails |= maker->as == DETERMINIZE_ORDERED && item->may_be_empty && node->most > 1;
    if (node->most == SYNTAX_ENDLESS) {
        from = put_choice(maker, node, 0, next);
        if (!maker->fails && node->is_lazy)
            maker->places[from].other = put_node(maker, item, from);
        else if (!maker->fails)
            maker->places[from].next = put_node(maker, item, from);
    }
    for (uint32_t i = node->least; node->most != SYNTAX_ENDLESS && i < node->most && !maker->fails;
         i++)
        from = put_choice(maker, node, put_node(maker, item, from), next);
    for (uint32_t i = 0; i < node->least && !maker->fails; i++)
        from = put_node(maker, item, from);
    return from;
}

static uint16_t put_edge(struct maker *maker, char letter, bool by_lines, uint16_t next)
{
    maker->has_edges = true;
    maker->fails |= strchr("^$Az", letter) == NULL && strchr(boundaries, letter) == NULL;
    /* in copies with marks, (?m:^) and (?m:$) do not match at newlines (words.h) */
    maker->fails |= by_lines && maker->made->needs_marks;
    return put(
        maker,
        (struct place){.kind = PLACE_EDGE, .letter = letter, .by_lines = by_lines, .next = next});
}

/* Adds the places of a node before `next`, the place that follows it. Returns the first of them. */
static uint16_t put_node(struct maker *maker, const struct syntax_node *node, uint16_t next)
{
    const uint32_t last = node->count - 1;
    uint16_t all = NO_PLACE;

    if (maker->fails)
        return 0;
    switch ((enum syntax_kind)node->kind) {
    case SYNTAX_EMPTY:
        return next;
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        return put_characters(maker, node, next);
    case SYNTAX_BYTE:
        maker->has_part |= !maker->made->options.bytes;
        return put_bytes(maker, 0, 0xff, next);
    case SYNTAX_EDGE:
        return put_edge(maker, node->letter, (node->flags & SYNTAX_MANY_LINES) != 0, next);
    case SYNTAX_REPEAT:
        return put_repeat(maker, node, next);
    case SYNTAX_LIST:
        for (uint32_t i = 0; i < node->count; i++)
            next = put_node(maker, node->items[maker->as == DETERMINIZE_BACKWARDS ? i : last - i],
                            next);
        return next;
    case SYNTAX_GROUP:
        for (uint32_t i = node->count; i-- > 0;)
            all = put_fork(maker, put_node(maker, node->items[i], next), all);
        return all == NO_PLACE ? next : all;
    case SYNTAX_REFERENCE:
        break;
    }
    maker->fails = true;
    return 0;
}

/* ---- Lists -------------------------------------------------------------------------------- */

static void list_begin(const struct maker *maker, struct list *list)
{
    list->count = 0;
    list->ends = false;
    memset(list->held, 0, maker->words * sizeof *list->held);
}

static bool is_word(uint32_t byte)
{
    return byte != END_OF_LINE && class_is_word_byte((char)byte);
}

static enum line_before before_of(uint32_t byte)
{
    return byte == '\n'    ? LINE_BEFORE_NEWLINE
           : is_word(byte) ? LINE_BEFORE_WORD
                           : LINE_BEFORE_OTHER;
}

/* Returns true if the assertion is true at the border. */
static bool holds(const struct maker *maker, const struct place *place, const struct border *border)
{
    const bool back = maker->as == DETERMINIZE_BACKWARDS;
    const bool is_first = border->before == LINE_BEFORE_BEGIN,
               is_last = border->next == END_OF_LINE;
    const bool after_newline = place->by_lines && border->before == LINE_BEFORE_NEWLINE;
    const bool at_newline = place->by_lines && border->next == '\n';
    const bool read = border->before == LINE_BEFORE_WORD, next = is_word(border->next);

    switch (place->letter) {
    case '^':
        return back ? is_last || at_newline : is_first || after_newline;
    case '$':
        return back ? is_first || after_newline : is_last || at_newline;
    case 'A':
        return back ? is_last : is_first;
    case 'z':
        return back ? is_first : is_last;
    default:
        return (boundary_bits[strchr(boundaries, place->letter) - boundaries] >>
                    (back ? next + 2 * read : read + 2 * next) &
                1) != 0;
    }
}

/* Adds a place to the list, and the places that can be reached from it without reading a byte, in
 * the order of preference. Decides assertions at the border; if that is NULL, they are added. */
static void add(struct maker *maker, struct list *list, uint16_t place, const struct border *border)
{
    uint16_t stack[64];
    uint32_t depth = 0;

    stack[depth++] = place;
    while (depth > 0 && !(list->ends && maker->as == DETERMINIZE_ORDERED)) {
        const uint16_t at = stack[--depth];
        const struct place *what = &maker->places[at];

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
            if (border->any || holds(maker, what, border))
                stack[depth++] = what->next;
        } else {
            list->ends |= what->kind == PLACE_END;
            list->items[list->count++] = at;
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
    const enum line_before before = maker->has_edges ? before_of(byte) : LINE_BEFORE_OTHER;
    struct list *now = &maker->now, *after = &maker->after;
    bool seeks = from.seeks;

    settle(maker, &from, byte);
    if (now->ends && maker->as == DETERMINIZE_ANY)
        return LINE_HOLDS;
    list_begin(maker, after);
    for (uint32_t i = 0; i < now->count && !maker->fails; i++) {
        const struct place *place = &maker->places[now->items[i] % PLACES_MAX];

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

/* Divides the bytes into classes that no place or assertion distinguishes. */
static void divide(struct maker *maker)
{
    const struct trawl_plan *plan = maker->made->plan;
    bool cuts[257] = {false};

    for (uint32_t i = 0; i < maker->place_count; i++)
        if (maker->places[i].kind == PLACE_BYTES && maker->places[i].low <= maker->places[i].high)
            cuts[maker->places[i].low] = cuts[maker->places[i].high + 1] = true;
    for (uint32_t byte = 1; byte < 256 && maker->has_edges; byte++)
        cuts[byte] |= before_of(byte) != before_of(byte - 1);
    for (uint32_t end = 0; end < 2 && maker->on_host; end++) { /* line ends lead elsewhere (fill) */
        const uint8_t byte = end == 0 ? plan->line_end : plan->line_end_also;

        cuts[byte] = cuts[byte + 1] = true;
    }
    maker->class_count = 0;
    for (uint32_t byte = 0; byte < 256; byte++) {
        maker->class_count += byte > 0 && cuts[byte];
        maker->class_of[byte] = (uint8_t)maker->class_count;
        maker->byte_of[maker->class_count] = (uint8_t)byte;
    }
    maker->class_count++;
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

    maker->words = (maker->place_count + 63) / 64;
    maker->state_count = LINE_BEGIN;
    list_begin(maker, &maker->now);
    add(maker, &maker->now, maker->first, &any);
    maker->may_be_empty = maker->now.ends;
    /* A search that goes on after an empty match steps over a byte, not over a character. Only on
     * the host is a line with an empty match inside a character read otherwise. */
    maker->fails |= maker->may_be_empty &&
                    (maker->as != DETERMINIZE_ANY ? maker->has_part
                                                  : !maker->on_host && maker->made->has_marked &&
                                                        !maker->made->options.bytes);
    for (uint32_t i = 0; i < LINE_BEFORES && !maker->fails; i++) {
        const bool is_known = maker->has_edges && (i == 0 || maker->as != DETERMINIZE_ANY);

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
    uint16_t end = put(maker, (struct place){.kind = PLACE_END}), all = NO_PLACE;

    if (lines || words)
        end = put_edge(maker, edges[!back], false, end);
    for (uint32_t i = 0; i < made->count && !maker->fails; i++)
        if (maker->as == DETERMINIZE_ANY || i == expression)
            all = put_fork(maker, put_node(maker, made->items[i].tree.root, end), all);
    maker->first = lines || words ? put_edge(maker, edges[back], false, all) : all;
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
    struct maker *maker;

    TRAWL_TRY(MEMORY_ZEROED(maker, 1, error));
    maker->made = made;
    maker->as = as;
    maker->on_host = on_host;
    put_all(maker, expression);
    divide(maker);
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
