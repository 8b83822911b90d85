/* nfa: makes places from trees (nfa.h). */
#include "regex/nfa.h"

#include <string.h>

#include "base/checked.h"
#include "plan/plan.h"
#include "regex/syntax/sets.h"

/* The word boundaries, by the letters of syntax_node, and where each is true: bit 0 between two
 * characters outside words, bit 1 after a word, bit 2 before a word, bit 3 inside a word. */
static const char boundaries[] = "bBmMhH";
static const uint8_t boundary_bits[] = {6, 9, 4, 2, 5, 3};

static void fail_if(struct nfa *nfa, bool is_so, const char *why)
{
    if (is_so && !nfa->fails)
        nfa->why = why;
    nfa->fails |= is_so;
}

uint32_t nfa_put(struct nfa *nfa, struct place place)
{
    fail_if(nfa, nfa->count == nfa->max, "its automaton would be too large");
    if (nfa->fails)
        return 0;
    nfa->places[nfa->count] = place;
    return nfa->count++;
}

/* Returns the slot of a place that is like this one, or a free one. */
static uint32_t slot_of(const struct nfa *nfa, const struct place *place)
{
    const uint32_t key = place->next << 16 ^ place->other << 3 ^ (uint32_t)place->low << 8 ^
                         place->high ^ (uint32_t)place->kind << 31;
    uint32_t slot = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (nfa->slot_count - 1);

    for (; nfa->slots[slot] != 0; slot = (slot + 1) & (nfa->slot_count - 1)) {
        const struct place *held = &nfa->places[nfa->slots[slot] - 1];

        if (held->kind == place->kind && held->low == place->low && held->high == place->high &&
            held->next == place->next && held->other == place->other)
            break;
    }
    return slot;
}

/* Returns a place that is like this one and will not change, or adds it: most characters of a class
 * end with the same bytes. */
static uint32_t shared_place(struct nfa *nfa, struct place place)
{
    uint32_t slot;

    if (nfa->slots == NULL)
        return nfa_put(nfa, place);
    slot = slot_of(nfa, &place);
    if (nfa->slots[slot] == 0)
        nfa->slots[slot] = (uint16_t)(nfa_put(nfa, place) + 1);
    return nfa->slots[slot] - 1u;
}

void nfa_share(struct nfa *nfa)
{
    memset(nfa->slots, 0, nfa->slot_count * sizeof *nfa->slots);
    for (uint32_t i = 1; i < nfa->count; i++) {
        const uint8_t kind = nfa->places[i].kind;
        const uint32_t slot = slot_of(nfa, &nfa->places[i]);

        if ((kind == PLACE_BYTES || kind == PLACE_CLASS || kind == PLACE_FORK) &&
            nfa->slots[slot] == 0)
            nfa->slots[slot] = (uint16_t)(i + 1);
    }
}

static uint32_t put_bytes(struct nfa *nfa, uint32_t low, uint32_t high, uint32_t next)
{
    return shared_place(
        nfa, (struct place){
                 .kind = PLACE_BYTES, .low = (uint8_t)low, .high = (uint8_t)high, .next = next});
}

uint32_t nfa_put_fork(struct nfa *nfa, uint32_t next, uint32_t other)
{
    if (next == NO_PLACE || other == NO_PLACE)
        return next == NO_PLACE ? other : next;
    return shared_place(nfa, (struct place){.kind = PLACE_FORK, .next = next, .other = other});
}

/* Adds places for the characters from `low` to `high` in UTF-8. */
static uint32_t put_range(struct nfa *nfa, uint32_t low, uint32_t high, uint32_t next)
{
    static const uint32_t lengths[] = {0x7f, 0x7ff, 0xffff};
    uint8_t from[4], to[4];
    uint32_t count;

    for (uint32_t i = 0; i < 3; i++)
        if (low <= lengths[i] && lengths[i] < high)
            return nfa_put_fork(nfa, put_range(nfa, low, lengths[i], next),
                                put_range(nfa, lengths[i] + 1, high, next));
    for (uint32_t bits = 6; high >= 0x80 && bits <= 18; bits += 6) {
        const uint32_t rest = (1u << bits) - 1;

        if ((low & ~rest) == (high & ~rest))
            break;
        if ((low & rest) != 0)
            return nfa_put_fork(nfa, put_range(nfa, low, low | rest, next),
                                put_range(nfa, (low | rest) + 1, high, next));
        if ((high & rest) != rest)
            return nfa_put_fork(nfa, put_range(nfa, low, (high & ~rest) - 1, next),
                                put_range(nfa, high & ~rest, high, next));
    }
    (void)plan_utf8_encode(high, to);
    count = plan_utf8_encode(low, from);
    for (uint32_t i = 0; i < count; i++) { /* a range for each byte */
        const uint32_t at = nfa->backwards ? i : count - 1 - i;

        next = put_bytes(nfa, from[at], to[at], next);
    }
    return next;
}

/* Adds places for one or more bytes beyond ASCII, the first of which begins a character. */
static uint32_t put_hull(struct nfa *nfa, uint32_t next)
{
    const uint32_t more = nfa_put_fork(nfa, next, 0);
    const uint32_t byte = put_bytes(nfa, 0x80, 0xbf, more);

    if (!nfa->fails)
        nfa->places[more].other = byte;
    return put_bytes(nfa, 0x80, 0xff, more);
}

/* Adds places for the rest of a class's character, read up to the state. */
static uint32_t put_state(struct nfa *nfa, uint32_t state, uint32_t next)
{
    const struct class_state from = nfa->classes->states[state];
    uint32_t all = state == CLASSES_END ? next : NO_PLACE;

    for (uint32_t i = 0; i < from.count && !nfa->fails; i++) {
        const struct class_range range = nfa->classes->ranges[from.from + i];

        nfa->steps++;
        all = nfa_put_fork(
            nfa, put_bytes(nfa, range.low, range.high, put_state(nfa, range.to, next)), all);
    }
    return all;
}

/* Returns true if the set's characters are read by an automaton of their bytes. */
static bool has_automaton(const struct nfa *nfa, const struct syntax_node *set)
{
    if (nfa->classes == NULL || set->set_count == 0)
        return false;
    return nfa->keeps_classes && nfa->backwards
               ? set->set[set->set_count - 1].last >= 0x80 || set->set_count > 1
           : nfa->keeps_classes
               ? set->set_count > 1 || (set->set->last >= 0x80 && set->set->first < set->set->last)
               : set->set_count > 8 && !nfa->options->bytes && !nfa->backwards;
}

static uint32_t put_characters(struct nfa *nfa, const struct syntax_node *node, uint32_t next)
{
    uint32_t all = NO_PLACE;
    bool is_wide = false;

    if (has_automaton(nfa, node)) {
        const enum trawl_status status =
            nfa->backwards ? classes_know(nfa->classes, node, &all, NULL)
                           : classes_put(nfa->classes, node, nfa->options->bytes, &all, NULL);

        fail_if(nfa, status != TRAWL_OK, "there is not enough memory");
        fail_if(nfa, nfa->backwards && all >= SYMBOLS_CLASSES, "it has too many classes");
        if (!nfa->keeps_classes && !nfa->fails)
            all = put_state(nfa, all, next);
        fail_if(nfa, nfa->steps > NFA_STEPS_MAX, "its automaton would be too large");
        return !nfa->keeps_classes
                   ? all
                   : shared_place(nfa,
                                  (struct place){.kind = PLACE_CLASS, .next = next, .other = all});
    }
    for (uint32_t i = 0; i < node->set_count && !nfa->fails; i++) {
        struct code_range range = node->set[i];

        nfa->steps++;
        if (nfa->is_hull && !nfa->options->bytes) {
            is_wide |= range.last >= 0x80;
            range.last = range.last < 0x80 ? range.last : 0x7f;
        }
        if (range.first <= range.last)
            all = nfa_put_fork(nfa,
                               nfa->options->bytes ? put_bytes(nfa, range.first, range.last, next)
                                                   : put_range(nfa, range.first, range.last, next),
                               all);
    }
    fail_if(nfa, nfa->steps > NFA_STEPS_MAX, "its automaton would be too large");
    if (is_wide)
        all = nfa_put_fork(nfa, put_hull(nfa, next), all);
    /* for a class without characters, a range without bytes */
    return all == NO_PLACE ? put_bytes(nfa, 1, 0, next) : all;
}

/* Adds a fork to a repetition's item, and to what follows the repetition. */
static uint32_t put_choice(struct nfa *nfa, const struct syntax_node *node, uint32_t item,
                           uint32_t next)
{
    return nfa_put(nfa, (struct place){.kind = PLACE_FORK,
                                       .next = node->is_lazy ? next : item,
                                       .other = node->is_lazy ? item : next});
}

static uint32_t put_repeat(struct nfa *nfa, const struct syntax_node *node, uint32_t next)
{
    const struct syntax_node *item = node->items[0];
    const bool is_plus = node->max == SYNTAX_ENDLESS && item->may_be_empty;
    uint32_t from = next;

    /* After an assertion, the places that come before it are not known any more: in `(\b|a)+`, a
     * second \b would have to end the repetition. */
    fail_if(nfa,
            node->max > 1 && item->may_be_empty &&
                (nfa->marked > 0 || (nfa->is_ordered && syntax_has(item, SYNTAX_EDGE))),
            "what it repeats may be empty");
    if (is_plus) {
        /* The item comes first, and then the choice, also in x*, which is (x+)?: so an empty x ends
         * the repetition, and does not hide what comes after it. */
        const uint32_t loop = put_choice(nfa, node, 0, next);

        from = nfa_put_node(nfa, item, loop);
        if (!nfa->fails && node->is_lazy)
            nfa->places[loop].other = from;
        else if (!nfa->fails)
            nfa->places[loop].next = from;
        if (node->min == 0)
            from = put_choice(nfa, node, from, next);
    } else if (node->max == SYNTAX_ENDLESS) {
        from = put_choice(nfa, node, 0, next);
        if (!nfa->fails && node->is_lazy)
            nfa->places[from].other = nfa_put_node(nfa, item, from);
        else if (!nfa->fails)
            nfa->places[from].next = nfa_put_node(nfa, item, from);
    }
    for (uint32_t i = node->min; node->max != SYNTAX_ENDLESS && i < node->max && !nfa->fails; i++)
        from = put_choice(nfa, node, nfa_put_node(nfa, item, from), next);
    for (uint32_t i = is_plus; i < node->min && !nfa->fails; i++)
        from = nfa_put_node(nfa, item, from);
    return from;
}

uint32_t nfa_put_edge(struct nfa *nfa, char letter, bool by_lines, uint32_t next)
{
    nfa->has_edges = true;
    fail_if(nfa, strchr("^$Az", letter) == NULL && strchr(boundaries, letter) == NULL,
            "it has an assertion that automata lack");
    return nfa_put(
        nfa,
        (struct place){.kind = PLACE_EDGE, .letter = letter, .by_lines = by_lines, .next = next});
}

/* Adds the mark where the node begins or ends, if it is the group that gets marks. */
static uint32_t put_mark(struct nfa *nfa, const struct syntax_node *node, bool is_end,
                         uint32_t next)
{
    return !node->is_numbered || nfa->group + 1 != nfa->marked
               ? next
               : nfa_put(nfa, (struct place){.kind = PLACE_MARK, .next = next, .other = is_end});
}

/* Notes where the list's item was put: it begins at `begin`, and `after` follows it. */
static void put_borders(struct nfa *nfa, uint32_t list, uint32_t item, uint32_t begin,
                        uint32_t after)
{
    for (uint64_t i = 0; i < nfa->border_count; i++) {
        struct nfa_border *border = &nfa->borders[i];

        if (border->list != list || border->item != item)
            continue;
        border->place =
            nfa_put_fork(nfa, border->ends != nfa->backwards ? after : begin, border->place);
        border->times++;
    }
}

/* Leaves nfa->group as it was. */
uint32_t nfa_put_node(struct nfa *nfa, const struct syntax_node *node, uint32_t next)
{
    const uint32_t last = node->count - 1;
    uint32_t all = NO_PLACE;

    if (nfa->fails)
        return 0;
    switch ((enum syntax_kind)node->kind) {
    case SYNTAX_EMPTY:
        return next;
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        return put_characters(nfa, node, next);
    case SYNTAX_BYTE:
        nfa->has_part |= !nfa->options->bytes;
        fail_if(nfa, nfa->has_part && nfa->backwards, "it takes a part of a character");
        return put_bytes(nfa, 0, 0xff, next);
    case SYNTAX_EDGE:
        return nfa_put_edge(nfa, node->letter, (node->flags & SYNTAX_MANY_LINES) != 0, next);
    case SYNTAX_REPEAT:
        return put_repeat(nfa, node, next);
    case SYNTAX_LIST:
        nfa->group += nfa->backwards ? 0 : node->groups;
        for (uint32_t i = 0; i < node->count; i++) {
            const uint32_t at = nfa->backwards ? i : last - i, after = next;

            nfa->group -= nfa->backwards ? 0 : node->items[at]->groups;
            next = nfa_put_node(nfa, node->items[at], next);
            put_borders(nfa, node->number, at, next, after);
            nfa->group += nfa->backwards ? node->items[at]->groups : 0;
        }
        nfa->group -= nfa->backwards ? node->groups : 0;
        return next;
    case SYNTAX_GROUP:
        next = put_mark(nfa, node, !nfa->backwards, next);
        nfa->group += node->groups;
        for (uint32_t i = node->count; i-- > 0;) {
            nfa->group -= node->items[i]->groups;
            all = nfa_put_fork(nfa, nfa_put_node(nfa, node->items[i], next), all);
        }
        nfa->group -= node->is_numbered;
        return put_mark(nfa, node, nfa->backwards, all == NO_PLACE ? next : all);
    case SYNTAX_REFERENCE:
        break;
    }
    fail_if(nfa, true, "it has a backreference");
    return 0;
}

static bool is_optional(const struct syntax_node *item)
{
    return item->kind == SYNTAX_REPEAT && item->min == 0;
}

uint32_t nfa_put_core(struct nfa *nfa, const struct syntax_node *root, uint32_t next)
{
    uint32_t all = NO_PLACE;

    for (uint32_t i = root->count; i-- > 0;) {
        const struct syntax_node *list = root->items[i];
        uint32_t first = 0, end = list->count, at = next;

        while (end - first > 1 && is_optional(list->items[first]))
            first++;
        while (end - first > 1 && is_optional(list->items[end - 1]))
            end--;
        for (uint32_t k = end; k-- > first;) {
            struct syntax_node item = *list->items[k];

            if (item.kind == SYNTAX_REPEAT && (k == first || k + 1 == end))
                item.max = item.min;
            at = nfa_put_node(nfa, &item, at);
        }
        all = nfa_put_fork(nfa, at, all);
    }
    return all;
}

uint32_t nfa_after(struct nfa *nfa, uint32_t place, const struct border *border)
{
    struct place after = nfa->places[place];

    if (nfa->backwards) {
        const bool holds = border->next == CHARACTER
                               ? (border->classes >> after.other & 1) != 0
                               : border->next < (nfa->options->bytes ? 0x100u : 0x80u) &&
                                     classes_hold(nfa->classes, after.other, border->next);

        return holds ? after.next : NO_PLACE;
    }
    after.other = classes_next(nfa->classes, after.other, border->next);
    return after.other == CLASSES_NONE  ? NO_PLACE
           : after.other == CLASSES_END ? after.next
                                        : shared_place(nfa, after);
}

static bool is_word(uint32_t byte)
{
    return byte < 0x100 && class_is_word_byte((char)byte);
}

enum line_before nfa_before(const struct nfa *nfa, uint32_t byte, enum nfa_unit unit)
{
    return byte == '\n'                         ? LINE_BEFORE_NEWLINE
           : is_word(byte) || unit == UNIT_WORD ? LINE_BEFORE_WORD
           : unit == UNIT_NONE                  ? LINE_BEFORE_NONE
           : nfa->is_hull && byte >= 0x80       ? LINE_BEFORE_HIGH
           : nfa->is_wide && byte >= 0x80       ? LINE_BEFORE_BEYOND
                                                : LINE_BEFORE_OTHER;
}

bool nfa_holds(const struct nfa *nfa, const struct place *place, const struct border *border)
{
    const bool back = nfa->backwards;
    const bool is_first = border->before == LINE_BEFORE_BEGIN,
               is_last = border->next == END_OF_LINE;
    const bool after_newline = place->by_lines && border->before == LINE_BEFORE_NEWLINE;
    const bool at_newline = place->by_lines && border->next == '\n';
    const bool after_beyond = border->before == LINE_BEFORE_BEYOND;
    const bool before_beyond = nfa->is_wide && border->next >= 0x80 && border->next != END_OF_LINE;
    const bool read = border->before == LINE_BEFORE_WORD || (after_beyond && (nfa->guess & 1) != 0);
    const bool next = is_word(border->next) || border->unit == UNIT_WORD ||
                      (before_beyond && (nfa->guess & 2) != 0);
    /* what the text has before the border and after it is of no character */
    const bool read_none = border->before == LINE_BEFORE_NONE,
               next_none = border->unit == UNIT_NONE;
    const bool none_before = back ? next_none : read_none,
               none_after = back ? read_none : next_none;

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
        if (nfa->is_open && (border->before == LINE_BEFORE_HIGH ||
                             (border->next >= 0x80 && border->next != END_OF_LINE)))
            return true;
        if (nfa->knows_words && border_is_inside(border))
            return false;
        if ((none_before && strchr("mh", place->letter) != NULL) ||
            (none_after && strchr("MH", place->letter) != NULL))
            return false;
        if ((nfa->guess & 4) != 0 && (after_beyond || before_beyond))
            return false;
        return (boundary_bits[strchr(boundaries, place->letter) - boundaries] >>
                    (back ? next + 2 * read : read + 2 * next) &
                1) != 0;
    }
}

uint32_t nfa_divide(const struct nfa *nfa, uint32_t from, const uint64_t *held,
                    const uint8_t ends[2], bool cuts[257], uint8_t class_of[256],
                    uint8_t byte_of[256])
{
    uint32_t count = 0;

    cuts[0x80] |= nfa->is_hull || nfa->is_open || nfa->knows_words || nfa->backwards;
    for (uint32_t i = from; i < nfa->count; i++)
        if ((held == NULL || (held[i / 64] >> i % 64 & 1) != 0) &&
            nfa->places[i].kind == PLACE_BYTES && nfa->places[i].low <= nfa->places[i].high)
            cuts[nfa->places[i].low] = cuts[nfa->places[i].high + 1] = true;
    for (uint64_t i = 0; nfa->keeps_classes && nfa->backwards && i < nfa->classes->code_count; i++)
        for (uint32_t end = 0; end < 2; end++)
            cuts[min_u64(end == 0 ? nfa->classes->codes[i].first : nfa->classes->codes[i].last + 1,
                         256)] = true;
    for (uint64_t i = 0; nfa->keeps_classes && i < nfa->classes->range_count; i++)
        cuts[nfa->classes->ranges[i].low] = cuts[nfa->classes->ranges[i].high + 1] = true;
    for (uint32_t byte = 1; byte < 256 && nfa->has_edges; byte++)
        cuts[byte] |= nfa_before(nfa, byte, UNIT_INSIDE) != nfa_before(nfa, byte - 1, UNIT_INSIDE);
    for (uint32_t end = 0; end < 2 && ends != NULL; end++)
        cuts[ends[end]] = cuts[ends[end] + 1] = true;
    for (uint32_t byte = 0; byte < 256; byte++) {
        count += byte > 0 && cuts[byte];
        class_of[byte] = (uint8_t)count;
        byte_of[count] = (uint8_t)byte;
    }
    return count + 1;
}
