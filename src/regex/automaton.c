/* automaton: the plans with which devices search for expressions, and the host's automaton of all
 * expressions, which replaces RE2 where most lines are short or match (automaton.h). */
#include "regex/automaton.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/determinize.h"
#include "regex/onepass.h"

/* Reading all lines is faster than searching for several strings, if one of them is shorter than
 * this. */
#define STRING_BYTES_MIN 4u

#define ANCHOR_WORDS_MAX (32u << 20) /* of all tables of a plan's anchors */

#define EDGES (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)

/* For more expressions, no strings are chosen anew that are rare in the text: all would have to be
 * compiled again. */
#define SAMPLED_MAX 16u

/* A plan that searches for more expressions is left to the host: for each, a device reads the lines
 * once. */
#define FINDS_MAX 16u

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
    reader->automaton_count = 0;
}

static void form_release(void *object)
{
    struct line_form *form = (struct line_form *)object;
    struct line_reader *reader = &form->reader;

    trawl_plan_free(form->plan);
    release_automata(reader);
    if (reader->first != NULL)
        memory_release(reader->anchors, reader->first[reader->string_count], sizeof(uint32_t));
    memory_release(reader->first, reader->string_count + 1, sizeof(uint32_t));
    onepass_free(&reader->groups);
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
    reader->finds = finds;
    reader->count = made->count;
    for (uint32_t i = 0; i < count && form->why == NULL; i++) {
        TRAWL_TRY(determinize(made, finds ? i / 2 : DETERMINIZE_ALL,
                              !finds       ? DETERMINIZE_ANY
                              : i % 2 == 0 ? ends
                                           : DETERMINIZE_BACKWARDS,
                              false, maker, &reader->automata[i], error));
        /* without begins, non-empty matches can be counted; backwards, classes of many characters
         * need more states */
        if (!finds || i % 2 == 0 || reader->automata[i - 1].may_be_empty)
            form->why = reader->automata[i].fails;
        reader->may_be_empty |= finds && reader->automata[i].may_be_empty;
    }
    return TRAWL_OK;
}

/* Makes the automata of the anchors. Each reads only as far as its own expression goes on, so there
 * are as many small tables as expressions, where an automaton of all of them would be too large. */
static enum trawl_status make_anchors(const struct expressions *made, struct determinizer **maker,
                                      struct line_form *form, struct trawl_error *error)
{
    struct line_reader *reader = &form->reader;
    const uint64_t count = made->atom_first[made->atom_count];
    uint64_t words = 0;

    TRAWL_TRY(MEMORY_ZEROED(reader->automata, 2 * made->anchor_count, error));
    reader->automaton_count = 2 * (uint32_t)made->anchor_count;
    TRAWL_TRY(MEMORY_NEW(reader->anchors, count, error));
    if (MEMORY_NEW(reader->first, made->atom_count + 1, error) != TRAWL_OK) {
        memory_release(reader->anchors, count, sizeof(uint32_t));
        reader->anchors = NULL;
        return TRAWL_MEMORY;
    }
    reader->string_count = (uint32_t)made->atom_count;
    memcpy(reader->first, made->atom_first, (made->atom_count + 1) * sizeof(uint32_t));
    memcpy(reader->anchors, made->atom_anchors, count * sizeof(uint32_t));
    for (uint32_t i = 0; i < made->anchor_count && form->why == NULL; i++) {
        struct line_automaton *before = &reader->automata[2 * i], *after = before + 1;

        if (made->anchors[i].is_sure && (made->plan->flags & EDGES) == 0)
            continue;
        TRAWL_TRY(determinize(made, i, DETERMINIZE_BEFORE, false, maker, before, error));
        if (before->fails == NULL)
            TRAWL_TRY(determinize(made, i, DETERMINIZE_AFTER, false, maker, after, error));
        else
            TRAWL_TRY(determinize(made, made->anchors[i].expression, DETERMINIZE_ANY, false, maker,
                                  after, error));
        form->why = after->fails;
        words += before->columns * before->state_count + after->columns * after->state_count;
        if (words > ANCHOR_WORDS_MAX)
            form->why = "their automata would be too large";
    }
    return TRAWL_OK;
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

/* Returns true if a device should read all lines instead of searching for these strings. */
static bool reads_all(const struct trawl_plan *atoms)
{
    return atoms == NULL || (atoms->literal_count > 1 && atoms->length_min < STRING_BYTES_MIN);
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
    if (source->finds || made->count == 1 || form->reader.reads_all)
        TRAWL_TRY_DONE(make_automata(made, source->finds, &maker, form, error));
    if (form->reader.automata == NULL || (form->why != NULL && !source->finds && atoms != NULL)) {
        release_automata(&form->reader);
        form->why = NULL;
        form->reader.reads_all = false;
        TRAWL_TRY_DONE(make_anchors(made, &maker, form, error));
    }
    if (form->why != NULL)
        goto done;
    if (source->finds && made->count == 1)
        TRAWL_TRY_DONE(onepass_make(made, &form->reader.groups, error));
    TRAWL_TRY_DONE(
        copy_atoms(form->reader.reads_all ? NULL : atoms, made->plan, &form->plan, error));
    form->reader.within = made->has_marked && !made->options.bytes;
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

static void table_release(void *object)
{
    struct line_automaton *table = (struct line_automaton *)object;

    determinize_free(table);
    memory_release(table, 1, sizeof *table);
}

static enum trawl_status table_make(const void *from, void **object, struct trawl_error *error)
{
    const struct expressions *made = (const struct expressions *)from;
    enum trawl_status status = TRAWL_OK;
    struct determinizer *maker = NULL;
    struct line_automaton *table;

    TRAWL_TRY(MEMORY_ZEROED(table, 1, error));
    if (!made->has_beyond && !expressions_cross(made))
        status = determinize(made, DETERMINIZE_ALL, DETERMINIZE_ANY, true, &maker, table, error);
    determinizer_free(maker);
    if (status != TRAWL_OK)
        table_release(table);
    else
        *object = table;
    return status;
}

enum trawl_status regex_line_table(const struct expressions *made,
                                   const struct line_automaton **table, struct trawl_error *error)
{
    const void *object;

    TRAWL_TRY(attachment_want(&made->plan->attached[PLAN_LINE_TABLE], made, table_make,
                              table_release, &object, error));
    *table = (const struct line_automaton *)object;
    if ((*table)->next == NULL)
        *table = NULL;
    return TRAWL_OK;
}
