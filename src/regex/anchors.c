/* anchors: collects the strings with which expressions are searched for, and builds a plan that
 * searches for all of them.
 *
 * Each alternative of an expression becomes an anchor: a few strings, one of which is in each
 * match. Automata read what comes before and after them (lazy.h).
 */
#include "regex/anchors.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"

#define STRINGS_MAX (1u << 24)

void anchors_begin(struct anchor_maker *maker, struct expressions *made, const uint8_t *sample,
                   uint64_t sample_bytes)
{
    memset(maker, 0, sizeof *maker);
    maker->made = made;
    maker->all_sure = maker->all_match = true;
    maker->sample = sample;
    maker->sample_bytes = sample_bytes;
    analyse_rates(sample, sample_bytes, NULL, 0, made->options.fold, &maker->rates);
}

void anchors_release(struct anchor_maker *maker)
{
    memory_release(maker->strings, maker->string_capacity, sizeof *maker->strings);
    maker->strings = NULL;
    maker->string_capacity = 0;
}

void anchors_free(struct expressions *made)
{
    memory_release(made->anchors, made->anchor_capacity, sizeof *made->anchors);
    if (made->atom_first != NULL)
        memory_release(made->atom_anchors, made->atom_first[made->atom_count], sizeof(uint32_t));
    memory_release(made->atom_first, made->atom_count + 1, sizeof(uint32_t));
    made->anchors = NULL;
    made->atom_first = made->atom_anchors = NULL;
    made->anchor_count = made->anchor_capacity = 0;
}

/* Returns true if the same is before and after the split's strings as of the anchor that is kept.
 */
static bool is_alike(const struct anchor_maker *maker, const struct split *split)
{
    const struct anchor_kept *kept = &maker->kept;
    const struct expression *items = maker->made->items;
    bool alike =
        kept->list != NULL && split->is_top && !split->goes_on && split->first == kept->first &&
        split->list->count - split->last == kept->list->count - kept->last &&
        (items[kept->expression].beyond == NULL) == (items[maker->expression].beyond == NULL);

    for (uint32_t i = 0; i < split->first && alike; i++)
        alike = syntax_equals(split->list->items[i], kept->list->items[i]);
    for (uint32_t i = split->list->count - 1; i > split->last && alike; i--)
        alike =
            syntax_equals(split->list->items[i], kept->list->items[kept->last + (i - split->last)]);
    return alike;
}

/* Adds an anchor for an alternative of the expression: the callback `take` of split_options. */
static enum trawl_status take(void *context, const struct split *split, struct trawl_error *error)
{
    struct anchor_maker *maker = (struct anchor_maker *)context;
    struct expressions *made = maker->made;
    struct anchor *anchor;

    TRAWL_TRY(MEMORY_ROOM(made->anchors, made->anchor_capacity, made->anchor_count + 1, error));
    TRAWL_TRY(MEMORY_ROOM(maker->strings, maker->string_capacity,
                          maker->string_count + split->strings->count, error));
    for (uint32_t i = 0; i < split->strings->count; i++) {
        maker->strings[maker->string_count].string = split->strings->items[i];
        maker->strings[maker->string_count++].anchor = (uint32_t)made->anchor_count;
    }
    maker->folds |= split->folds;
    maker->keeps |= split->keeps;
    maker->all_sure &= split->is_sure;
    maker->all_match &= split->is_match;
    made->near_lines = split->near != NULL ? NEAR_BYTES : split->lines;
    for (uint32_t byte = 0; byte < 256; byte++)
        made->near[byte] = split->near != NULL ? split->near[byte] : byte != made->plan->line_end;
    maker->is_near = made->anchor_count == 0 && split->is_near;
    if (is_alike(maker, split))
        made->anchors[maker->kept.index].is_shared = true;
    else
        maker->kept = (struct anchor_kept){split->is_top && !split->goes_on ? split->list : NULL,
                                           split->first, split->last, (uint32_t)made->anchor_count,
                                           maker->expression};
    anchor = &made->anchors[made->anchor_count++];
    *anchor = (struct anchor){.expression = maker->expression,
                              .alike = maker->kept.index,
                              .is_sure = split->is_sure,
                              .keeps = split->keeps,
                              .folds = split->folds,
                              .begins = split->begins,
                              .leads = split->leads,
                              .list = split->list->number,
                              .head_max = split->head_max,
                              .first = split->first,
                              .last = split->last,
                              .goes_on = split->goes_on,
                              .is_read = (!split->is_sure || maker->has_edges) &&
                                         !expressions_end_beyond(made)};
    return TRAWL_OK;
}

/* Returns true if i and I are different letters under the caller's rules, as they are in
 * Turkish. */
static bool splits_i(const struct regex_options *options)
{
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], count = 0;
    bool splits = options->letters.variants != NULL;

    if (splits)
        count = options->letters.variants(options->letters.context, 'i', variants);
    for (uint32_t i = 0; i < count; i++)
        splits &= variants[i] != 'I';
    return splits;
}

/* Removes the anchors that were added since the maker was as in `before`, and there were
 * `anchor_count`. */
static void take_back(struct anchor_maker *maker, const struct anchor_maker *before,
                      uint64_t anchor_count)
{
    const struct anchor_maker now = *maker;

    if (maker->made->anchor_count == anchor_count)
        return;
    maker->made->anchor_count = anchor_count;
    *maker = *before;
    maker->strings = now.strings;
    maker->string_capacity = now.string_capacity;
}

enum trawl_status anchors_add(struct anchor_maker *maker, uint32_t expression,
                              const struct syntax_node *root, struct trawl_error *error)
{
    const uint32_t flags = maker->made->plan->flags;
    const bool is_beyond = maker->made->items[expression].beyond != NULL;
    const bool lines = (flags & TRAWL_WHOLE_LINE) != 0 && !is_beyond;
    const bool words = (flags & TRAWL_WHOLE_WORD) != 0 && !is_beyond;
    const bool crosses = maker->made->options.multi && maker->made->count == 1 && !root->alternates;
    const struct trawl_letters *letters = &maker->made->options.letters;
    const struct split_options options = {
        .options = &maker->made->options,
        .has_edges = lines || words,
        .heads_cross = crosses,
        .heads_pass = crosses && expressions_cross(maker->made) && !is_beyond &&
                      (letters->variants == NULL || letters->variants == trawl_unicode()->variants),
        .has_reach = maker->made->items[expression].has_reach,
        .splits_i = splits_i(&maker->made->options),
        .rates = &maker->rates,
        .sample = maker->sample,
        .sample_bytes = maker->sample_bytes,
        .weighs = maker->weighs,
        .take = take,
        .context = maker};
    const struct anchor_maker before = *maker;
    const uint64_t anchor_count = maker->made->anchor_count;
    uint64_t head_max = 0;
    bool splits;

    if (maker->fails)
        return TRAWL_OK;
    maker->expression = expression;
    maker->has_edges = lines || words;
    TRAWL_TRY(split_expression(root, &options, &splits, error));
    if (!splits)
        take_back(maker, &before, anchor_count);
    /* a match with a later string of another anchor may begin earlier */
    for (uint64_t i = anchor_count; i < maker->made->anchor_count; i++)
        head_max = max_u64(head_max, maker->made->anchors[i].head_max);
    for (uint64_t i = anchor_count; i < maker->made->anchor_count; i++)
        maker->made->anchors[i].head_max = head_max;
    maker->made->items[expression].has_atoms = splits;
    maker->lacks |= !splits;
    maker->fails =
        maker->string_count > STRINGS_MAX || (maker->lacks && expressions_cross(maker->made));
    return TRAWL_OK;
}

static int compare(const void *a, const void *b)
{
    const struct anchor_string *first = (const struct anchor_string *)a;
    const struct anchor_string *second = (const struct anchor_string *)b;
    const uint32_t count = first->string.bytes_count, other = second->string.bytes_count;
    int order = memcmp(first->string.bytes, second->string.bytes, count < other ? count : other);

    if (order == 0 && count != other)
        order = count < other ? -1 : 1;
    if (order == 0)
        order = first->anchor < second->anchor ? -1 : first->anchor > second->anchor;
    return order;
}

static bool same_string(const struct split_string *a, const struct split_string *b)
{
    return a->bytes_count == b->bytes_count && memcmp(a->bytes, b->bytes, a->bytes_count) == 0;
}

/* Sorts the strings. Each distinct string becomes an atom: a pattern of the plan made->atoms. Fills
 * made->atom_first and made->atom_anchors, which list the anchors of each atom. */
static enum trawl_status index_strings(struct anchor_maker *maker, struct trawl_error *error)
{
    struct expressions *made = maker->made;
    uint64_t atoms = 0;

    qsort(maker->strings, maker->string_count, sizeof *maker->strings, compare);
    for (uint64_t i = 0; i < maker->string_count; i++)
        atoms += i == 0 || !same_string(&maker->strings[i - 1].string, &maker->strings[i].string);
    TRAWL_TRY(MEMORY_NEW(made->atom_anchors, maker->string_count, error));
    if (MEMORY_NEW(made->atom_first, atoms + 1, error) != TRAWL_OK) {
        memory_release(made->atom_anchors, maker->string_count, sizeof(uint32_t));
        made->atom_anchors = NULL;
        return TRAWL_MEMORY;
    }
    made->atom_count = atoms;
    atoms = 0;
    for (uint64_t i = 0; i < maker->string_count; i++) {
        made->atom_anchors[i] = maker->strings[i].anchor;
        if (i == 0 || !same_string(&maker->strings[i - 1].string, &maker->strings[i].string))
            made->atom_first[atoms++] = (uint32_t)i;
    }
    made->atom_first[atoms] = (uint32_t)maker->string_count;
    return TRAWL_OK;
}

static bool no_word(void *context, uint32_t code_point)
{
    (void)context;
    (void)code_point;
    return false;
}

/* Builds the plan of the strings. If some string ignores case, the plan gets the caller's rules for
 * letters. */
static enum trawl_status build_atoms(const struct anchor_maker *maker,
                                     const struct trawl_pattern *patterns,
                                     struct trawl_error *error)
{
    struct expressions *made = maker->made;
    const struct trawl_letters letters = {.size = sizeof letters,
                                          .context = made->options.letters.context,
                                          .variants = made->options.letters.variants,
                                          .is_word = no_word};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;

    options.flags = maker->folds ? TRAWL_IGNORE_CASE : 0;
    options.line_ends = plan_options(made->plan).line_ends;
    options.letters = trawl_ascii();
    if (maker->folds && letters.variants != NULL) {
        options.flags |= made->plan->flags & TRAWL_SINGLE_BYTE;
        options.letters = &letters;
    }
    return plan_build(patterns, made->atom_count, &options, NULL, &made->atoms, error);
}

/* Returns the shortest distance between two overlapping occurrences of atoms; UINT32_MAX if none
 * overlap. */
static uint32_t overlap(const struct anchor_maker *maker)
{
    const struct expressions *made = maker->made;
    uint32_t min = UINT32_MAX;

    for (uint64_t i = 0; i < made->atom_count * made->atom_count; i++) {
        const uint64_t first = i / made->atom_count, second = i % made->atom_count;
        const struct split_string *a = &maker->strings[made->atom_first[first]].string;
        const struct split_string *b = &maker->strings[made->atom_first[second]].string;

        for (uint32_t at = first == second; at < min_u64(a->bytes_count, min); at++)
            if (memcmp(a->bytes + at, b->bytes, min_u64(a->bytes_count - at, b->bytes_count)) == 0)
                min = at;
    }
    return min;
}

enum trawl_status anchors_end(struct anchor_maker *maker, struct trawl_error *error)
{
    struct expressions *made = maker->made;
    const uint32_t conditions = TRAWL_WHOLE_LINE | TRAWL_WHOLE_WORD;
    struct trawl_pattern *patterns;
    const uint8_t ends[] = {made->plan->line_end, made->plan->line_end_also, '\r'};
    const uint32_t end_count = expressions_cross(made)                 ? 0
                               : (made->plan->flags & TRAWL_CRLF) != 0 ? 3
                                                                       : 2;
    bool holds_line_end = false;
    uint32_t distance = 0;
    enum trawl_status status;

    if (maker->fails || maker->string_count == 0) {
        anchors_free(made);
        return TRAWL_OK;
    }
    TRAWL_TRY(index_strings(maker, error));
    TRAWL_TRY(MEMORY_NEW(patterns, made->atom_count, error));
    for (uint64_t i = 0; i < made->atom_count; i++) {
        const struct split_string *string = &maker->strings[made->atom_first[i]].string;

        patterns[i] = (struct trawl_pattern){string->bytes, string->bytes_count};
        for (uint32_t end = 0; end < end_count; end++)
            holds_line_end |=
                plan_may_hold(string->bytes, string->bytes_count, maker->folds, ends[end]);
    }
    status = build_atoms(maker, patterns, error);
    if (maker->all_match && (made->plan->flags & conditions) == 0 && !maker->folds &&
        made->count == 1 && !made->has_beyond && !expressions_cross(made) && !holds_line_end &&
        made->atom_count <= SPLIT_STRINGS_MAX)
        distance = overlap(maker);
    made->has_near = distance == 0 && made->count == 1 && made->anchor_count == 1 &&
                     !made->has_beyond && maker->is_near && !expressions_end_beyond(made);
    made->are_spans = distance > 0;
    /* The plan of the strings ignores case in all of them or in none. So if only some ignore it, an
     * occurrence need not lie in a match; nor if it contains a line end, which no match does. */
    made->compares = maker->folds && maker->keeps;
    maker->all_sure &= !holds_line_end && !made->compares;
    for (uint64_t i = 0; (holds_line_end || made->compares) && i < made->anchor_count; i++) {
        made->anchors[i].is_sure = false;
        made->anchors[i].is_read &=
            !holds_line_end && !(made->anchors[i].keeps && made->anchors[i].folds);
    }
    made->atoms_are_exact =
        maker->all_sure && !maker->lacks && (made->plan->flags & conditions) == 0;
    made->has_no_heads = true;
    for (uint64_t i = 0; i < made->anchor_count; i++)
        made->has_no_heads &= made->anchors[i].begins;
    made->are_strings = distance == UINT32_MAX && made->atoms_are_exact;
    memory_release(patterns, made->atom_count, sizeof *patterns);
    return status;
}

enum trawl_status anchors_make_seen(const void *from, void **object, struct trawl_error *error)
{
    const struct expressions_seen *seen = (const struct expressions_seen *)from;
    enum trawl_status status;
    struct anchor_maker maker;
    struct expressions *made;

    TRAWL_TRY(MEMORY_NEW(made, 1, error));
    *made = *seen->expressions;
    memset(&made->atoms, 0, sizeof *made - offsetof(struct expressions, atoms));
    anchors_begin(&maker, made, seen->sample, seen->sample_bytes);
    maker.all_sure = !made->has_beyond;
    maker.weighs = true;
    status = anchors_add(&maker, 0, &made->items[0].tree.root, error);
    if (status == TRAWL_OK)
        status = anchors_end(&maker, error);
    anchors_release(&maker);
    if (status != TRAWL_OK)
        anchors_free_seen(made);
    else
        *object = made;
    return status;
}

void anchors_free_seen(void *object)
{
    struct expressions *made = (struct expressions *)object;

    anchors_free(made);
    trawl_plan_free(made->atoms);
    memory_release(made, 1, sizeof *made);
}
