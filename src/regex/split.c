/* split: chooses the strings by which each alternative of an expression is searched.
 *
 * A list is a sequence of items without '|': characters, classes, assertions and groups, each with
 * its repetition. A run is a part of a list whose texts can be listed: `the (son|daughter)s? of `
 * in `the (son|daughter)s? of [A-Z]\w+`. Of all runs, the search takes the run that a text should
 * hold least often. If runs inside a group are rarer, the search takes these: `(a+bcd|e+fgh)x*` is
 * searched by `bcd` and `fgh`.
 */
#include "regex/choose.h"
#include "regex/items.h"
#include "regex/prices.def"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/syntax/sets.h"

#define NESTED_MAX 4u /* the most groups inside each other in which a run may lie */
/* If the search asks for whole words and all texts of a list are at most this many, these texts are
 * the strings. Parts of words would need RE2. */
#define WORDS_MAX 8u
struct run {
    uint64_t first; /* the run is the items [first, end) of the list */
    uint64_t end;
    bool folds;
    bool keeps;
    bool goes_on;
    struct split_strings strings;
};

/* A group that holds a run: the items before and after the group, and the groups around it. */
struct outside {
    const struct outside *outer;
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

bool split_may_hold(const struct syntax_node *node, uint8_t byte)
{
    bool holds = node->kind == SYNTAX_BYTE ||
                 ((node->kind == SYNTAX_CHAR || node->kind == SYNTAX_SET) && sets_hold(node, byte));

    for (uint32_t i = 0; i < node->count && !holds; i++)
        holds = split_may_hold(node->items[i], byte);
    return holds;
}

/* Returns true if the item may match a line end. If so, no head may hold the item. */
static bool may_cross(const struct splitter *splitter, const struct item *item)
{
    const struct regex_options *options = splitter->options->options;

    return options->multi && split_may_hold(item->node, options->line_end);
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
    const double here = run->end > run->first && run->first <= splitter->cross_at
                            ? choose_score(splitter->options, &run->strings, run->folds, false)
                            : NO_SCORE;

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
static struct ranges ranges_before(uint64_t first, uint64_t end, const struct outside *around)
{
    struct ranges ranges = {.count = 1};
    uint32_t at;

    for (const struct outside *each = around; each != NULL; each = each->outer)
        ranges.count++;
    at = ranges.count - 1;
    ranges.all[at] = (struct range){first, end};
    for (; around != NULL; around = around->outer)
        ranges.all[--at] = (struct range){around->first, around->at};
    return ranges;
}

/* Returns the ranges of the items from `first` on. The run's list ends at item `end`. */
static struct ranges ranges_from(uint64_t first, uint64_t end, const struct outside *around)
{
    struct ranges ranges = {1, {{first, end}}};

    for (; around != NULL; around = around->outer)
        ranges.all[ranges.count++] = (struct range){around->at + 1, around->end};
    return ranges;
}

/* Makes a sequence of the items, in the expression's order or backwards. Returns NULL if the items
 * cannot be a sequence. If the items are the rest of a run, repetitions of its last item may come
 * first that the run does not list. */
static const struct sequence *sequence_of(const struct splitter *splitter,
                                          const struct ranges *ranges, const struct run *run,
                                          bool backwards, struct sequence *sequence)
{
    const uint8_t edge = backwards ? splitter->options->before : splitter->options->after;

    sequence->count = sequence->group_count = 0;
    sequence->skips = sequence->is_lazy = false;
    if (!backwards && run->goes_on &&
        !sequence_add_rest(sequence, splitter->items[run->end - 1].node))
        return NULL;
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->all[backwards ? ranges->count - 1 - i : i];

        for (uint64_t k = range->first; k < range->end; k++) {
            const uint64_t at = backwards ? range->end - 1 - (k - range->first) : k;

            if (!sequence_add(sequence, splitter->items[at].node, backwards))
                return NULL;
        }
    }
    return edge == 0 || sequence_add_edge(sequence, edge) ? sequence : NULL;
}

/* Returns true if automata can read the head and the rest of a run. The
 * run's list begins with item `first`. */
static bool is_between_sequences(struct splitter *splitter, uint64_t first, const struct run *run,
                                 const struct outside *around)
{
    const struct ranges head = ranges_before(first, run->first, around);
    const struct ranges rest = ranges_from(run->end, splitter->item_count, around);

    return sequence_of(splitter, &head, run, true, &splitter->before) != NULL &&
           sequence_of(splitter, &rest, run, false, &splitter->after) != NULL;
}

/* Reads the items of a list, keeps them, and finds the list's best run. */
static enum trawl_status read_list(struct splitter *splitter, const struct syntax_node *list,
                                   const struct outside *around, struct run *best,
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
    TRAWL_TRY(memory_allocate(2 * (uint64_t)KINDS, sizeof *runs, &memory, error));
    runs = (struct run *)memory;
    bests = runs + KINDS;
    for (uint32_t i = 0; i < KINDS; i++) {
        scores[i] = NO_SCORE;
        runs[i].first = runs[i].end = first;
        runs[i].folds = runs[i].keeps = runs[i].goes_on = false;
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
            scores[i] = choose_score(splitter->options, &bests[i].strings, bests[i].folds, true);
        if (scores[i] > *best_score) {
            *best_score = scores[i];
            *best = bests[i];
        }
    }
done:
    memory_release(runs, 2 * (uint64_t)KINDS, sizeof *runs);
    return status;
}

/* Returns true if all items of the ranges are assertions. */
static bool are_edges(const struct splitter *splitter, const struct ranges *ranges)
{
    for (uint32_t i = 0; i < ranges->count; i++)
        for (uint64_t k = ranges->all[i].first; k < ranges->all[i].end; k++)
            if (splitter->items[k].once->kind != SYNTAX_EDGE)
                return false;
    return true;
}

static bool are_empty(const struct ranges *ranges)
{
    bool empty = true;

    for (uint32_t i = 0; i < ranges->count; i++)
        empty &= ranges->all[i].first == ranges->all[i].end;
    return empty;
}

static bool may_be_left_out(const struct splitter *splitter, const struct ranges *ranges)
{
    for (uint32_t i = 0; i < ranges->count; i++)
        for (uint64_t k = ranges->all[i].first; k < ranges->all[i].end; k++)
            if (splitter->items[k].once->kind == SYNTAX_EDGE || splitter->items[k].least > 0)
                return false;
    return true;
}

/* Passes a run to options->take. The run's list begins with item `first`. */
static enum trawl_status emit(struct splitter *splitter, const struct run *run, uint64_t first,
                              const struct outside *around, struct trawl_error *error)
{
    const struct ranges head = ranges_before(first, run->first, around);
    const struct ranges rest = ranges_from(run->end, splitter->item_count, around);
    const struct split_options *options = splitter->options;
    bool repeats = false;
    struct split split = {.strings = &run->strings, .folds = run->folds, .keeps = run->keeps};

    for (uint32_t i = 0; i < head.count; i++)
        for (uint64_t k = head.all[i].first; k < head.all[i].end; k++)
            split.lines += splitter->items[k].is_line_end;
    for (const struct outside *each = around; each != NULL; each = each->outer)
        repeats |= splitter->items[each->at].repeats;
    split.begins = are_edges(splitter, &head) && !repeats;
    split.is_match = are_empty(&head) && are_empty(&rest) && !run->goes_on && !repeats;
    split.is_sure =
        split.is_match || (!repeats && options->before == 0 && options->after == 0 &&
                           may_be_left_out(splitter, &head) && may_be_left_out(splitter, &rest));
    if (!repeats)
        split.before = sequence_of(splitter, &head, run, true, &splitter->before);
    if (!repeats)
        split.after = sequence_of(splitter, &rest, run, false, &splitter->after);
    return options->take(options->context, &split, error);
}

static enum trawl_status split_alternatives(struct splitter *splitter,
                                            const struct syntax_node *group,
                                            const struct outside *around, uint32_t nested,
                                            bool emits, double *worst, struct trawl_error *error);

/* Sets *here to the best score of the list that was just read: the score of the list's own run, or
 * of the runs in a group inside the list. With `emits`, also passes the strings with this score to
 * options->take. */
static enum trawl_status split_list(struct splitter *splitter, const struct run *run, double own,
                                    uint64_t first, const struct outside *outer, uint32_t nested,
                                    bool emits, double *here, struct trawl_error *error)
{
    struct outside around = {outer, first, UINT64_MAX, splitter->item_count};
    struct outside best = around;
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
                                            const struct outside *around, uint32_t nested,
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
    struct splitter splitter = {.options = options};
    enum trawl_status status;
    double worst;

    status = split_alternatives(&splitter, root, NULL, 0, true, &worst, error);
    *splits = !splitter.gives_up && worst > NO_SCORE;
    memory_release(splitter.items, splitter.item_capacity, sizeof *splitter.items);
    return status;
}
