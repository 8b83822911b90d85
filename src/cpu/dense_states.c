/* dense_states: the states of the dense fallback, made when they are first needed. */
#include <string.h>

#include "base/checked.h"
#include "cpu/dense.h"

/* What steps cost, in about nanoseconds, as dense_worker's work. */
#define NODE_WORK 100u
#define LEARN_WORK 30u   /* of a transition */
#define LOOKUP_WORK 150u /* of a string among those of the set */

static inline uint64_t load64(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Byte number `depth` of the string's reversed bytes. */
static inline uint8_t reversed_byte(const struct dense_set *set, uint32_t place, uint32_t depth)
{
    const struct plan_literal *string = &set->strings[set->sorted[place]];

    TRAWL_ASSERT(place < set->sorted_count && depth < string->bytes_count);
    if (depth < sizeof *set->tails)
        return (uint8_t)(set->tails[place] >> (56 - 8 * depth));
    return set->bytes[string->bytes_begin + string->bytes_count - 1 - depth];
}

/* The first of [lo, hi) whose byte at that depth is at least `byte` (up to 256). */
static uint32_t bound(const struct dense_set *set, uint32_t lo, uint32_t hi, uint32_t depth,
                      uint32_t byte)
{
    TRAWL_ASSERT(lo <= hi && hi <= set->sorted_count);
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;

        if (reversed_byte(set, middle, depth) < byte)
            lo = middle + 1;
        else
            hi = middle;
    }
    TRAWL_ASSERT(lo <= set->sorted_count);
    return lo;
}

/* How many of [lo, hi) end at this depth: they come first. */
static uint32_t count_ends(const struct dense_set *set, uint32_t lo, uint32_t hi, uint32_t depth)
{
    uint32_t first = lo;

    TRAWL_ASSERT(lo < hi && hi <= set->sorted_count);
    if (set->strings[set->sorted[lo]].bytes_count != depth)
        return 0;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;

        if (set->strings[set->sorted[middle]].bytes_count == depth)
            lo = middle + 1;
        else
            hi = middle;
    }
    TRAWL_ASSERT(lo >= first && lo <= set->sorted_count);
    return lo - first;
}

/* Keep the state: what it is, and how many strings begin there. */
static uint32_t add_state(struct dense_worker *worker, const struct dense_node *node)
{
    uint32_t state = worker->node_count, bits = worker->set->class_bits;
    uint32_t outputs = node->longest == PLAN_NONE ? 0 : worker->set->nested[node->longest].outputs;

    TRAWL_ASSERT(state < worker->node_capacity && node->lo < node->hi);
    TRAWL_ASSERT(node->longest == PLAN_NONE || outputs > 0);
    worker->nodes[state] = *node;
    worker->lists[state] = (struct dense_list){PLAN_NONE, outputs};
    worker->traced[state] = PLAN_NONE;
    memset(worker->next + ((uint64_t)state << bits), 0xff, sizeof *worker->next << bits);
    worker->nodes_made++;
    worker->work += NODE_WORK;
    worker->node_count++;
    return state;
}

/* The strings [*lo, *hi) that go on after the state by a byte of the class; false: there are none.
 */
static bool goes_on(const struct dense_set *set, const struct dense_node *parent, uint32_t class,
                    uint32_t *lo, uint32_t *hi)
{
    uint32_t byte = set->byte_of[class];

    TRAWL_ASSERT(parent->lo + parent->ends <= parent->hi && class < set->classes);
    *lo = parent->lo + parent->ends;
    *hi = parent->hi;
    if (class < set->class_first || *lo == *hi)
        return false;
    if (reversed_byte(set, *lo, parent->depth) == byte &&
        reversed_byte(set, *hi - 1, parent->depth) == byte)
        return true; /* all of them */
    *lo = bound(set, parent->lo + parent->ends, parent->hi, parent->depth, byte);
    *hi = bound(set, *lo, parent->hi, parent->depth, byte + 1);
    TRAWL_ASSERT(*lo >= parent->lo && *hi <= parent->hi);
    return *lo < *hi;
}

/* Make the state after `from` by a byte of the class, if strings go on so; PLAN_NONE if not. fail:
 * where it goes on when it fails. */
static uint32_t make_child(struct dense_worker *worker, uint32_t from, uint32_t class,
                           uint32_t fail)
{
    const struct dense_set *set = worker->set;
    struct dense_node node;

    if (!goes_on(set, &worker->nodes[from], class, &node.lo, &node.hi))
        return PLAN_NONE;
    node.depth = worker->nodes[from].depth + 1;
    node.ends = count_ends(set, node.lo, node.hi, node.depth);
    node.fail = fail;
    node.longest =
        node.ends > 0 ? set->nested_at[set->sorted[node.lo]] : worker->nodes[fail].longest;
    TRAWL_ASSERT(worker->nodes[fail].depth < node.depth);
    return add_state(worker, &node);
}

/* The transition to the state. */
static uint32_t transition_to(const struct dense_worker *worker, uint32_t state)
{
    TRAWL_ASSERT(state < worker->node_count && worker->class_bits > 0);
    return state << worker->class_bits | (worker->lists[state].count > 0 ? DENSE_BEGINS : 0);
}

/* The unknown transition: the longest suffix of the state's string that goes on so. All states on
 * the way learn theirs. PLAN_NONE: no room for that. */
static uint32_t learn_chain(struct dense_worker *worker, uint32_t state, uint32_t class)
{
    uint32_t bits = worker->set->class_bits, count = 0, target;

    while (worker->next[((uint64_t)state << bits) + class] == PLAN_NONE) {
        TRAWL_ASSERT(count < worker->node_count);
        worker->path[count++] = state;
        if (state == 0)
            break;
        TRAWL_ASSERT(worker->nodes[worker->nodes[state].fail].depth < worker->nodes[state].depth);
        state = worker->nodes[state].fail;
    }
    if (count > worker->node_capacity - worker->node_count)
        return PLAN_NONE;
    worker->work += count * LEARN_WORK;
    target = worker->next[((uint64_t)state << bits) + class];
    target = target == PLAN_NONE ? 0 : target >> bits;
    while (count > 0) {
        uint32_t child = make_child(worker, worker->path[--count], class, target);

        if (child != PLAN_NONE)
            target = child;
        worker->next[((uint64_t)worker->path[count] << bits) + class] =
            transition_to(worker, target);
    }
    return transition_to(worker, target);
}

/* ---- sparse: a state is found by its string among those of the set ---- */

static uint32_t table_slot(const struct dense_worker *worker, uint32_t lo, uint32_t depth)
{
    return (uint32_t)((lo * 0x9e3779b97f4a7c15ull + depth * 0xc2b2ae3d27d4eb4full) >>
                      (64 - worker->table_bits));
}

void dense_table_add(struct dense_worker *worker, uint32_t state)
{
    uint32_t slots = (uint32_t)((1ull << worker->table_bits) - 1);
    uint32_t slot = table_slot(worker, worker->nodes[state].lo, worker->nodes[state].depth);

    TRAWL_ASSERT(state < worker->node_capacity && 2ull * worker->node_capacity <= slots + 1ull);
    while (worker->table[slot] != PLAN_NONE)
        slot = (slot + 1) & slots;
    worker->table[slot] = state;
}

/* In nested: the longest string that is a prefix of these bytes, PLAN_NONE if none is. */
static uint32_t longest_prefix(const struct dense_set *set, const uint8_t *bytes, uint64_t count)
{
    uint32_t lo = 0, hi = set->sorted_count, at;
    const struct plan_literal *string;
    uint64_t same = 0, head = 0;
    int order;

    TRAWL_ASSERT(count > 0 && count <= set->length_max);
    memcpy(&head, bytes, (size_t)min_u64(count, sizeof head));
    head = __builtin_bswap64(head);
    while (lo < hi) { /* the first that is greater */
        uint32_t middle = lo + (hi - lo) / 2;
        bool less = set->nested[middle].head < head;

        if (set->nested[middle].head == head) {
            string = &set->strings[set->nested[middle].string];
            order = memcmp(set->bytes + string->bytes_begin, bytes,
                           (size_t)min_u64(count, string->bytes_count));
            less = order < 0 || (order == 0 && string->bytes_count <= count);
        }
        if (less)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (lo == 0)
        return PLAN_NONE;
    at = set->nested[lo - 1].alike > 0 ? lo - 1 : set->nested[lo - 1].shorter;
    string = &set->strings[set->nested[at].string];
    while (same < min_u64(count, string->bytes_count) &&
           set->bytes[string->bytes_begin + same] == bytes[same])
        same++;
    while (at != PLAN_NONE && set->strings[set->nested[at].string].bytes_count > same)
        at = set->nested[at].shorter; /* all prefixes that are strings are prefixes of that one */
    return at;
}

/* The state that is this; `longest` is not known yet. */
static uint32_t state_of(struct dense_worker *worker, struct dense_node *node)
{
    const struct dense_set *set = worker->set;
    const struct plan_literal *string = &set->strings[set->sorted[node->lo]];
    uint32_t slots = (uint32_t)((1ull << worker->table_bits) - 1);
    uint32_t slot = table_slot(worker, node->lo, node->depth);

    TRAWL_ASSERT(node->lo < node->hi && node->depth > 0 && node->depth <= string->bytes_count);
    for (; worker->table[slot] != PLAN_NONE; slot = (slot + 1) & slots) {
        const struct dense_node *other = &worker->nodes[worker->table[slot]];

        if (other->lo == node->lo && other->depth == node->depth)
            return worker->table[slot];
    }
    if (node->ends > 0) {
        node->longest = set->nested_at[set->sorted[node->lo]];
    } else {
        worker->work += LOOKUP_WORK;
        node->longest = longest_prefix(
            set, set->bytes + string->bytes_begin + string->bytes_count - node->depth, node->depth);
    }
    worker->table[slot] = worker->node_count;
    return add_state(worker, node);
}

/* The bytes that a string may end with: `byte` and the first count - 1 at `after`. */
struct end {
    const uint8_t *after;
    uint32_t count;
    uint8_t byte;
    uint64_t tail; /* the last eight of them, as set->tails, */
    uint64_t keep; /* where they are so many */
};

static struct end end_of(uint8_t byte, const uint8_t *after, uint32_t count)
{
    uint32_t known = (uint32_t)min_u64(count, sizeof(uint64_t));
    struct end end = {after, count, byte, 0, UINT64_MAX << (64 - 8 * known)};

    TRAWL_ASSERT(count > 0);
    for (uint32_t i = 0; i < known; i++)
        end.tail = end.tail << 8 | (i + 1 < count ? after[count - 2 - i] : byte);
    end.tail <<= 64 - 8 * known;
    return end;
}

/* Where the string is in the order of reversed bytes: less than those with that end (-1), one of
 * them (0) or greater (1). */
static int compare_end(const struct dense_set *set, uint32_t place, const struct end *end)
{
    const struct plan_literal *string = &set->strings[set->sorted[place]];
    const uint8_t *string_end = set->bytes + string->bytes_begin + string->bytes_count;
    uint32_t after = end->count - 1, both, done = 0;

    if ((set->tails[place] & end->keep) != end->tail)
        return (set->tails[place] & end->keep) < end->tail ? -1 : 1;
    both = (uint32_t)min_u64(after, string->bytes_count);
    for (; done + 8 <= both; done += 8) {
        uint64_t a = load64(string_end - done - 8), b = load64(end->after + after - done - 8);

        if (a != b)
            return a < b ? -1 : 1;
    }
    for (; done < both; done++) {
        uint8_t a = *(string_end - done - 1), b = end->after[after - done - 1];

        if (a != b)
            return a < b ? -1 : 1;
    }
    if (string->bytes_count <= after)
        return -1;
    return *(string_end - after - 1) < end->byte ? -1 : *(string_end - after - 1) > end->byte;
}

/* Strings [*lo, *hi) are those with that end; false: there are none. */
static bool find_end(const struct dense_set *set, const struct end *end, uint32_t *lo, uint32_t *hi)
{
    uint32_t from = 0, to = set->sorted_count, above = set->sorted_count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        int order = compare_end(set, middle, end);

        if (order < 0)
            from = middle + 1;
        else
            to = middle;
        if (order > 0)
            above = middle;
    }
    *lo = from;
    while (to < above) {
        uint32_t middle = to + (above - to) / 2;

        if (compare_end(set, middle, end) > 0)
            above = middle;
        else
            to = middle + 1;
    }
    *hi = to;
    TRAWL_ASSERT(*lo <= *hi && *hi <= set->sorted_count);
    return *lo < *hi;
}

/* From what the state is to what comes after a byte of the class: the longest string of bytes that
 * begins with that byte, goes on like the state's and ends some string. Over a text, all look-ups
 * but one for each byte make the next ones fewer. */
static void advance(struct dense_worker *worker, struct dense_node *at, uint32_t class)
{
    const struct dense_set *set = worker->set;
    struct dense_node from = *at;

    TRAWL_ASSERT(from.depth <= set->length_max);
    worker->work += LEARN_WORK;
    *at = (struct dense_node){0, set->sorted_count, 0, 0, 0, PLAN_NONE};
    if (class < set->class_first)
        return;
    if (goes_on(set, &from, class, &at->lo, &at->hi)) {
        at->depth = from.depth + 1;
    } else if (from.depth > 0) {
        const struct plan_literal *string = &set->strings[set->sorted[from.lo]];
        const uint8_t *bytes = set->bytes + string->bytes_begin + string->bytes_count - from.depth;

        for (at->depth = from.depth; at->depth > 0; at->depth--) {
            struct end end = end_of(set->byte_of[class], bytes, at->depth);

            worker->work += LOOKUP_WORK;
            if (find_end(set, &end, &at->lo, &at->hi))
                break;
        }
    }
    if (at->depth > 0)
        at->ends = count_ends(set, at->lo, at->hi, at->depth);
    else
        *at = (struct dense_node){0, set->sorted_count, 0, 0, 0, PLAN_NONE};
}

/* The unknown transition. PLAN_NONE: no room for the state. */
static uint32_t learn_sparse(struct dense_worker *worker, uint32_t state, uint32_t class)
{
    struct dense_node at = worker->nodes[state];
    uint32_t target = 0, transition;

    TRAWL_ASSERT(worker->node_count <= worker->node_capacity);
    if (worker->node_count == worker->node_capacity)
        return PLAN_NONE;
    advance(worker, &at, class);
    if (at.depth > 0)
        target = state_of(worker, &at);
    transition = transition_to(worker, target);
    worker->next[((uint64_t)state << worker->class_bits) + class] = transition;
    return transition;
}

uint32_t dense_learn(struct dense_worker *worker, uint32_t state, uint32_t class)
{
    TRAWL_ASSERT(state < worker->node_count && class < worker->set->classes);
    return worker->sparse ? learn_sparse(worker, state, class) : learn_chain(worker, state, class);
}

/* For how many bytes before text_end, at most `most`, all strings of the state go on alike. */
static uint32_t common_bytes(const struct dense_set *set, const struct dense_node *at,
                             const uint8_t *text_end, uint64_t most)
{
    const struct plan_literal *first, *last;
    const uint8_t *a, *b;
    uint32_t count = 0;

    if (at->lo + at->ends == at->hi)
        return 0;
    first = &set->strings[set->sorted[at->lo + at->ends]];
    last = &set->strings[set->sorted[at->hi - 1]];
    TRAWL_ASSERT(first->bytes_count > at->depth && last->bytes_count > at->depth);
    most = min_u64(most, min_u64(first->bytes_count, last->bytes_count) - at->depth);
    a = set->bytes + first->bytes_begin + first->bytes_count - at->depth;
    b = set->bytes + last->bytes_begin + last->bytes_count - at->depth;
    while (count < most && *--a == *--b && set->class_of[*a] == set->class_of[*--text_end])
        count++;
    return count;
}

uint32_t dense_state_before(struct dense_worker *worker, const uint8_t *bytes, uint64_t count)
{
    const struct dense_set *set = worker->set;
    struct dense_node at = worker->nodes[0];
    uint64_t known = 0;

    TRAWL_ASSERT(worker->sparse && worker->node_count <= worker->node_capacity);
    if (worker->node_count == worker->node_capacity)
        return PLAN_NONE;
    while (known < count && set->class_of[bytes[known]] >= set->class_first)
        known++;
    while (known > 0) { /* bytes before one that is in no string, or all */
        uint32_t same = common_bytes(set, &at, bytes + known, known);

        if (same == 0) {
            advance(worker, &at, set->class_of[bytes[--known]]);
            continue;
        }
        worker->work += LEARN_WORK;
        known -= same;
        at.lo += at.ends;
        at.depth += same;
        at.ends = count_ends(set, at.lo, at.hi, at.depth);
    }
    return at.depth > 0 ? state_of(worker, &at) : 0;
}
