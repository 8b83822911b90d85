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
/* For each alternative of a group, the text around the group is copied into head and tail. In all,
 * the copies of an expression of n bytes may have TEXT_SHARE × n + TEXT_SPARED bytes. */
#define TEXT_SHARE 16u
#define TEXT_SPARED 65536u
/* an item of this many bytes or more, whose texts cannot be listed, counts as one that may hold a
 * line end */
#define ITEM_BYTES_MAX 512u

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
    /* the group is item `at`; around it are items [first, at) and [at + 1, end) of reader->items */
    uint64_t first;
    uint64_t at;
    uint64_t end;
};

/* Appends an item to reader->items. Errors: MEMORY. */
static enum trawl_status keep_item(struct reader *reader, const struct item *item,
                                   struct trawl_error *error)
{
    if (reader->item_count == reader->item_capacity) {
        const uint64_t capacity = max_u64(64, 2 * reader->item_capacity);
        void *memory = reader->items;

        TRAWL_TRY(memory_grow(reader->item_capacity, capacity, sizeof *item, &memory, error));
        reader->items = (struct item *)memory;
        reader->item_capacity = capacity;
    }
    reader->items[reader->item_count++] = *item;
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
static double score(const struct reader *reader, const struct run *run)
{
    const struct split_strings *strings = &run->strings;
    double sum = 0, bits;

    if (strings->count == 0 || items_have_empty(strings))
        return NO_SCORE;
    for (uint32_t i = 0; i < strings->count; i++) {
        double rate = 1;

        for (uint32_t k = 0; k < strings->items[i].bytes_count; k++)
            rate *= reader->options->rates->rate[strings->items[i].bytes[k]];
        sum += reader->options->sample_bytes > 0 && !run->folds
                   ? seen_rate(reader->options, &strings->items[i], rate)
                   : rate;
    }
    bits = min_double(sum > 0 ? analyse_log2(max_double(1 / sum, 1)) : BITS_MAX, BITS_MAX);
    /* A string that should be rare may still be a common word. So each bit above BITS_ENOUGH counts
     * only a quarter. */
    if (bits > BITS_ENOUGH)
        bits = BITS_ENOUGH + (bits - BITS_ENOUGH) / 4;
    return bits - 1.5 * analyse_log2(strings->count);
}

/* Writes the begin of a group that sets these flags. Returns its length. */
static uint32_t open_group(uint32_t flags, char open[16])
{
    uint32_t count = 0;

    open[count++] = '(';
    open[count++] = '?';
    for (uint32_t k = 0; k < 4; k++)
        if ((flags >> k & 1) != 0)
            open[count++] = FLAG_LETTERS[k];
    open[count++] = '-';
    for (uint32_t k = 0; k < 4; k++)
        if ((flags >> k & 1) == 0)
            open[count++] = FLAG_LETTERS[k];
    count -= open[count - 1] == '-';
    open[count++] = ':';
    return count;
}

/* Returns whether the item may match a line end. If so, no head may hold the item. */
static bool may_cross(const struct reader *reader, const struct item *item,
                      const struct split_strings *set)
{
    const struct regex_ops *ops = reader->options->ops;
    struct regex_options options = *reader->options->options;
    const uint64_t count = item->end - item->begin;
    struct regex_fault fault;
    struct regex *regex;
    char text[ITEM_BYTES_MAX + 16];
    uint32_t length;
    bool crosses = false;

    if (!options.multi || item->is_edge)
        return false;
    for (uint32_t i = 0; i < set->count && item->lists; i++)
        crosses |= memchr(set->items[i].bytes, options.line_end, set->items[i].bytes_count) != NULL;
    if (item->lists || count >= ITEM_BYTES_MAX)
        return !item->lists || crosses;
    length = open_group(item->flags, text);
    memcpy(text + length, reader->bytes + item->begin, (size_t)count);
    text[length + count] = ')';
    options.when = REGEX_LATER;
    if (ops->compile(text, length + count + 1, &options, &regex, &fault) != REGEX_OK)
        return true;
    crosses = (ops->crosses(regex) & 1) != 0;
    ops->release(regex);
    return crosses;
}

static bool is_line_end(const struct reader *reader, const struct item *item,
                        const struct split_strings *set)
{
    return item->lists && !item->repeats && !item->goes_on && set->count == 1 &&
           set->items[0].bytes_count == 1 &&
           set->items[0].bytes[0] == reader->options->options->line_end;
}

static void take_better(const struct reader *reader, const struct run *run, struct run *best,
                        double *best_score)
{
    const double here =
        run->end > run->first && run->first <= reader->cross_at ? score(reader, run) : NO_SCORE;

    if (here > *best_score) {
        *best_score = here;
        *best = *run;
    }
}

/* Adds item number `at`, with the texts of `set`, to the run, which may have `most` strings. If
 * that is impossible, compares the run with the best run so far and begins a new run. */
static void extend(const struct reader *reader, struct run *run, uint64_t at,
                   const struct split_strings *set, uint32_t most, struct run *best,
                   double *best_score)
{
    const struct item *item = &reader->items[at];
    if (!item->lists || run->goes_on || !items_append(&run->strings, set, most)) {
        take_better(reader, run, best, best_score);
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

static enum trawl_status put_text(struct reader *reader, const char *bytes, uint64_t count,
                                  struct trawl_error *error)
{
    if (count > reader->text_capacity - reader->text_count) {
        const uint64_t capacity = 2 * reader->text_capacity + count + 256;
        void *memory = reader->text;

        TRAWL_TRY(memory_grow(reader->text_capacity, capacity, 1, &memory, error));
        reader->text = (char *)memory;
        reader->text_capacity = capacity;
    }
    memcpy(reader->text + reader->text_count, bytes, (size_t)count);
    reader->text_count += count;
    return TRAWL_OK;
}

/* Ranges of reader->items, in the order of the expression, that form a head or a rest. If the run
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

/* Writes the items as an expression. Consecutive items with the same flags become a group. */
static enum trawl_status put_items(struct reader *reader, const struct ranges *ranges,
                                   struct trawl_error *error)
{
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint64_t first = ranges->all[i].first;
        const uint64_t end = ranges->all[i].end;

        while (first < end) {
            const struct item *item = &reader->items[first];
            uint64_t after = item->end;
            char open[16];

            for (first++; first < end && reader->items[first].flags == item->flags &&
                          reader->items[first].begin == after;
                 first++)
                after = reader->items[first].end;
            TRAWL_TRY(put_text(reader, open, open_group(item->flags, open), error));
            TRAWL_TRY(put_text(reader, (const char *)reader->bytes + item->begin,
                               after - item->begin, error));
            TRAWL_TRY(put_text(reader, ")", 1, error));
        }
    }
    return TRAWL_OK;
}

/* Returns the item's edge, as split_character.edge; 0 if a sequence cannot hold the edge. */
static uint8_t edge_of(const struct reader *reader, const struct item *item, bool backwards)
{
    static const char letters[] = "bBmMhH";
    static const uint8_t edges[] = {6, 9, 4, 2, SPLIT_NO_WORD_BEFORE, SPLIT_NO_WORD_AFTER};
    const char *bytes = (const char *)reader->bytes + item->begin, *found;

    if (item->repeats)
        return 0;
    if (*bytes != '\\')
        return *bytes == (backwards ? '^' : '$') && (item->flags & MANY_LINES) == 0
                   ? SPLIT_LINE_EDGE
                   : 0;
    found = strchr(letters, bytes[1]);
    return found != NULL ? edges[found - letters] : 0;
}

static bool add_edge(struct split_sequence *sequence, uint8_t edge)
{
    if (edge == 0 || sequence->count == SPLIT_SEQUENCE_MAX)
        return false;
    sequence->items[sequence->count++] =
        (struct split_character){.edge = edge, .least = 1, .most = 1};
    return true;
}

static bool add_character(const struct reader *reader, const struct item *item, uint64_t begin,
                          uint64_t end, struct split_sequence *sequence)
{
    if (sequence->count == SPLIT_SEQUENCE_MAX)
        return false;
    sequence->items[sequence->count++] =
        (struct split_character){.fold = (item->flags & FOLDS) != 0,
                                 .dot_all = (item->flags & DOT_ALL) != 0,
                                 .least = item->least,
                                 .most = item->most,
                                 .bytes = (const char *)reader->bytes + begin,
                                 .count = end - begin};
    return true;
}

/* Adds a group such as `(mut )?`, of letters, digits and blanks of ASCII that may be left out. */
static bool add_optional(const struct reader *reader, struct item item, bool backwards,
                         struct split_sequence *sequence)
{
    const char *bytes = (const char *)reader->bytes;
    const uint64_t first = item.begin + (memcmp(bytes + item.begin, "(?:", 3) == 0 ? 3 : 1);
    const uint64_t end = item.end - 2, count = end - first; /* without ")?" */
    const uint32_t begin = sequence->count;

    if (!item.lists || item.least != 0 || item.most != 1 || first >= item.end - 2)
        return false;
    item.least = 1;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = backwards ? end - 1 - i : first + i;

        if ((!class_is_word_byte(bytes[at]) && bytes[at] != ' ') ||
            !add_character(reader, &item, at, at + 1, sequence))
            return false;
    }
    sequence->items[begin].skips = (uint8_t)count;
    return true;
}

/* Adds an item to the sequence. Returns false if a sequence cannot hold the item, or is full. */
static bool add_item(const struct reader *reader, const struct item *item, bool backwards,
                     struct split_sequence *sequence)
{
    if (item->is_edge)
        return add_edge(sequence, edge_of(reader, item, backwards));
    return item->one_end == 0 ? add_optional(reader, *item, backwards, sequence)
                              : add_character(reader, item, item->begin, item->one_end, sequence);
}

/* Makes a sequence of the items, in the expression's order or backwards. Returns NULL if the items
 * cannot be a sequence. */
static const struct split_sequence *sequence_of(const struct reader *reader,
                                                const struct ranges *ranges, bool backwards,
                                                struct split_sequence *sequence)
{
    const uint8_t edge = backwards ? reader->options->before : reader->options->after;

    sequence->count = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->all[backwards ? ranges->count - 1 - i : i];

        for (uint64_t k = range->first; k < range->end; k++)
            if (!add_item(reader,
                          &reader->items[backwards ? range->end - 1 - (k - range->first) : k],
                          backwards, sequence))
                return NULL;
    }
    return edge == 0 || add_edge(sequence, edge) ? sequence : NULL;
}

/* Returns whether chains, the automata of chain.h, can read the head and the rest of a run. The
 * run's list begins with item `first`. */
static bool is_between_sequences(struct reader *reader, uint64_t first, const struct run *run,
                                 const struct around *around)
{
    const struct ranges head = ranges_before(first, run->first, around);
    const struct ranges rest = ranges_from(run->end, reader->item_count, around);

    return !run->goes_on && sequence_of(reader, &head, true, &reader->before) != NULL &&
           sequence_of(reader, &rest, false, &reader->after) != NULL;
}

/* Reads a list up to '|', ')' or the end, keeps its items, and finds its best run. Sets *ended to
 * the kind of token that ended the list. */
static enum trawl_status read_list(struct reader *reader, const struct around *around,
                                   struct run *best, double *best_score, enum kind *ended,
                                   struct trawl_error *error)
{
    static const uint32_t mosts[] = {1, 4, 16, SPLIT_STRINGS_MAX};
    enum { KINDS = sizeof mosts / sizeof *mosts };
    const uint64_t first = reader->item_count;
    enum trawl_status status = TRAWL_OK;
    double scores[KINDS];
    struct split_strings set;
    struct run *runs, *bests;
    void *memory;

    *best_score = NO_SCORE;
    reader->cross_at = UINT64_MAX;
    TRAWL_TRY(memory_allocate_zeroed(2 * (uint64_t)KINDS, sizeof *runs, &memory, error));
    runs = (struct run *)memory;
    bests = runs + KINDS;
    for (uint32_t i = 0; i < KINDS; i++) {
        scores[i] = NO_SCORE;
        runs[i].first = runs[i].end = first;
        items_empty(&runs[i].strings);
    }
    for (;;) {
        struct item item;

        *ended = items_read(reader, &item, &set);
        if (items_end(*ended))
            break;
        item.is_line_end =
            reader->options->heads_cross && around == NULL && is_line_end(reader, &item, &set);
        TRAWL_TRY_DONE(keep_item(reader, &item, error));
        if (reader->cross_at == UINT64_MAX && !item.is_line_end && may_cross(reader, &item, &set))
            reader->cross_at = reader->item_count - 1;
        for (uint32_t i = 0; i < KINDS; i++)
            extend(reader, &runs[i], reader->item_count - 1, &set, mosts[i], &bests[i], &scores[i]);
    }
    for (uint32_t i = 0; i < KINDS; i++) {
        if (reader->options->words && runs[i].first == first && runs[i].strings.count <= WORDS_MAX)
            scores[i] = *best_score = NO_SCORE; /* the whole list is better than its parts */
        take_better(reader, &runs[i], &bests[i], &scores[i]);
        if (scores[i] > NO_SCORE && is_between_sequences(reader, first, &bests[i], around))
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

static struct before look_before(const struct reader *reader, const struct ranges *ranges)
{
    struct before before = {true, true, true};
    bool consumed = false;

    for (uint32_t i = ranges->count; i-- > 0;)
        for (uint64_t k = ranges->all[i].end; k-- > ranges->all[i].first;) {
            const struct item *item = &reader->items[k];

            before.is_empty = false;
            before.is_edges &= item->is_edge;
            before.is_apart &= consumed || !item->looks_ahead;
            consumed |= item->consumes;
        }
    return before;
}

static bool may_be_left_out(const struct reader *reader, const struct ranges *ranges)
{
    for (uint32_t i = 0; i < ranges->count; i++)
        for (uint64_t k = ranges->all[i].first; k < ranges->all[i].end; k++)
            if (reader->items[k].is_edge || reader->items[k].least > 0)
                return false;
    return true;
}

/* Passes a run, with head and tail, to options->take. The run's list begins with item `first`. */
static enum trawl_status emit(struct reader *reader, const struct run *run, uint64_t first,
                              const struct around *around, struct trawl_error *error)
{
    const struct ranges head = ranges_before(first, run->first, around);
    const struct ranges tail = ranges_from(run->first, reader->item_count, around);
    const struct ranges rest = ranges_from(run->end, reader->item_count, around);
    const struct before before = look_before(reader, &head);
    const struct split_options *options = reader->options;
    bool has_rest = run->goes_on, repeats = false;
    struct split split = {.strings = &run->strings, .folds = run->folds, .keeps = run->keeps};

    for (uint64_t i = first; i < run->first; i++)
        split.lines += reader->items[i].is_line_end;
    for (uint32_t i = 0; i < rest.count; i++)
        has_rest |= rest.all[i].first < rest.all[i].end;
    for (const struct around *each = around; each != NULL; each = each->outer)
        repeats |= reader->items[each->at].repeats;
    split.begins = before.is_edges && !repeats;
    split.is_match = before.is_empty && !has_rest && !repeats;
    split.is_sure =
        split.is_match || (!repeats && options->before == 0 && options->after == 0 &&
                           may_be_left_out(reader, &head) && may_be_left_out(reader, &rest));
    if (!repeats)
        split.before = sequence_of(reader, &head, true, &reader->before);
    if (!repeats && !run->goes_on)
        split.after = sequence_of(reader, &rest, false, &reader->after);
    reader->text_count = 0;
    if (!before.is_edges && before.is_apart && !repeats &&
        reader->text_total < TEXT_SHARE * reader->count + TEXT_SPARED) {
        TRAWL_TRY(put_text(reader, "(?:", 3, error));
        TRAWL_TRY(put_items(reader, &head, error));
        TRAWL_TRY(put_text(reader, ")\\z", 3, error));
        split.head_bytes = reader->text_count;
        if (has_rest)
            TRAWL_TRY(put_items(reader, &tail, error));
        split.tail_bytes = reader->text_count - split.head_bytes;
        reader->text_total += reader->text_count;
        split.head = reader->text;
        split.tail = reader->text + split.head_bytes;
    }
    return options->take(options->context, &split, error);
}

static enum trawl_status split_alternatives(struct reader *reader, const struct around *around,
                                            uint32_t nested, bool emits, double *worst,
                                            struct trawl_error *error);

/* Handles the alternatives of a group, which is item around->at: computes their least score, or
 * with `emits` passes their strings to options->take. */
static enum trawl_status split_group(struct reader *reader, const struct around *around,
                                     uint32_t nested, bool emits, double *worst,
                                     struct trawl_error *error)
{
    const struct item item = reader->items[around->at];
    const uint64_t back = reader->at;
    const uint32_t flags = reader->flags;

    reader->at = item.inner;
    reader->flags = item.inner_flags;
    TRAWL_TRY(split_alternatives(reader, around, nested + 1, emits, worst, error));
    reader->at = back;
    reader->flags = flags;
    return TRAWL_OK;
}

/* Sets *here to the best score of the list that was just read: the score of the list's own run, or
 * of the runs in a group inside the list. With `emits`, also passes the strings with this score to
 * options->take. */
static enum trawl_status split_list(struct reader *reader, const struct run *run, double own,
                                    uint64_t first, const struct around *outer, uint32_t nested,
                                    bool emits, double *here, struct trawl_error *error)
{
    struct around around = {outer, first, UINT64_MAX, reader->item_count};
    struct around best = around;
    const uint64_t last = min_u64(around.end, reader->cross_at + (reader->cross_at < UINT64_MAX));

    *here = own;
    for (uint64_t i = first; i < last && nested < NESTED_MAX; i++) {
        double inside;

        if (reader->items[i].inner == 0 || reader->items[i].lists)
            continue;
        around.at = i;
        TRAWL_TRY(split_group(reader, &around, nested, false, &inside, error));
        if (inside > *here) {
            *here = inside;
            best = around;
        }
    }
    if (!emits || *here == NO_SCORE)
        return TRAWL_OK;
    if (best.at == UINT64_MAX)
        return emit(reader, run, first, outer, error);
    return split_group(reader, &best, nested, true, here, error);
}

/* Reads alternatives up to ')' or the end. *worst becomes the least score of an alternative. */
static enum trawl_status split_alternatives(struct reader *reader, const struct around *around,
                                            uint32_t nested, bool emits, double *worst,
                                            struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct run *run;
    void *memory;

    *worst = -NO_SCORE;
    TRAWL_TRY(memory_allocate(1, sizeof *run, &memory, error));
    run = (struct run *)memory;
    for (enum kind ended = BAR; ended == BAR && !reader->gives_up;) {
        const uint64_t first = reader->item_count;
        double own, here;

        TRAWL_TRY_DONE(read_list(reader, around, run, &own, &ended, error));
        TRAWL_TRY_DONE(split_list(reader, run, own, first, around, nested, emits, &here, error));
        *worst = min_double(*worst, here);
        reader->item_count = first;
    }
done:
    memory_release(run, 1, sizeof *run);
    return status;
}

enum trawl_status split_expression(const char *bytes, uint64_t count,
                                   const struct split_options *options, bool *splits,
                                   bool *looks_back, struct trawl_error *error)
{
    struct reader reader = {.options = options,
                            .bytes = (const uint8_t *)bytes,
                            .count = count,
                            .flags = (options->options->fold ? FOLDS : 0u) |
                                     (options->options->dot_all ? DOT_ALL : 0u) |
                                     (options->options->multi ? MANY_LINES : 0u)};
    enum trawl_status status;
    double worst;

    status = split_alternatives(&reader, NULL, 0, true, &worst, error);
    *splits = !reader.gives_up && worst > NO_SCORE;
    *looks_back = reader.seen.looks_back > 0;
    memory_release(reader.items, reader.item_capacity, sizeof *reader.items);
    memory_release(reader.text, reader.text_capacity, 1);
    return status;
}
