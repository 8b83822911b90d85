/* split: chooses the strings by which each alternative of an expression is searched, and writes
 * what comes before the string (the head) and the string with what follows (the tail) as
 * expressions.
 *
 * A list is a sequence of items without '|': characters, classes, assertions and groups, each with
 * its repetition. A run is a part of a list whose texts can be listed: `the (son|daughter)s? of `
 * in `the (son|daughter)s? of [A-Z]\w+`. Of all runs, the search takes the run that a text should
 * hold least often. If runs inside a group are rarer, the search takes these: `(a+bcd|e+fgh)x*` is
 * searched by `bcd` and `fgh`.
 */
#include "regex/items.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/class_text.h"

#define NESTED_MAX 4u /* the most groups inside each other in which a run may lie */
#define NO_SCORE (-1000.0)
/* log2 of a distance in bytes: strings that should occur more rarely than that gain little */
#define BITS_ENOUGH 20.0
#define BITS_MAX 80.0
/* log2 of 8: an automaton of chain.h takes an eighth of the time that RE2 takes */
#define BITS_CHAINED 3.0
/* If the search asks for whole words and all texts of a list are at most this many, these texts are
 * the strings. Parts of words would need RE2. */
#define WORDS_MAX 8u
/* For each alternative of a group, head and tail have what is around the group. In all, heads and
 * tails of an expression of n nodes may have SIZE_SHARE × n + SIZE_SPARED nodes. */
#define SIZE_SHARE 16u
#define SIZE_SPARED 65536u

struct run {
    uint64_t first; /* the run is the items [first, end) of the list */
    uint64_t end;
    bool folds;
    bool keeps;
    bool goes_on;
    struct split_strings strings;
};

/* A group that holds a run: the items before and after the group, and the groups around it. */
struct around {
    const struct around *outer;
    /* the group is item `at`; around it are items [first, at) and [at + 1, end) of splitter->items
     */
    uint64_t first;
    uint64_t at;
    uint64_t end;
};

/* Appends an item to splitter->items. Errors: MEMORY. */
static enum trawl_status keep_item(struct splitter *splitter, const struct item *item,
                                   struct trawl_error *error)
{
    if (splitter->item_count == splitter->item_capacity) {
        const uint64_t capacity = max_u64(64, 2 * splitter->item_capacity);
        void *memory = splitter->items;

        TRAWL_TRY(memory_grow(splitter->item_capacity, capacity, sizeof *item, &memory, error));
        splitter->items = (struct item *)memory;
        splitter->item_capacity = capacity;
    }
    splitter->items[splitter->item_count++] = *item;
    return TRAWL_OK;
}

/* Returns the share of the sample's offsets where the string stands. If the string does not occur,
 * returns `rate`, the share that follows from the frequencies of its bytes, but at most the share
 * of a single occurrence. */
static double seen_rate(const struct split_options *options, const struct split_string *string,
                        double rate)
{
    const uint8_t *at = options->sample, *end = at + options->sample_bytes;
    uint64_t count = 0;

    while ((at = (const uint8_t *)memmem(at, (size_t)(end - at), string->bytes,
                                         string->bytes_count)) != NULL) {
        count++;
        at++;
    }
    return count > 0 ? (double)count / (double)options->sample_bytes
                     : min_double(rate, 1.0 / (double)options->sample_bytes);
}

/* Returns how good the run's strings are for a search: log2 of the distance between expected
 * occurrences in a text, less 1.5 * log2 of the number of strings, because more strings slow the
 * search down. */
static double score(const struct splitter *splitter, const struct run *run)
{
    const struct split_strings *strings = &run->strings;
    double sum = 0, bits;

    if (strings->count == 0 || items_have_empty(strings))
        return NO_SCORE;
    for (uint32_t i = 0; i < strings->count; i++) {
        double rate = 1;

        for (uint32_t k = 0; k < strings->items[i].bytes_count; k++)
            rate *= splitter->options->rates->rate[strings->items[i].bytes[k]];
        sum += splitter->options->sample_bytes > 0 && !run->folds
                   ? seen_rate(splitter->options, &strings->items[i], rate)
                   : rate;
    }
    bits = min_double(sum > 0 ? analyse_log2(max_double(1 / sum, 1)) : BITS_MAX, BITS_MAX);
    /* A string that should be rare may still be a common word. So each bit above BITS_ENOUGH counts
     * only a quarter. */
    if (bits > BITS_ENOUGH)
        bits = BITS_ENOUGH + (bits - BITS_ENOUGH) / 4;
    return bits - 1.5 * analyse_log2(strings->count);
}

bool split_may_hold(const struct regex_ops *ops, const struct regex_options *options,
                    const struct syntax_node *node, uint8_t byte)
{
    struct regex_options here = *options;
    struct regex_range range;
    bool holds = node->kind == SYNTAX_BYTE;

    here.fold = (node->flags & SYNTAX_FOLDS) != 0;
    here.dot_all = (node->flags & SYNTAX_DOT_ALL) != 0;
    if (node->kind == SYNTAX_CHAR && !here.fold)
        holds = node->bytes_count == 1 && (uint8_t)node->bytes[0] == byte;
    else if (node->kind == SYNTAX_CHAR || node->kind == SYNTAX_SET)
        holds = ops->list(node, &here, byte, byte, &range, 1) != 0;
    for (uint32_t i = 0; i < node->count && !holds; i++)
        holds = split_may_hold(ops, options, node->items[i], byte);
    return holds;
}

/* Returns true if the item may match a line end. If so, no head may hold the item. */
static bool may_cross(const struct splitter *splitter, const struct item *item)
{
    const struct regex_options *options = splitter->options->options;

    return options->multi &&
           split_may_hold(splitter->options->ops, options, item->node, options->line_end);
}

static bool is_line_end(const struct splitter *splitter, const struct item *item,
                        const struct split_strings *set)
{
    return item->lists && !item->repeats && !item->goes_on && set->count == 1 &&
           set->items[0].bytes_count == 1 &&
           set->items[0].bytes[0] == splitter->options->options->line_end;
}

static void take_better(const struct splitter *splitter, const struct run *run, struct run *best,
                        double *best_score)
{
    const double here =
        run->end > run->first && run->first <= splitter->cross_at ? score(splitter, run) : NO_SCORE;

    if (here > *best_score) {
        *best_score = here;
        *best = *run;
    }
}

/* Adds item number `at`, with the texts of `set`, to the run, which may have `most` strings. If
 * that is impossible, compares the run with the best run so far and begins a new run. */
static void extend(const struct splitter *splitter, struct run *run, uint64_t at,
                   const struct split_strings *set, uint32_t most, struct run *best,
                   double *best_score)
{
    const struct item *item = &splitter->items[at];
    if (!item->lists || run->goes_on || !items_append(&run->strings, set, most)) {
        take_better(splitter, run, best, best_score);
        run->first = at;
        run->folds = run->keeps = run->goes_on = false;
        items_empty(&run->strings);
        if (!item->lists || !items_append(&run->strings, set, most)) {
            run->first = run->end = at + 1;
            return;
        }
    }
    run->end = at + 1;
    run->folds |= item->folds;
    run->keeps |= item->keeps;
    run->goes_on = item->goes_on;
}

/* Ranges of splitter->items, in the order of the expression, that form a head or a rest. If the run
 * lies in a group, the items lie in several lists. */
struct ranges {
    uint32_t count;
    struct range {
        uint64_t first;
        uint64_t end;
    } all[NESTED_MAX + 1];
};

/* Returns the ranges of the items before a run. Item `end` is the run's first item, and the run's
 * list begins with item `first`. */
static struct ranges ranges_before(uint64_t first, uint64_t end, const struct around *around)
{
    struct ranges ranges = {.count = 1};
    uint32_t at;

    for (const struct around *each = around; each != NULL; each = each->outer)
        ranges.count++;
    at = ranges.count - 1;
    ranges.all[at] = (struct range){first, end};
    for (; around != NULL; around = around->outer)
        ranges.all[--at] = (struct range){around->first, around->at};
    return ranges;
}

/* Returns the ranges of the items from `first` on. The run's list ends at item `end`. */
static struct ranges ranges_from(uint64_t first, uint64_t end, const struct around *around)
{
    struct ranges ranges = {1, {{first, end}}};

    for (; around != NULL; around = around->outer)
        ranges.all[ranges.count++] = (struct range){around->at + 1, around->end};
    return ranges;
}

static uint64_t count_items(const struct ranges *ranges)
{
    uint64_t count = 0;

    for (uint32_t i = 0; ranges != NULL && i < ranges->count; i++)
        count += ranges->all[i].end - ranges->all[i].first;
    return count;
}

/* Makes the nodes of the items, and `last` unless it is NULL, the items of `list`, at `nodes`.
 * Returns their size. */
static uint64_t put_items(const struct splitter *splitter, const struct ranges *ranges,
                          const struct syntax_node *last, const struct syntax_node **nodes,
                          struct syntax_node *list)
{
    uint64_t size = 0;

    list->items = nodes;
    for (uint32_t i = 0; ranges != NULL && i < ranges->count; i++)
        for (uint64_t k = ranges->all[i].first; k < ranges->all[i].end; k++) {
            nodes[list->count++] = splitter->items[k].node;
            size += splitter->items[k].node->size;
        }
    if (last != NULL)
        nodes[list->count++] = last;
    list->size = (uint32_t)size + 1;
    return size;
}

/* Makes a head and a tail; `tail` may be NULL. If they would have too many nodes, both stay
 * empty. */
static enum trawl_status put_around(struct splitter *splitter, const struct ranges *head,
                                    const struct ranges *tail, struct syntax_node nodes[2],
                                    struct trawl_error *error)
{
    static const struct syntax_node text_end = {.kind = SYNTAX_EDGE, .letter = 'z', .size = 1};
    const uint64_t head_count = count_items(head) + 1, count = head_count + count_items(tail);
    uint64_t size;

    if (count > splitter->node_capacity) {
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): the items are pointers */
        TRAWL_TRY(MEMORY_GROW(splitter->nodes, splitter->node_capacity, 2 * count, error));
        splitter->node_capacity = 2 * count;
    }
    size = put_items(splitter, head, &text_end, splitter->nodes, &nodes[0]) +
           put_items(splitter, tail, NULL, splitter->nodes + head_count, &nodes[1]);
    if (size > splitter->size_left)
        nodes[0].count = nodes[1].count = 0;
    splitter->size_left -= min_u64(size, splitter->size_left);
    return TRAWL_OK;
}

/* Returns the item's edge, as split_character.edge; 0 if a sequence cannot hold the edge. */
static uint8_t edge_of(const struct item *item, bool backwards)
{
    static const char letters[] = "bBmMhH";
    static const uint8_t edges[] = {6, 9, 4, 2, SPLIT_NO_WORD_BEFORE, SPLIT_NO_WORD_AFTER};
    const char letter = item->once->letter, *found = strchr(letters, letter);

    if (item->repeats)
        return 0;
    if (found != NULL)
        return edges[found - letters];
    return letter == (backwards ? '^' : '$') && (item->once->flags & SYNTAX_MANY_LINES) == 0
               ? SPLIT_LINE_EDGE
               : 0;
}

static bool add_edge(struct split_sequence *sequence, uint8_t edge)
{
    if (edge == 0 || sequence->count == SPLIT_SEQUENCE_MAX)
        return false;
    sequence->items[sequence->count++] =
        (struct split_character){.edge = edge, .least = 1, .most = 1};
    return true;
}

static bool add_character(const struct syntax_node *node, uint32_t least, uint32_t most,
                          struct split_sequence *sequence)
{
    if (sequence->count == SPLIT_SEQUENCE_MAX)
        return false;
    sequence->items[sequence->count++] =
        (struct split_character){.least = least, .most = most, .node = node};
    return true;
}

/* Adds a group such as `(mut )?`, of letters, digits and blanks of ASCII that may be left out. */
static bool add_optional(const struct item *item, bool backwards, struct split_sequence *sequence)
{
    const struct syntax_node *list = item->once->count == 1 ? item->once->items[0] : NULL;
    const uint32_t begin = sequence->count;

    if (!item->lists || item->once->kind != SYNTAX_GROUP || list == NULL || item->least != 0 ||
        item->most != 1)
        return false;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct syntax_node *node = list->items[backwards ? list->count - 1 - i : i];

        if (node->kind != SYNTAX_CHAR || node->bytes_count > 1 ||
            (!class_is_word_byte(node->bytes[0]) && node->bytes[0] != ' ') ||
            !add_character(node, 1, 1, sequence))
            return false;
    }
    if (list->count > 0)
        sequence->items[begin].skips = (uint8_t)list->count;
    return list->count > 0;
}

/* Adds an item to the sequence. Returns false if a sequence cannot hold the item, or is full. */
static bool add_item(const struct item *item, bool backwards, struct split_sequence *sequence)
{
    if (item->once->kind == SYNTAX_EDGE)
        return add_edge(sequence, edge_of(item, backwards));
    return item->is_one ? add_character(item->once, item->least, item->most, sequence)
                        : add_optional(item, backwards, sequence);
}

/* Makes a sequence of the items, in the expression's order or backwards. Returns NULL if the items
 * cannot be a sequence. */
static const struct split_sequence *sequence_of(const struct splitter *splitter,
                                                const struct ranges *ranges, bool backwards,
                                                struct split_sequence *sequence)
{
    const uint8_t edge = backwards ? splitter->options->before : splitter->options->after;

    sequence->count = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->all[backwards ? ranges->count - 1 - i : i];

        for (uint64_t k = range->first; k < range->end; k++)
            if (!add_item(&splitter->items[backwards ? range->end - 1 - (k - range->first) : k],
                          backwards, sequence))
                return NULL;
    }
    return edge == 0 || add_edge(sequence, edge) ? sequence : NULL;
}

/* Returns true if chains, the automata of chain.h, can read the head and the rest of a run. The
 * run's list begins with item `first`. */
static bool is_between_sequences(struct splitter *splitter, uint64_t first, const struct run *run,
                                 const struct around *around)
{
    const struct ranges head = ranges_before(first, run->first, around);
    const struct ranges rest = ranges_from(run->end, splitter->item_count, around);

    return !run->goes_on && sequence_of(splitter, &head, true, &splitter->before) != NULL &&
           sequence_of(splitter, &rest, false, &splitter->after) != NULL;
}

/* Reads the items of a list, keeps them, and finds the list's best run. */
static enum trawl_status read_list(struct splitter *splitter, const struct syntax_node *list,
                                   const struct around *around, struct run *best,
                                   double *best_score, struct trawl_error *error)
{
    static const uint32_t mosts[] = {1, 4, 16, SPLIT_STRINGS_MAX};
    enum { KINDS = sizeof mosts / sizeof *mosts };
    const uint64_t first = splitter->item_count;
    enum trawl_status status = TRAWL_OK;
    double scores[KINDS];
    struct split_strings set;
    struct run *runs, *bests;
    void *memory;

    *best_score = NO_SCORE;
    splitter->cross_at = UINT64_MAX;
    TRAWL_TRY(memory_allocate_zeroed(2 * (uint64_t)KINDS, sizeof *runs, &memory, error));
    runs = (struct run *)memory;
    bests = runs + KINDS;
    for (uint32_t i = 0; i < KINDS; i++) {
        scores[i] = NO_SCORE;
        runs[i].first = runs[i].end = first;
        items_empty(&runs[i].strings);
    }
    for (uint32_t at = 0; at < list->count; at++) {
        struct item item;

        items_read(splitter, list->items[at], 0, &item, &set);
        item.is_line_end =
            splitter->options->heads_cross && around == NULL && is_line_end(splitter, &item, &set);
        TRAWL_TRY_DONE(keep_item(splitter, &item, error));
        if (splitter->cross_at == UINT64_MAX && !item.is_line_end && may_cross(splitter, &item))
            splitter->cross_at = splitter->item_count - 1;
        for (uint32_t i = 0; i < KINDS; i++)
            extend(splitter, &runs[i], splitter->item_count - 1, &set, mosts[i], &bests[i],
                   &scores[i]);
    }
    for (uint32_t i = 0; i < KINDS; i++) {
        if (splitter->options->words && runs[i].first == first &&
            runs[i].strings.count <= WORDS_MAX)
            scores[i] = *best_score = NO_SCORE; /* the whole list is better than its parts */
        take_better(splitter, &runs[i], &bests[i], &scores[i]);
        if (scores[i] > NO_SCORE && is_between_sequences(splitter, first, &bests[i], around))
            scores[i] += BITS_CHAINED;
        if (scores[i] > *best_score) {
            *best_score = scores[i];
            *best = bests[i];
        }
    }
done:
    memory_release(runs, 2 * (uint64_t)KINDS, sizeof *runs);
    return status;
}

/* What the items before a run are. */
struct before {
    bool is_empty; /* there are no items */
    bool is_edges; /* all items are assertions */
    bool is_apart; /* no assertion of the items looks at a byte of the run */
};

static struct before look_before(const struct splitter *splitter, const struct ranges *ranges)
{
    struct before before = {true, true, true};
    bool consumed = false;

    for (uint32_t i = ranges->count; i-- > 0;)
        for (uint64_t k = ranges->all[i].end; k-- > ranges->all[i].first;) {
            const struct item *item = &splitter->items[k];

            before.is_empty = false;
            before.is_edges &= item->once->kind == SYNTAX_EDGE;
            before.is_apart &= consumed || !item->looks_ahead;
            consumed |= item->consumes;
        }
    return before;
}

static bool may_be_left_out(const struct splitter *splitter, const struct ranges *ranges)
{
    for (uint32_t i = 0; i < ranges->count; i++)
        for (uint64_t k = ranges->all[i].first; k < ranges->all[i].end; k++)
            if (splitter->items[k].once->kind == SYNTAX_EDGE || splitter->items[k].least > 0)
                return false;
    return true;
}

/* Passes a run, with head and tail, to options->take. The run's list begins with item `first`. */
static enum trawl_status emit(struct splitter *splitter, const struct run *run, uint64_t first,
                              const struct around *around, struct trawl_error *error)
{
    const struct ranges head = ranges_before(first, run->first, around);
    const struct ranges tail = ranges_from(run->first, splitter->item_count, around);
    const struct ranges rest = ranges_from(run->end, splitter->item_count, around);
    const struct before before = look_before(splitter, &head);
    const struct split_options *options = splitter->options;
    bool has_rest = run->goes_on, repeats = false;
    struct split split = {.strings = &run->strings, .folds = run->folds, .keeps = run->keeps};
    struct syntax_node nodes[2] = {{.kind = SYNTAX_LIST}, {.kind = SYNTAX_LIST}};

    for (uint64_t i = first; i < run->first; i++)
        split.lines += splitter->items[i].is_line_end;
    for (uint32_t i = 0; i < rest.count; i++)
        has_rest |= rest.all[i].first < rest.all[i].end;
    for (const struct around *each = around; each != NULL; each = each->outer)
        repeats |= splitter->items[each->at].repeats;
    split.begins = before.is_edges && !repeats;
    split.is_match = before.is_empty && !has_rest && !repeats;
    split.is_sure =
        split.is_match || (!repeats && options->before == 0 && options->after == 0 &&
                           may_be_left_out(splitter, &head) && may_be_left_out(splitter, &rest));
    if (!repeats)
        split.before = sequence_of(splitter, &head, true, &splitter->before);
    if (!repeats && !run->goes_on)
        split.after = sequence_of(splitter, &rest, false, &splitter->after);
    if (!before.is_edges && before.is_apart && !repeats)
        TRAWL_TRY(put_around(splitter, &head, has_rest ? &tail : NULL, nodes, error));
    split.head = nodes[0].count > 0 ? &nodes[0] : NULL;
    split.tail = nodes[1].count > 0 ? &nodes[1] : NULL;
    return options->take(options->context, &split, error);
}

static enum trawl_status split_alternatives(struct splitter *splitter,
                                            const struct syntax_node *group,
                                            const struct around *around, uint32_t nested,
                                            bool emits, double *worst, struct trawl_error *error);

/* Sets *here to the best score of the list that was just read: the score of the list's own run, or
 * of the runs in a group inside the list. With `emits`, also passes the strings with this score to
 * options->take. */
static enum trawl_status split_list(struct splitter *splitter, const struct run *run, double own,
                                    uint64_t first, const struct around *outer, uint32_t nested,
                                    bool emits, double *here, struct trawl_error *error)
{
    struct around around = {outer, first, UINT64_MAX, splitter->item_count};
    struct around best = around;
    const uint64_t last =
        min_u64(around.end, splitter->cross_at + (splitter->cross_at < UINT64_MAX));

    *here = own;
    for (uint64_t i = first; i < last && nested < NESTED_MAX; i++) {
        double inside;

        if (!splitter->items[i].is_group || splitter->items[i].lists)
            continue;
        around.at = i;
        TRAWL_TRY(split_alternatives(splitter, splitter->items[i].once, &around, nested + 1, false,
                                     &inside, error));
        if (inside > *here) {
            *here = inside;
            best = around;
        }
    }
    if (!emits || *here == NO_SCORE)
        return TRAWL_OK;
    if (best.at == UINT64_MAX)
        return emit(splitter, run, first, outer, error);
    return split_alternatives(splitter, splitter->items[best.at].once, &best, nested + 1, true,
                              here, error);
}

/* Handles the alternatives of a group: sets *worst to the least score of an alternative, and with
 * `emits` passes their strings to options->take. */
static enum trawl_status split_alternatives(struct splitter *splitter,
                                            const struct syntax_node *group,
                                            const struct around *around, uint32_t nested,
                                            bool emits, double *worst, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct run *run;
    void *memory;

    TRAWL_ASSERT(group->kind == SYNTAX_GROUP && group->count > 0);
    *worst = -NO_SCORE;
    TRAWL_TRY(memory_allocate(1, sizeof *run, &memory, error));
    run = (struct run *)memory;
    for (uint32_t i = 0; i < group->count && !splitter->gives_up; i++) {
        const uint64_t first = splitter->item_count;
        double own, here;

        TRAWL_TRY_DONE(read_list(splitter, group->items[i], around, run, &own, error));
        TRAWL_TRY_DONE(split_list(splitter, run, own, first, around, nested, emits, &here, error));
        *worst = min_double(*worst, here);
        splitter->item_count = first;
    }
done:
    memory_release(run, 1, sizeof *run);
    return status;
}

enum trawl_status split_expression(const struct syntax_node *root,
                                   const struct split_options *options, bool *splits,
                                   struct trawl_error *error)
{
    struct splitter splitter = {
        .options = options,
        .size_left = SIZE_SHARE * (uint64_t)root->size + SIZE_SPARED,
    };
    enum trawl_status status;
    double worst;

    status = split_alternatives(&splitter, root, NULL, 0, true, &worst, error);
    *splits = !splitter.gives_up && worst > NO_SCORE;
    memory_release(splitter.items, splitter.item_capacity, sizeof *splitter.items);
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the items are pointers */
    memory_release(splitter.nodes, splitter.node_capacity, sizeof *splitter.nodes);
    return status;
}
