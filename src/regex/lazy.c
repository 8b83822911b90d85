/* lazy: the places and parts of an automaton that is made while it reads (lazy.h). */
#include "regex/lazy_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "regex/prices.def"

/* An expression with more places always passes. */
#define RULE_PLACES_MAX 4096u
/* A share of the memory (lazy_parts.h). If the plan limits memory, a 96th of that is one, up to 2/3
 * MiB. There are four, of which arrays that grow may take twice as much; the two automata that find
 * matches take a quarter each. So a thread needs an eighth of the limit, up to 8 MiB; a server
 * counts 9 (tools/trawl/options/expressions.c). A place takes PLACE_BYTES with the arrays of lists.
 */
#define SHARE_BYTES (UINT64_C(1) << 23)
#define LIMITED_BYTES ((UINT64_C(2) << 20) / 3)
#define SHARES 96u
#define FOUND_SHARE 4u
/* Without a limit, they may take so many times as much: each rule of a book has states of its own
 * beside its strings, with a column for each class of bytes beyond ASCII. */
#define FOUND_GROWS 2u
#define PLACE_BYTES 80u
#define STATES_MAX (1u << 15)
#define STATES_LEAST 4u
struct lazy_sizes lazy_sizes = {.states = STATES_MAX, .credit = 4096};

void lazy_free(struct lazy *lazy)
{
    if (lazy == NULL)
        return;
    for (uint64_t i = 0; i < lazy->part_count; i++)
        memory_release(lazy->parts[i].moved, BEFORES * lazy->stride, sizeof(struct range));
    memory_release(lazy->nfa.places, lazy->place_capacity, sizeof *lazy->nfa.places);
    memory_release(lazy->firsts, lazy->count, sizeof(uint32_t));
    memory_release(lazy->groups, lazy->group_count, sizeof(uint32_t));
    memory_release(lazy->borders, lazy->border_count, sizeof *lazy->borders);
    memory_release(lazy->besides, lazy->border_count, sizeof(uint32_t));
    memory_release(lazy->asks, lazy->border_count, sizeof(uint16_t));
    memory_release(lazy->rules, lazy->rule_capacity, sizeof(uint32_t));
    memory_release(lazy->parts, lazy->part_capacity, sizeof *lazy->parts);
    memory_release(lazy->kept, lazy->kept_capacity, sizeof(uint32_t));
    memory_release(lazy->list, 6 * (uint64_t)lazy->list_capacity, sizeof(uint32_t));
    memory_release(lazy->states, lazy->state_capacity, sizeof *lazy->states);
    memory_release(lazy->next, lazy->next_capacity, sizeof(uint32_t));
    memory_release(lazy->slots, lazy->slot_count, sizeof(uint32_t));
    memory_release(lazy->items, lazy->item_capacity, sizeof(uint32_t));
    memory_release(lazy->found, lazy->count, 2 * sizeof(uint32_t));
    memory_release(lazy->place_slots, lazy->place_slot_count, sizeof(uint16_t));
    classes_release(&lazy->classes);
    symbols_release(&lazy->symbols);
    for (uint32_t i = 0; i < LANES; i++)
        memory_release(lazy->lanes[i].hits, lazy->lanes[i].capacity, sizeof(struct lazy_hit));
    memory_release(lazy, 1, sizeof *lazy);
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

/* Returns lazy->tail of an expression. */
static uint32_t tail_of(const struct syntax_node *root)
{
    uint32_t tail = 0;

    for (uint32_t i = 0; i < root->count; i++) {
        struct syntax_node list = *root->items[i];
        const struct syntax_node *last = list.count > 0 ? list.items[--list.count] : root;

        if (last->kind != SYNTAX_EDGE || (last->letter != '$' && last->letter != 'z') ||
            (last->flags & SYNTAX_MANY_LINES) != 0 || syntax_has(&list, SYNTAX_EDGE) ||
            syntax_has(&list, SYNTAX_BYTE))
            return 0;
        tail = (uint32_t)max_u64(tail, syntax_max_bytes(&list));
    }
    return tail < UINT32_MAX ? tail : 0;
}

/* Makes room in nfa.slots for twice as many places as there may be. */
static enum trawl_status grow_place_slots(struct lazy *lazy, struct trawl_error *error)
{
    uint32_t count = lazy->place_slot_count;
    uint16_t *slots;

    while (count < 2 * lazy->nfa.max)
        count *= 2;
    if (count == lazy->place_slot_count)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(slots, count, error));
    memory_release(lazy->place_slots, lazy->place_slot_count, sizeof *slots);
    lazy->nfa.slots = lazy->place_slots = slots;
    lazy->nfa.slot_count = lazy->place_slot_count = count;
    nfa_share(&lazy->nfa);
    return TRAWL_OK;
}

/* Lists the borders beside the strings of the expression's anchors. */
static void find_borders(struct lazy *lazy, uint32_t expression)
{
    const struct anchor *anchors = lazy->made->anchors;
    uint64_t low = 0, high = lazy->border_count;

    while (low < high) { /* the first of the expression: they are sorted */
        const uint64_t middle = low + (high - low) / 2;

        if (anchors[middle].expression < expression)
            low = middle + 1;
        else
            high = middle;
    }
    lazy->nfa.borders = lazy->borders + low;
    for (; high < lazy->border_count && anchors[high].expression == expression; high++) {
        const bool ends = lazy->as != LAZY_BACKWARDS && !anchors[high].goes_on;

        lazy->borders[high] =
            (struct nfa_border){.list = anchors[high].list,
                                .item = ends ? anchors[high].last : anchors[high].first,
                                .ends = ends,
                                .place = NO_PLACE};
    }
    lazy->nfa.border_count = high - low;
}

/* Adds the places of an expression. */
static enum trawl_status put_expression(struct lazy *lazy, uint32_t index,
                                        struct trawl_error *error)
{
    const struct expression *item = &lazy->made->items[index];
    const uint32_t flags = item->beyond == NULL ? lazy->made->plan->flags : 0;
    const bool lines = (flags & TRAWL_WHOLE_LINE) != 0;
    const bool words = !lines && (flags & TRAWL_WHOLE_WORD) != 0;
    const bool finds = lazy->as != LAZY_ENDS, back = lazy->as == LAZY_BACKWARDS;
    const char edges[] = {lines ? 'A' : 'h', lines ? 'z' : 'H'};
    struct nfa *nfa = &lazy->nfa;
    const uint32_t count = nfa->count;
    struct syntax tree;
    bool is_large;
    uint32_t at;

    find_borders(lazy, index);
    lazy->firsts[index] = NOTHING;
    if (nfa->slots != NULL && count + RULE_PLACES_MAX > NFA_PLACES_MAX) /* it is full */
        return TRAWL_OK;
    nfa->max = (uint32_t)min_u64(nfa->count + RULE_PLACES_MAX, lazy->made->memory.mib > 0
                                                                   ? lazy->share_bytes / PLACE_BYTES
                                                                   : UINT32_MAX);
    TRAWL_TRY(MEMORY_ROOM(nfa->places, lazy->place_capacity, nfa->max, error));
    if (nfa->slots != NULL)
        TRAWL_TRY(grow_place_slots(lazy, error));
    TRAWL_TRY(syntax_again(&item->tree, &tree, error));
    nfa->steps = 0;
    at = nfa_put(nfa, (struct place){.kind = PLACE_END, .other = index});
    if (lines || words)
        at = nfa_put_edge(nfa, edges[!back], false, at);
    at = lines || words || finds ? nfa_put_node(nfa, &tree.root, at)
                                 : nfa_put_core(nfa, &tree.root, at);
    lazy->tail = lazy->count == 1 && !lines && !words ? tail_of(&tree.root) : 0;
    syntax_release(&tree);
    if (lines || words)
        at = nfa_put_edge(nfa, edges[back], false, at);
    if (!nfa->fails)
        lazy->firsts[index] = at;
    else
        nfa->count = count;
    if (nfa->fails && nfa->slots != NULL)
        nfa_share(nfa);
    is_large = nfa->fails && !nfa->is_hull && !finds && lazy->count == 1;
    nfa->fails = false;
    if (is_large) {
        nfa->is_hull = true;
        nfa->is_open = lazy->made->has_words;
        nfa->knows_words = false;
        nfa->slots = NULL;
        nfa->classes = NULL;
        nfa->keeps_classes = false;
    }
    return is_large ? put_expression(lazy, index, error) : TRAWL_OK;
}

/* Makes the places of the expressions in lazy->found. If they divide the classes of bytes, forgets
 * all states. */
static enum trawl_status make_places(struct lazy *lazy, struct trawl_error *error)
{
    const struct trawl_plan *plan = lazy->made->plan;
    const bool had_edges = lazy->nfa.has_edges;
    uint8_t class_of[256];
    uint32_t count;

    for (uint32_t i = 0; i < lazy->found_count; i++)
        if (lazy->firsts[lazy->found[i]] == 0) {
            const enum trawl_status status = put_expression(lazy, lazy->found[i], error);

            lazy->is_stale |= had_edges != lazy->nfa.has_edges;
            TRAWL_TRY(status);
        }
    if (lazy->classed_count == lazy->nfa.count && !lazy->is_stale)
        return TRAWL_OK;
    lazy->items_max = (uint32_t)max_u64(lazy->share_bytes / 4, 8 * (uint64_t)lazy->nfa.count);
    TRAWL_TRY(lazy_room(lazy, lazy->nfa.count, error));
    count = nfa_divide(&lazy->nfa, lazy->classed_count, NULL, NULL, lazy->cuts, class_of,
                       lazy->byte_of);
    lazy->classed_count = lazy->nfa.count;
    for (uint32_t byte = 0; byte < 256; byte++)
        lazy->class_of[byte] = class_of[byte];
    lazy->high = class_of[0x80];
    lazy->wide = lazy->nfa.knows_words ? count - lazy->high : 0;
    lazy->byte_classes = count;
    if (lazy->nfa.backwards && !lazy->made->options.bytes) {
        const enum trawl_status status = symbols_make(&lazy->symbols, &lazy->classes, error);

        if (status != TRAWL_OK) { /* no group is read before they are made */
            lazy->is_stale = true;
            memset(lazy->groups, 0xff, lazy->group_count * sizeof(uint32_t));
            if (lazy->border_count > 0)
                memset(lazy->besides, 0xff, lazy->border_count * sizeof(uint32_t));
            return status;
        }
        lazy->wide = lazy->symbols.count;
        count += lazy->nfa.knows_words ? 2 * lazy->wide : lazy->wide;
    } else {
        count += (UNITS - 1) * lazy->wide;
    }
    memcpy(lazy->line_class_of, lazy->class_of, sizeof lazy->class_of);
    if ((plan->flags & TRAWL_CRLF) != 0)
        lazy->line_class_of['\r'] = (uint16_t)(count + 1);
    if (!expressions_cross(lazy->made))
        lazy->line_class_of[plan->line_end] = lazy->line_class_of[plan->line_end_also] =
            (uint16_t)count;
    memcpy(lazy->ascii_class_of, lazy->line_class_of, sizeof lazy->ascii_class_of);
    for (uint32_t byte = 0x80; byte < 256 && lazy->wide > 0; byte++)
        lazy->ascii_class_of[byte] = (uint16_t)(count + 1);
    lazy->is_stale |= count != lazy->class_count;
    if (!lazy->is_stale)
        return TRAWL_OK;
    lazy_flush(lazy);
    lazy_forget_moved(lazy);
    lazy->class_count = count;
    lazy->stride = count + 2;
    /* one that is left, and one for each way to start (lazy_start) */
    lazy->states_max = (uint32_t)min_u64(
        lazy_sizes.states, max_u64(STATES_LEAST, lazy->share_bytes / 4 / lazy->stride));
    lazy->is_stale = false;
    return TRAWL_OK;
}

enum trawl_status lazy_group(struct lazy *lazy, uint32_t group, struct trawl_error *error)
{
    const struct expressions *made = lazy->made;
    const uint32_t atom = group - LAZY_ATOM,
                   *indexes = group == LAZY_REST ? made->rest_items : NULL;
    const bool finds = lazy->as != LAZY_ENDS, joins = finds && group == made->count;
    const uint32_t begin = finds               ? (joins ? 0 : group)
                           : group < LAZY_ATOM ? 0
                                               : made->atom_first[atom];
    const uint32_t end = joins                ? made->count
                         : finds              ? group + 1
                         : group == LAZY_ALL  ? made->count
                         : group == LAZY_REST ? (uint32_t)made->rest->pattern_count
                                              : made->atom_first[atom + 1];
    uint32_t from, first = NOTHING;

    TRAWL_TRY(MEMORY_ROOM(lazy->rules, lazy->rule_capacity,
                          lazy->rule_count + 2 * (uint64_t)(end - begin), error));
    lazy->call++;
    lazy->found_count = 0;
    for (uint32_t i = begin; i < end; i++)
        put_found(lazy, !finds && group >= LAZY_ATOM
                            ? made->anchors[made->atom_anchors[i]].expression
                            : (!finds && indexes != NULL ? indexes[i] : i));
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

enum trawl_status lazy_beside(struct lazy *lazy, uint32_t anchor, struct trawl_error *error)
{
    const uint32_t expression = lazy->made->anchors[anchor].expression;
    uint32_t next = NOTHING;

    TRAWL_TRY(MEMORY_ROOM(lazy->rules, lazy->rule_capacity, lazy->rule_count + 1, error));
    lazy->call++;
    lazy->found_count = 0;
    put_found(lazy, expression);
    TRAWL_TRY(make_places(lazy, error));
    lazy->rules[lazy->rule_count] = expression;
    TRAWL_TRY(new_part(lazy, (uint32_t)lazy->rule_count, 1, lazy->firsts[expression] == NOTHING,
                       &next, error));
    lazy->parts[next].border = lazy->borders[anchor].place;
    lazy->rule_count++;
    lazy->besides[anchor] = next;
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
    lazy_flush(lazy); /* no state may mean this part as it was */
    return TRAWL_OK;
}

/* Adds the ends of a state, reached when the line was read up to `to`, to the result. Returns true
 * if no more are wanted. */
static bool take_ends(struct lazy *lazy, const struct state *state, const struct lazy_line *line,
                      uint64_t to, bool *matches)
{
    lazy->is_ascii =
        line->any && lazy->is_ascii &&
        (!lazy->nfa.is_hull || bytes_are_ascii(line->bytes + lazy->ascii_to, to - lazy->ascii_to));
    lazy->ascii_to = to;
    for (uint32_t i = 0; i < state->list.ends; i++) {
        const uint32_t end = lazy->items[state->list.from + state->list.count + i];
        const uint32_t expression = lazy->nfa.places[end].other;

        put_found(lazy, expression);
        *matches |= lazy->is_ascii && lazy->made->items[expression].beyond == NULL;
    }
    return line->any && *matches;
}

static enum nfa_unit unit_of(const struct lazy *lazy, uint32_t code)
{
    const struct trawl_letters *letters = &lazy->made->options.letters;

    if (lazy->word_bits != NULL && code < 0x10000)
        return (lazy->word_bits[code / 64] >> code % 64 & 1) != 0 ? UNIT_WORD : UNIT_OTHER;
    return letters->is_word != NULL && letters->is_word(letters->context, code) ? UNIT_WORD
                                                                                : UNIT_OTHER;
}

enum nfa_unit lazy_unit(const struct lazy *lazy, const uint8_t *bytes, uint64_t count, uint64_t at,
                        uint64_t *end)
{
    uint32_t code = bytes[at];
    uint64_t taken = 1;

    if (!lazy->made->options.bytes)
        taken = code < 0xc2 ? 0 : plan_utf8_decode(bytes + at, count - at, &code);
    *end = at + taken + (taken == 0);
    return taken > 0 ? unit_of(lazy, code) : lazy->made->is_strict ? UNIT_NONE : UNIT_OTHER;
}

/* Returns where the character begins that contains the byte beyond ASCII at `at`, and sets *code
 * and *end; `at` if there is none. */
static uint64_t character_at(const struct lazy *lazy, const uint8_t *bytes, uint64_t count,
                             uint64_t at, uint32_t *code, uint64_t *end)
{
    uint64_t from = at;

    while (!lazy->made->options.bytes && from > 0 && at - from < 3 && (bytes[from] & 0xc0) == 0x80)
        from--;
    *end = from + plan_utf8_decode(bytes + from, count - from, code);
    return *end > at ? from : at;
}

uint32_t lazy_class_behind(struct lazy *lazy, const uint8_t *bytes, uint64_t count, uint64_t at,
                           uint64_t *begin)
{
    uint32_t code, class;
    uint64_t end;

    *begin = at - 1;
    if (lazy->wide == 0)
        return lazy->class_of[bytes[at - 1]];
    *begin = character_at(lazy, bytes, count, at - 1, &code, &end);
    if (*begin == at - 1 || end != at) { /* of no character, or reading begins inside of one */
        *begin = at - 1;
        return lazy->class_of[bytes[at - 1]];
    }
    class = lazy->byte_classes + symbols_of(&lazy->symbols, code);
    return lazy->nfa.knows_words && unit_of(lazy, code) == UNIT_OTHER ? class + lazy->wide : class;
}

uint32_t lazy_before_at(const struct lazy *lazy, const uint8_t *bytes, uint64_t count, uint64_t at,
                        uint64_t *edge)
{
    const bool back = lazy->nfa.backwards;
    enum nfa_unit unit = UNIT_INSIDE;
    uint64_t from, end;
    uint32_t code;

    *edge = 0;
    if (!lazy->nfa.has_edges || at == (back ? count : 0))
        return lazy_before(lazy);
    if (lazy->nfa.knows_words && bytes[back ? at : at - 1] >= 0x80) {
        from = character_at(lazy, bytes, count, back ? at : at - 1, &code, &end);
        unit = lazy_unit(lazy, bytes, count, from, &end);
        *edge = end > at ? end : 0;
    }
    return nfa_before(&lazy->nfa, bytes[back ? at : at - 1], unit);
}

/* Reads the line, up to `end`, for a part. */
static enum trawl_status read_part(struct lazy *lazy, uint32_t index, const struct lazy_line *line,
                                   uint64_t end, uint64_t *spare, bool *matches,
                                   struct trawl_error *error)
{
    const uint8_t *bytes = line->bytes;
    const uint16_t *class_of = lazy->class_of;
    const uint32_t all = lazy->found_count + lazy->parts[index].count;
    uint32_t before, start, state, next;
    uint64_t at = line->from, stop = at, edge;
    struct part *part;
    bool is_last = false;

    before = lazy_before_at(lazy, bytes, line->count, at, &edge);
    TRAWL_TRY(lazy_start(lazy, index, line->is_anchored, before, &start, error));
    state = start * lazy->stride;
    lazy->is_ascii = true;
    lazy->ascii_to = at - (at > 0);
    do {
        uint32_t class;

        if (at == stop && at > line->from && engine_call_is_over(line->call))
            return TRAWL_STOPPED;
        stop = at < stop ? stop : at + min_u64(end - at, LAZY_LOOK_BYTES);
        for (; at < stop; at++) {
            uint64_t ahead = edge;

            class = lazy_class(lazy, class_of[bytes[at]], bytes, line->count, at, &ahead);
            next = lazy->next[state + class];
            if (next == 0 || (next & STOP) != 0)
                break;
            edge = ahead;
            state = next;
        }
        if (at == stop && at < end)
            continue;
        is_last = at == end;
        if (is_last && end < line->count) { /* an anchored line was read far enough */
            for (uint32_t i = 0; i < lazy->parts[index].count; i++)
                put_found(lazy, lazy->rules[lazy->parts[index].from + i]);
            break;
        }
        class = lazy->class_count;
        if (!is_last)
            class = lazy_class(lazy, class_of[bytes[at]], bytes, line->count, at, &edge);
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

bool lazy_still_passes(const struct lazy *lazy, struct part *part)
{
    if (lazy->firsts[lazy->rules[part->from]] != NOTHING) {
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
        const bool reads = !lazy_passes(lazy, &lazy->parts[i]);
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
    if (lazy->as != LAZY_ENDS)
        lazy->share_bytes = made->memory.mib > 0 ? lazy->share_bytes / FOUND_SHARE
                                                 : FOUND_GROWS * lazy->share_bytes;
    TRAWL_TRY(MEMORY_ROOM(lazy->nfa.places, lazy->place_capacity, 1, error));
    if (!lazy->nfa.is_hull)
        TRAWL_TRY(MEMORY_ZEROED(lazy->place_slots, NFA_SLOTS, error));
    lazy->nfa.slots = lazy->place_slots;
    lazy->nfa.slot_count = lazy->place_slot_count = lazy->place_slots != NULL ? NFA_SLOTS : 0;
    lazy->nfa.classes = lazy->nfa.is_hull ? NULL : &lazy->classes;
    lazy->nfa.keeps_classes = !lazy->nfa.is_hull;
    lazy->nfa.max = 1;
    (void)nfa_put(&lazy->nfa, (struct place){.kind = PLACE_END}); /* no expression begins at 0 */
    lazy->group_count =
        lazy->as == LAZY_ENDS ? LAZY_ATOM + (uint32_t)made->atom_count : made->count + 1;
    TRAWL_TRY(MEMORY_NEW(lazy->groups, lazy->group_count, error));
    memset(lazy->groups, 0xff, lazy->group_count * sizeof(uint32_t));
    if (lazy->as != LAZY_ENDS && made->anchor_count > 0) {
        TRAWL_TRY(MEMORY_NEW(lazy->borders, made->anchor_count, error));
        lazy->border_count = made->anchor_count;
        TRAWL_TRY(MEMORY_NEW(lazy->besides, made->anchor_count, error));
        memset(lazy->besides, 0xff, made->anchor_count * sizeof(uint32_t));
        TRAWL_TRY(MEMORY_ZEROED(lazy->asks, made->anchor_count, error));
    }
    TRAWL_TRY(MEMORY_ZEROED(marks, 2 * (uint64_t)made->count, error));
    lazy->found = marks;
    lazy->found_at = marks + made->count;
    return TRAWL_OK;
}

/* Returns true if the characters themselves are read, not a hull of the expressions: of one, or of
 * few short ones without word boundaries, whose places certainly have room. */
static bool reads_all(const struct expressions *made)
{
    uint64_t places = 0;

    for (uint32_t i = 0; i < made->count && places <= EXACT_PLACES; i++)
        places += (plan_pattern(made->plan, i).bytes_count + 1) *
                  max_u64(made->items[i].tree.root.product, 1);
    if (made->has_words && expressions_end_beyond(made))
        return false;
    return made->count == 1 ||
           (made->count <= EXACT_LIST && !made->has_words && places <= EXACT_PLACES);
}

enum trawl_status lazy_make(const struct expressions *made, enum lazy_as as, struct lazy **out,
                            struct trawl_error *error)
{
    const bool ends = as == LAZY_ENDS, is_hull = ends && !reads_all(made);
    enum trawl_status status;
    struct lazy *lazy;

    TRAWL_TRY(MEMORY_ZEROED(lazy, 1, error));
    lazy->made = made;
    lazy->as = as;
    lazy->count = made->count;
    if (made->options.letters.is_word == trawl_unicode()->is_word)
        lazy->word_bits = unicode_word_bits();
    lazy->nfa = (struct nfa){.options = &made->options,
                             .backwards = as == LAZY_BACKWARDS,
                             .is_ordered = as == LAZY_ORDERED,
                             .is_hull = is_hull,
                             .is_open = is_hull,
                             .knows_words = !is_hull && made->has_words};
    status = make(lazy, error);
    if (status != TRAWL_OK)
        lazy_free(lazy);
    else
        *out = lazy;
    return status;
}
