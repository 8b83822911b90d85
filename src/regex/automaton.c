/* automaton: the plans with which devices search for expressions (automaton.h). */
#include "regex/automaton.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/determinize.h"
#include "regex/onepass.h"
#include "regex/prices.def"

/* Reading all lines is faster than searching for several strings, if one of them is shorter than
 * this. */
#define STRING_BYTES_MIN 4u

#define ANCHOR_WORDS_MAX (32u << 20) /* of all tables of a plan's anchors */

#define GROUPS_MAX 256u
#define GROUP_WORDS_MAX 12288u /* READ_WORDS of the kernels */
#define EDGES (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)

struct line_form {
    struct trawl_plan *plan; /* the plan for devices; NULL: there is none */
    const char *why;         /* then */
    struct line_reader reader;
};

/* What a form is made from. */
struct form_source {
    struct expressions_source source;
    bool finds;
};

static void release_automata(struct line_reader *reader)
{
    for (uint32_t i = 0; i < reader->automaton_count; i++)
        determinize_free(&reader->automata[i]);
    memory_release(reader->automata, reader->automaton_count, sizeof *reader->automata);
    reader->automata = NULL;
    reader->automaton_count = reader->read_count = 0;
}

static void form_release(void *object)
{
    struct line_form *form = (struct line_form *)object;
    struct line_reader *reader = &form->reader;

    trawl_plan_free(form->plan);
    release_automata(reader);
    for (uint32_t i = 0; i < 2 * reader->anchor_count; i++)
        determinize_free(&reader->around[i]);
    memory_release(reader->around, 2 * (uint64_t)reader->anchor_count, sizeof *reader->around);
    memory_release(reader->anchors, reader->anchor_room, sizeof(uint32_t));
    memory_release(reader->first, reader->string_room + UINT64_C(1), sizeof(uint32_t));
    onepass_free(reader->groups, reader->group_count);
    memory_release(form, 1, sizeof *form);
}

/* Returns why automata cannot decide about lines or, if `finds`, find matches; NULL: perhaps they
 * can. */
static const char *reason(const struct expressions *made, bool finds)
{
    if (made->has_beyond || made->crosses || (made->plan->flags & TRAWL_MULTILINE) != 0)
        return made->has_beyond ? "PCRE2 has to decide" : "a match may cross lines";
    return finds && made->count > FINDS_MAX ? "there are more than 16 expressions" : NULL;
}

/* Makes the automata that find matches, or the one that decides about lines. Sets form->why if one
 * would be too large or cannot decide. */
static enum trawl_status make_automata(const struct expressions *made, bool finds,
                                       struct determinizer **maker, struct line_form *form,
                                       struct trawl_error *error)
{
    const enum determinize_as ends =
        made->options.longest ? DETERMINIZE_LONGEST : DETERMINIZE_ORDERED;
    struct line_reader *reader = &form->reader;
    const uint32_t count = finds ? 2 * made->count : 1;

    TRAWL_TRY(MEMORY_ZEROED(reader->automata, count, error));
    reader->automaton_count = count;
    reader->read_count = finds ? 0 : 1;
    reader->finds = finds;
    reader->count = made->count;
    for (uint32_t i = 0; i < count && form->why == NULL; i++) {
        const uint32_t expression = i / 2;
        const struct determinize_of each = {
            .as = i % 2 == 0 ? ends : DETERMINIZE_BACKWARDS, .items = &expression, .count = 1};
        const struct determinize_of all = {.as = DETERMINIZE_ANY, .count = made->count};

        TRAWL_TRY(determinize(made, finds ? &each : &all, maker, &reader->automata[i], error));
        /* without begins, non-empty matches can be counted; backwards, classes of many characters
         * need more states */
        if (!finds || i % 2 == 0 || reader->automata[i - 1].may_be_empty)
            form->why = reader->automata[i].fails;
        reader->may_be_empty |= finds && reader->automata[i].may_be_empty;
    }
    return TRAWL_OK;
}

/* Appends an automaton of the expressions `items` that reads all lines. */
static enum trawl_status add_group(const struct expressions *made, const uint32_t *items,
                                   uint32_t count, uint32_t words_max, struct determinizer **maker,
                                   struct line_form *form, struct trawl_error *error)
{
    struct line_reader *reader = &form->reader;
    const struct determinize_of of = {
        .as = DETERMINIZE_ANY, .items = items, .count = count, .words_max = words_max};
    struct line_automaton *automaton = &reader->automata[reader->read_count];

    memset(automaton, 0, sizeof *automaton);
    TRAWL_TRY(determinize(made, &of, maker, automaton, error));
    form->why = automaton->fails;
    reader->read_count += form->why == NULL;
    return TRAWL_OK;
}

/* Divides the expressions `items` into groups, each of which has an automaton whose table fits into
 * a block's shared memory, or is a single expression. */
static enum trawl_status make_groups(const struct expressions *made, const uint32_t *items,
                                     uint32_t count, struct determinizer **maker,
                                     struct line_form *form, struct trawl_error *error)
{
    uint32_t size = GROUP_FIRST;

    TRAWL_TRY(MEMORY_ZEROED(form->reader.automata, GROUPS_MAX, error));
    form->reader.automaton_count = GROUPS_MAX;
    for (uint32_t at = 0; at < count && (form->why == NULL || size > 0);) {
        const uint32_t some = size < count - at ? size : count - at;

        if (form->reader.read_count == GROUPS_MAX) {
            form->why = "too many of them have no string";
            break;
        }
        TRAWL_TRY(
            add_group(made, items + at, some, some > 1 ? GROUP_WORDS_MAX : 0, maker, form, error));
        if (form->why == NULL) {
            at += some;
            size = some + some / 4 + 1;
        } else {
            size = some / 2;
        }
    }
    return TRAWL_OK;
}

/* Makes the automata of the anchors of expressions for which `without` is not set. Each reads only
 * as far as its own expression goes on, so there are as many small tables as expressions, where an
 * automaton of all of them would be too large. */
static enum trawl_status make_anchors(const struct expressions *made, const bool *without,
                                      struct determinizer **maker, struct line_form *form,
                                      struct trawl_error *error)
{
    struct line_reader *reader = &form->reader;
    uint64_t words = 0;

    TRAWL_TRY(MEMORY_ZEROED(reader->around, 2 * made->anchor_count, error));
    reader->anchor_count = (uint32_t)made->anchor_count;
    for (uint32_t i = 0; i < made->anchor_count && form->why == NULL; i++) {
        struct line_automaton *before = &reader->around[2 * i], *after = before + 1;
        const uint32_t expression = made->anchors[i].expression;
        struct determinize_of of = {.as = DETERMINIZE_BEFORE, .items = &i, .count = 1};

        if ((made->anchors[i].is_sure && (made->plan->flags & EDGES) == 0) || without[expression])
            continue;
        TRAWL_TRY(determinize(made, &of, maker, before, error));
        of.as = DETERMINIZE_AFTER;
        if (before->fails != NULL)
            of = (struct determinize_of){.as = DETERMINIZE_ANY, .items = &expression, .count = 1};
        TRAWL_TRY(determinize(made, &of, maker, after, error));
        form->why = after->fails;
        words += before->columns * before->state_count + after->columns * after->state_count;
        if (words > ANCHOR_WORDS_MAX)
            form->why = "their automata would be too large";
    }
    return TRAWL_OK;
}

/* Lists the anchors of the strings of expressions for which `without` is not set, and builds the
 * plan of these strings. */
static enum trawl_status list_anchors(const struct expressions *made, const bool *without,
                                      struct line_form *form, struct trawl_error *error)
{
    struct line_reader *reader = &form->reader;
    enum trawl_status status = TRAWL_OK;
    uint32_t *strings = NULL;

    reader->anchor_room = made->atom_first[made->atom_count];
    reader->string_room = (uint32_t)made->atom_count;
    TRAWL_TRY(MEMORY_NEW(strings, made->atom_count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(reader->anchors, reader->anchor_room, error));
    TRAWL_TRY_DONE(MEMORY_ZEROED(reader->first, made->atom_count + 1, error));
    for (uint32_t i = 0; i < made->atom_count; i++) {
        uint32_t to = reader->first[reader->string_count];

        for (uint32_t k = made->atom_first[i]; k < made->atom_first[i + 1]; k++)
            if (!without[made->anchors[made->atom_anchors[k]].expression])
                reader->anchors[to++] = made->atom_anchors[k];
        if (to == reader->first[reader->string_count])
            continue;
        strings[reader->string_count++] = i;
        reader->first[reader->string_count] = to;
    }
    status = plan_build_some(made->atoms, strings, reader->string_count, TRAWL_METHOD_AUTO,
                             &form->plan, error);
done:
    memory_release(strings, made->atom_count, sizeof *strings);
    return status;
}

/* Returns true if a device should read all lines instead of searching for these strings. */
static bool reads_all(const struct trawl_plan *atoms)
{
    return atoms == NULL || (atoms->literal_count > 1 && atoms->length_min < STRING_BYTES_MIN);
}

/* Sets without[i] for each expression without strings, and returns how many there are. If all have
 * strings, of which some are short, few expressions are read as if they had none. */
static uint32_t find_without(const struct expressions *made, bool *without)
{
    uint32_t lacking = 0;

    for (uint32_t i = 0; i < made->count; i++) {
        without[i] = made->atoms == NULL || !made->items[i].has_atoms;
        lacking += without[i];
    }
    if (lacking == 0 && made->count <= GROUP_FIRST && reads_all(made->atoms))
        memset(without, true, made->count * sizeof *without);
    return lacking;
}

/* Makes groups of the expressions that find_without marks, and anchors of the others. */
static enum trawl_status make_rules(const struct expressions *made, struct determinizer **maker,
                                    struct line_form *form, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    uint32_t *items = NULL, count = 0, lacking;
    bool *without = NULL;

    TRAWL_TRY(MEMORY_ZEROED(without, made->count, error));
    TRAWL_TRY_DONE(MEMORY_ZEROED(items, made->count, error));
    lacking = find_without(made, without);
    for (uint32_t i = 0; i < made->count; i++)
        if (without[i])
            items[count++] = i;
    if (count > 0)
        TRAWL_TRY_DONE(make_groups(made, items, count, maker, form, error));
    if (form->why != NULL && lacking == 0) { /* after all, search for short strings */
        release_automata(&form->reader);
        form->why = NULL;
        memset(without, 0, made->count * sizeof *without);
        count = 0;
    }
    form->reader.reads_all = count == made->count;
    if (form->why == NULL && !form->reader.reads_all)
        TRAWL_TRY_DONE(make_anchors(made, without, maker, form, error));
    if (form->why == NULL && !form->reader.reads_all)
        TRAWL_TRY_DONE(list_anchors(made, without, form, error));
done:
    memory_release(without, made->count, sizeof *without);
    memory_release(items, made->count, sizeof *items);
    return status;
}

/* Builds the plan of the strings once more, because `atoms` itself must not have an automaton.
 * Without strings, builds a plan that searches for line ends: there is one for each line. */
static enum trawl_status copy_atoms(const struct trawl_plan *atoms, const struct trawl_plan *of,
                                    struct trawl_plan **plan, struct trawl_error *error)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    const struct trawl_pattern line_end = {&of->line_end, 1};

    options.line_ends = plan_options(of).line_ends;
    return atoms == NULL
               ? plan_build(&line_end, 1, &options, NULL, plan, error)
               : plan_build_some(atoms, NULL, atoms->pattern_count, TRAWL_METHOD_AUTO, plan, error);
}

static enum trawl_status form_make(const void *from, void **object, struct trawl_error *error)
{
    const struct form_source *source = (const struct form_source *)from;
    enum trawl_status status = TRAWL_OK;
    const struct trawl_plan *atoms; /* NULL: some expression has none */
    const struct expressions *made;
    struct line_form *form;
    struct determinizer *maker = NULL;
    void *sampled = NULL;

    TRAWL_TRY(MEMORY_ZEROED(form, 1, error));
    if (source->source.sample != NULL && source->source.plan->pattern_count <= SAMPLED_MAX)
        TRAWL_TRY_DONE(expressions_make(&source->source, &sampled, error));
    made = (const struct expressions *)sampled;
    if (made == NULL)
        TRAWL_TRY_DONE(expressions_want(source->source.plan, &made, error));
    atoms = made->rest == NULL ? made->atoms : NULL;
    form->why = reason(made, source->finds);
    if (form->why != NULL)
        goto done;
    if (atoms != NULL && made->atoms_are_exact && !source->finds) {
        TRAWL_TRY_DONE(copy_atoms(atoms, made->plan, &form->plan, error));
        goto done;
    }
    form->reader.reads_all = reads_all(atoms);
    if (source->finds || made->count == 1)
        TRAWL_TRY_DONE(make_automata(made, source->finds, &maker, form, error));
    if (!source->finds && (made->count > 1 || (form->why != NULL && atoms != NULL))) {
        release_automata(&form->reader);
        form->why = NULL;
        TRAWL_TRY_DONE(make_rules(made, &maker, form, error));
    }
    if (form->why != NULL)
        goto done;
    if (source->finds && made->count == 1)
        TRAWL_TRY_DONE(onepass_make(made, &form->reader.groups, &form->reader.group_count, error));
    if (form->plan == NULL)
        TRAWL_TRY_DONE(
            copy_atoms(form->reader.reads_all ? NULL : atoms, made->plan, &form->plan, error));
    form->reader.within = made->has_words && !made->options.bytes;
    form->reader.crlf = (made->plan->flags & TRAWL_CRLF) != 0;
    form->plan->line_reader = &form->reader;
    form->plan->found = source->finds ? source->source.plan : NULL;
    form->plan->need_after = max_u64(form->plan->need_after, LINE_BYTES_MAX);
done:
    determinizer_free(maker);
    expressions_free(sampled);
    if (status != TRAWL_OK)
        form_release(form);
    else
        *object = form;
    return status;
}

enum trawl_status regex_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                  uint64_t sample_bytes, bool finds,
                                  const struct trawl_plan **lines, const char **why,
                                  struct trawl_error *error)
{
    const struct form_source source = {{plan, sample, sample_bytes}, finds};
    const void *object;

    TRAWL_TRY(attachment_want(&plan->attached[finds ? PLAN_FINDS : PLAN_LINES], &source, form_make,
                              form_release, &object, error));
    *lines = ((const struct line_form *)object)->plan;
    *why = ((const struct line_form *)object)->why;
    return TRAWL_OK;
}
