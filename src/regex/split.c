/* split: chooses the strings with which each alternative of an expression is searched for.
 *
 * A list is a sequence of items without '|': characters, classes, assertions and groups, each with
 * its repetition. A run is a part of a list whose texts can be listed: `the (son|daughter)s? of `
 * in `the (son|daughter)s? of [A-Z]\w+`. The search uses the run that is expected to be rarest in a
 * text. If the runs inside a group are rarer, it uses these: `(a+bcd|e+fgh)x*` is searched for with
 * `bcd` and `fgh`.
 */
#include "regex/choose.h"
#include "regex/prices.def"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/syntax/sets.h"

#define DEPTH_MAX 8u  /* maximum nesting of groups whose texts are listed */
#define NESTED_MAX 4u /* maximum nesting of groups in which a run may lie */
/* A list's best run is chosen among runs of at most this many strings, once for each of these
 * numbers. */
static const uint32_t mosts[] = {1, 4, 16, SPLIT_STRINGS_MAX};
enum { KINDS = sizeof mosts / sizeof *mosts };

/* What is known about the texts of an item, or of the items of a run. */
struct texts {
    bool lists;   /* the texts can be listed, and are `strings` */
    bool goes_on; /* more bytes may follow the listed texts */
    bool folds;   /* some character stands for letters of any case */
    bool keeps;   /* some character stands only for itself */
    struct split_strings strings;
};

/* The items [first, end) of a list. */
struct run {
    uint32_t first;
    uint32_t end;
    double score;
    struct texts texts;
};

/* Where a run is: items [first, end) of `list`, which is an alternative of a group. That group is
 * item outer->first of outer->list. */
struct place {
    const struct place *outer; /* NULL: the list is an alternative of the expression */
    const struct syntax_node *list;
    uint32_t first;
    uint32_t end;
};

struct splitter {
    const struct split_options *options;
    struct run runs[KINDS];  /* the run that is being read, for each of `mosts` */
    struct run bests[KINDS]; /* the best run so far */
    struct run chosen[NESTED_MAX + 1];
    const struct syntax_node *passed; /* the list of which a head may have split.near; or NULL */
    bool near[256];
};

/* ---- Texts -------------------------------------------------------------------------------- */

static bool add_string(struct split_strings *to, const uint8_t *first, uint32_t first_bytes,
                       const uint8_t *second, uint32_t second_bytes)
{
    struct split_string *made = &to->items[to->count];

    if (to->count == SPLIT_STRINGS_MAX || first_bytes + second_bytes > SPLIT_STRING_BYTES)
        return false;
    memcpy(made->bytes, first, first_bytes);
    memcpy(made->bytes + first_bytes, second, second_bytes);
    made->bytes_count = first_bytes + second_bytes;
    for (uint32_t i = 0; i < to->count; i++)
        if (to->items[i].bytes_count == made->bytes_count &&
            memcmp(to->items[i].bytes, made->bytes, made->bytes_count) == 0)
            return true;
    to->count++;
    return true;
}

static bool add_strings(struct split_strings *to, const struct split_strings *more)
{
    for (uint32_t i = 0; i < more->count; i++)
        if (!add_string(to, more->items[i].bytes, more->items[i].bytes_count, (const uint8_t *)"",
                        0))
            return false;
    return true;
}

/* Replaces the strings of `to` with their cross product: each string of `to` followed by each of
 * `more`. Returns false, leaving `to` unchanged, if these would be more than `max` strings, or if
 * one would be too long. */
static bool append(struct split_strings *to, const struct split_strings *more, uint32_t max)
{
    struct split_strings made;

    made.count = 0;
    if ((uint64_t)to->count * more->count > max)
        return false;
    for (uint32_t i = 0; i < to->count; i++)
        for (uint32_t k = 0; k < more->count; k++)
            if (!add_string(&made, to->items[i].bytes, to->items[i].bytes_count,
                            more->items[k].bytes, more->items[k].bytes_count))
                return false;
    to->count = made.count;
    memcpy(to->items, made.items, made.count * sizeof *made.items);
    return true;
}

/* Makes `to` a set that contains only the empty string. */
static void empty(struct split_strings *to)
{
    to->count = 1;
    to->items[0].bytes_count = 0;
}

/* Sets *least to the lowest letter with which a search that ignores case finds `code`. This need
 * not be one of the cases of `code`: for grep, U+1C80 has the cases U+0412 and U+0432, but not vice
 * versa. Returns false if the set lacks a case of `code`, which an engine would find, too; and for
 * i and I, which are equal for engines, in a language like Turkish. */
static bool min_case(const struct split_options *options, const struct syntax_node *node,
                     uint32_t code, uint32_t *min)
{
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], back[TRAWL_UTF8_VARIANTS_MAX];
    const uint32_t count = sets_cases(options->options, code, variants);
    bool holds = !options->splits_i || (code | 0x20) != 'i';

    *min = code;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t finds = variants[i] < *min ? sets_cases(options->options, variants[i], back) : 0;

        while (finds > 0 && back[finds - 1] != code)
            finds--;
        if (finds > 0)
            *min = variants[i];
        holds &=
            sets_hold(node, variants[i]) && (!options->splits_i || (variants[i] | 0x20) != 'i');
    }
    return holds;
}

/* Adds a character (or a byte, if each byte is a character) to a set of strings. If case is
 * ignored, the lowest letter stands for all its cases. Returns false if the set is full, or if an
 * engine may find other letters. */
static bool add_character(const struct split_options *options, const struct syntax_node *node,
                          uint32_t code, struct split_strings *set)
{
    const bool bytes = options->options->bytes;
    uint8_t encoded[4] = {(uint8_t)code};
    uint32_t min = code;

    if ((node->flags & SYNTAX_FOLDS) != 0) {
        if ((code >= 0x80 && bytes) || !min_case(options, node, code, &min))
            return false;
        encoded[0] = (uint8_t)(min >= 'A' && min <= 'Z' ? min | 0x20 : min);
    }
    return add_string(set, encoded, bytes || min < 0x80 ? 1 : plan_utf8_encode(min, encoded),
                      (const uint8_t *)"", 0);
}

/* Adds the characters of a set. Returns false if these are too many. */
static bool list_set(const struct split_options *options, const struct syntax_node *node,
                     struct split_strings *set)
{
    const bool folds = (node->flags & SYNTAX_FOLDS) != 0;
    uint64_t count = 0;

    for (uint32_t i = 0; i < node->set_count; i++)
        count += node->set[i].last - node->set[i].first + UINT64_C(1);
    if (count > (folds ? 2 : 1) * SPLIT_STRINGS_MAX) /* both cases of a letter are in the set */
        return false;
    for (uint32_t i = 0; i < node->set_count; i++)
        for (uint32_t code = node->set[i].first; code <= node->set[i].last; code++)
            if (!add_character(options, node, code, set))
                return false;
    return set->count > 0;
}

static void list_texts(const struct split_options *options, const struct syntax_node *node,
                       uint32_t depth, struct texts *texts);

/* Lists the texts of a group that is nested in `depth` groups. */
static void list_group(const struct split_options *options, const struct syntax_node *group,
                       uint32_t depth, struct texts *texts)
{
    texts->lists = depth < DEPTH_MAX;
    for (uint32_t i = 0; i < group->count && texts->lists; i++) {
        const struct syntax_node *list = group->items[i];
        struct split_strings all;

        empty(&all);
        for (uint32_t k = 0; k < list->count && texts->lists; k++) {
            struct texts inside;

            list_texts(options, list->items[k], depth + 1, &inside);
            texts->lists =
                inside.lists && !inside.goes_on && append(&all, &inside.strings, SPLIT_STRINGS_MAX);
            texts->folds |= inside.folds;
            texts->keeps |= inside.keeps;
        }
        texts->lists = texts->lists && add_strings(&texts->strings, &all);
    }
}

/* Applies a repetition to the listed texts. */
static void repeat(const struct syntax_node *node, struct texts *texts)
{
    const struct split_strings once = texts->strings;
    struct split_strings power, min;

    empty(&power);
    for (uint32_t i = 0; i < node->min && texts->lists; i++)
        texts->lists = append(&power, &once, SPLIT_STRINGS_MAX);
    texts->strings = min = power;
    for (uint32_t i = node->min; i < node->max && texts->lists && !texts->goes_on; i++)
        texts->goes_on = i > node->min + SPLIT_STRING_BYTES || node->max == SYNTAX_ENDLESS ||
                         !append(&power, &once, SPLIT_STRINGS_MAX) ||
                         !add_strings(&texts->strings, &power);
    if (texts->goes_on) { /* list only the minimum number of repetitions */
        texts->lists = node->min > 0;
        texts->strings = min;
    }
}

/* Lists the texts of a node that is nested in `depth` groups. */
static void list_texts(const struct split_options *options, const struct syntax_node *node,
                       uint32_t depth, struct texts *texts)
{
    texts->lists = texts->goes_on = texts->folds = texts->keeps = false;
    texts->strings.count = 0;
    switch (node->kind) {
    case SYNTAX_EMPTY:
        empty(&texts->strings);
        texts->lists = true;
        break;
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        texts->folds = (node->flags & SYNTAX_FOLDS) != 0;
        texts->keeps = !texts->folds;
        texts->lists = list_set(options, node, &texts->strings);
        break;
    case SYNTAX_GROUP:
        list_group(options, node, depth, texts);
        break;
    case SYNTAX_REPEAT:
        list_texts(options, node->items[0], depth, texts);
        texts->lists = texts->lists && node->items[0]->kind != SYNTAX_REPEAT;
        if (texts->lists)
            repeat(node, texts);
        break;
    default: /* an assertion, or a byte of a character */
        break;
    }
}

/* ---- Runs --------------------------------------------------------------------------------- */

bool split_may_hold(const struct syntax_node *node, uint8_t byte)
{
    const bool is_void = node->kind == SYNTAX_REPEAT && node->max == 0; /* \s{0} */
    bool holds = node->kind == SYNTAX_BYTE ||
                 ((node->kind == SYNTAX_CHAR || node->kind == SYNTAX_SET) && sets_hold(node, byte));

    for (uint32_t i = 0; i < node->count && !holds && !is_void; i++)
        holds = split_may_hold(node->items[i], byte);
    return holds;
}

/* Returns true if the item can only match a line end. */
static bool is_line_end(const struct split_options *options, const struct syntax_node *item)
{
    while (item->kind == SYNTAX_GROUP && item->count == 1 && item->items[0]->count == 1)
        item = item->items[0]->items[0];
    return item->set_count == 1 && item->set[0].first == item->set[0].last &&
           item->set[0].first == options->options->line_end;
}

/* Returns true if the item may match a line end, and so must not be in a head. `is_top`: the item
 * is not inside a group. */
static bool may_cross(const struct split_options *options, const struct syntax_node *item,
                      bool is_top)
{
    return options->options->multi && !options->has_reach &&
           split_may_hold(item, options->options->line_end) &&
           !(is_top && options->heads_cross && is_line_end(options, item));
}

/* Returns how many of the item's repetitions vary; 2 if there may be others. */
static uint32_t varying(const struct syntax_node *item)
{
    const struct syntax_node *once = syntax_once(item);
    uint32_t count = 0;

    if (once->kind == SYNTAX_GROUP && item == once && once->count == 1) {
        for (uint32_t i = 0; i < once->items[0]->count; i++)
            count += varying(once->items[0]->items[i]);
        return count;
    }
    return once->kind == SYNTAX_CHAR || once->kind == SYNTAX_SET
               ? item->kind == SYNTAX_REPEAT && item->min != item->max
           : once->kind == SYNTAX_EDGE ? 0
                                       : 2;
}

/* What comes before or after a run, up to the start or the end of the expression. */
struct side {
    bool is_empty;
    bool are_edges;   /* all of it is assertions */
    bool is_optional; /* everything is optional, and there are no assertions */
    uint32_t lines;   /* number of line ends */
    uint32_t varying;
    uint64_t max;  /* of its bytes */
    double counts; /* how many sets of counts repetitions may have */
};

/* Reads what comes before the run, backwards, or what comes after it. */
static struct side read_side(const struct split_options *options, const struct place *place,
                             bool backwards)
{
    struct side side = {true, true, true, 0, 0, 0, 1};

    for (; place != NULL; place = place->outer) {
        const uint32_t count = backwards ? place->first : place->list->count - place->end;

        for (uint32_t i = 0; i < count; i++) {
            const struct syntax_node *item =
                place->list->items[backwards ? count - 1 - i : place->end + i];
            const bool is_edge = syntax_once(item)->kind == SYNTAX_EDGE;

            side.is_empty = false;
            side.are_edges &= is_edge;
            side.is_optional &= !is_edge && item->kind == SYNTAX_REPEAT && item->min == 0;
            side.lines +=
                options->heads_cross && place->outer == NULL && is_line_end(options, item);
            side.varying += varying(item);
            side.max += syntax_max_bytes(item);
            if (is_edge) /* what comes before each matters */
                side.counts *= 2;
            else if (item->kind == SYNTAX_REPEAT && item->max != SYNTAX_ENDLESS)
                side.counts *= item->max - item->min + 1.0;
        }
    }
    return side;
}

static void begin_run(struct run *run, uint32_t at)
{
    run->first = run->end = at;
    run->texts.folds = run->texts.keeps = run->texts.goes_on = false;
    empty(&run->texts.strings);
}

/* Sets splitter->near to the bytes of a head of the list's first `count` items. Returns the share
 * of the others. */
static double read_near(struct splitter *splitter, const struct syntax_node *list, uint32_t count)
{
    bool *near = splitter->near;
    double others = 0;

    for (uint32_t byte = 0; byte < 256; byte++) {
        near[byte] = byte >= 0x80;
        for (uint32_t i = 0; i < count && !near[byte]; i++)
            near[byte] = split_may_hold(list->items[i], (uint8_t)byte) ||
                         split_may_hold(list->items[i], (uint8_t)(byte ^ 32)); /* other case */
        others += near[byte] ? 0 : splitter->options->rates->rate[byte];
    }
    return others;
}

/* Returns true if a head of the first `count` items may match line ends: bytes that it cannot match
 * are frequent. The search for matches then begins behind such a byte. */
static bool may_pass(struct splitter *splitter, uint32_t count)
{
    return splitter->passed != NULL && read_near(splitter, splitter->passed, count) > OTHERS_LEAST;
}

static void take_better(struct splitter *splitter, struct run *run, uint32_t cross_at, bool is_all,
                        struct run *best)
{
    run->score = run->end > run->first && (run->first <= cross_at || may_pass(splitter, run->first))
                     ? choose_score(splitter->options, &run->texts.strings, run->texts.folds)
                     : NO_SCORE;
    if (run->first > cross_at && run->score > NO_SCORE)
        run->score -= SCORE_OF_PASSING;
    run->score += is_all && run->score > NO_SCORE ? SCORE_OF_ALL : 0;
    if (run->score > best->score)
        *best = *run;
}

/* Adds item number `at` to run number `kind`. If that is impossible, compares the run with the best
 * one so far, and starts a new run. */
static void extend_run(struct splitter *splitter, uint32_t kind, uint32_t at, uint32_t cross_at,
                       const struct texts *texts)
{
    struct run *run = &splitter->runs[kind];

    if (!texts->lists || run->texts.goes_on ||
        !append(&run->texts.strings, &texts->strings, mosts[kind])) {
        take_better(splitter, run, cross_at, false, &splitter->bests[kind]);
        begin_run(run, at);
        if (!texts->lists || !append(&run->texts.strings, &texts->strings, mosts[kind])) {
            run->first = run->end = at + 1;
            return;
        }
    }
    run->end = at + 1;
    run->texts.folds |= texts->folds;
    run->texts.keeps |= texts->keeps;
    run->texts.goes_on = texts->goes_on;
}

/* Finds the list's best run, which becomes splitter->chosen[nested]. Returns the index of the first
 * item that must not be in a head. */
static uint32_t read_list(struct splitter *splitter, const struct syntax_node *list,
                          const struct place *outer, uint32_t nested)
{
    const struct split_options *options = splitter->options;
    struct run *chosen = &splitter->chosen[nested];
    uint32_t cross_at = UINT32_MAX;
    struct texts texts;

    splitter->passed = outer == NULL && options->heads_pass ? list : NULL;
    chosen->score = NO_SCORE;
    for (uint32_t i = 0; i < KINDS; i++) {
        begin_run(&splitter->runs[i], 0);
        splitter->bests[i].score = NO_SCORE;
    }
    for (uint32_t at = 0; at < list->count; at++) {
        list_texts(options, list->items[at], 0, &texts);
        if (cross_at == UINT32_MAX && may_cross(options, list->items[at], outer == NULL))
            cross_at = at;
        for (uint32_t i = 0; i < KINDS; i++)
            extend_run(splitter, i, at, cross_at, &texts);
    }
    for (uint32_t i = 0; i < KINDS; i++) {
        struct run *run = &splitter->runs[i], *best = &splitter->bests[i];

        take_better(splitter, run, cross_at,
                    outer == NULL && run->first == 0 && !run->texts.goes_on, best);
        if (best->score > chosen->score)
            *chosen = *best;
    }
    return cross_at;
}

/* Passes a run at its place to options->take. */
static enum trawl_status emit_run(struct splitter *splitter, const struct texts *texts,
                                  const struct place *place, struct trawl_error *error)
{
    const struct split_options *options = splitter->options;
    const struct side head = read_side(options, place, true);
    const struct side rest = read_side(options, place, false);
    struct split split = {.strings = &texts->strings,
                          .folds = texts->folds,
                          .keeps = texts->keeps,
                          .lines = head.lines,
                          .list = place->list,
                          .first = place->first,
                          .last = place->end - 1,
                          .goes_on = texts->goes_on,
                          .is_top = place->outer == NULL};
    bool repeats = false; /* the run is inside a repeated group */

    for (const struct place *outer = place->outer; outer != NULL; outer = outer->outer)
        repeats |= outer->list->items[outer->first]->kind == SYNTAX_REPEAT;
    for (uint32_t i = 0; i < place->first && place->outer == NULL && options->heads_pass; i++)
        if (may_cross(options, place->list->items[i], true))
            split.near = splitter->near;
    if (split.near != NULL)
        (void)read_near(splitter, place->list, place->first);
    split.begins = head.are_edges && !repeats;
    split.leads = split.begins || (head.is_optional && !repeats && !options->has_edges);
    split.is_match = head.is_empty && rest.is_empty && !texts->goes_on && !repeats;
    split.is_sure =
        split.is_match || (!repeats && !options->has_edges && head.is_optional && rest.is_optional);
    split.head_max = repeats || head.max >= UINT32_MAX ? UINT64_MAX : head.max;
    split.is_near = !repeats && head.varying <= 1 &&
                    (!options->has_reach || head.counts * rest.counts <= NEAR_COUNTS);
    return options->take(options->context, &split, error);
}

static enum trawl_status split_group(struct splitter *splitter, const struct syntax_node *group,
                                     const struct place *outer, uint32_t nested, bool emits,
                                     double *worst, struct trawl_error *error);

/* Returns true if the node is a group, perhaps repeated, that participates in each match. Searching
 * for its strings alone may be better, unless its texts can be listed. */
static bool may_split(const struct splitter *splitter, const struct syntax_node *node)
{
    const struct syntax_node *once = node;
    struct texts texts;

    while (once->kind == SYNTAX_REPEAT && once->min > 0)
        once = once->items[0];
    if (once->kind != SYNTAX_GROUP)
        return false;
    list_texts(splitter->options, node, 0, &texts);
    return !texts.lists;
}

/* Sets *here to the best score in a list: that of its own run, or of the runs in a group inside it.
 * With `emits`, also passes the strings that have this score to options->take. */
static enum trawl_status split_list(struct splitter *splitter, const struct syntax_node *list,
                                    const struct place *outer, uint32_t nested, bool emits,
                                    double *here, struct trawl_error *error)
{
    const uint32_t cross_at = read_list(splitter, list, outer, nested);
    const struct run *own = &splitter->chosen[nested];
    struct place place = {outer, list, 0, 0}, best = {outer, list, own->first, own->end};
    const struct syntax_node *group = NULL; /* the group at `best`; NULL: the list's run is best */

    *here = own->score;
    for (uint32_t i = 0; i < list->count && i <= cross_at && nested < NESTED_MAX; i++) {
        double inside;

        if (!may_split(splitter, list->items[i]))
            continue;
        place.first = i;
        place.end = i + 1;
        TRAWL_TRY(split_group(splitter, syntax_once(list->items[i]), &place, nested + 1, false,
                              &inside, error));
        if (inside > *here) {
            *here = inside;
            best = place;
            group = syntax_once(list->items[i]);
        }
    }
    if (!emits || *here == NO_SCORE)
        return TRAWL_OK;
    return group == NULL ? emit_run(splitter, &own->texts, &best, error)
                         : split_group(splitter, group, &best, nested + 1, true, here, error);
}

/* Processes the alternatives of a group: sets *worst to the lowest score of any alternative and,
 * with `emits`, passes their strings to options->take. */
static enum trawl_status split_group(struct splitter *splitter, const struct syntax_node *group,
                                     const struct place *outer, uint32_t nested, bool emits,
                                     double *worst, struct trawl_error *error)
{
    TRAWL_ASSERT(group->kind == SYNTAX_GROUP && group->count > 0);
    *worst = -NO_SCORE;
    for (uint32_t i = 0; i < group->count; i++) {
        double here;

        TRAWL_TRY(split_list(splitter, group->items[i], outer, nested, emits, &here, error));
        *worst = min_double(*worst, here);
    }
    return TRAWL_OK;
}

enum trawl_status split_expression(const struct syntax_node *root,
                                   const struct split_options *options, bool *splits,
                                   struct trawl_error *error)
{
    struct splitter *splitter;
    enum trawl_status status;
    double worst;

    TRAWL_TRY(MEMORY_NEW(splitter, 1, error));
    splitter->options = options;
    status = split_group(splitter, root, NULL, 0, true, &worst, error);
    *splits = worst > NO_SCORE;
    memory_release(splitter, 1, sizeof *splitter);
    return status;
}
