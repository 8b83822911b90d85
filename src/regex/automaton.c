/* automaton: the plans with which devices search for expressions, and the host's automaton of all
 * expressions, which replaces RE2 where most lines are short or match (automaton.h). */
#include "regex/automaton.h"

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/determinize.h"

/* Reading all lines is faster than searching for several strings, if one of them is shorter than
 * this. */
#define STRING_BYTES_MIN 4u

/* A plan that searches for more expressions is left to the host: for each, a device reads the lines
 * once. */
#define FINDS_MAX 16u

struct line_form {
    struct trawl_plan *plan; /* the plan for devices; NULL: there is none */
    const char *why;         /* then */
    struct line_reader reader;
    uint32_t automaton_count;
};

/* What a form is made from. */
struct form_source {
    struct expressions_source source;
    bool finds;
};

static void form_release(void *object)
{
    struct line_form *form = (struct line_form *)object;

    trawl_plan_free(form->plan);
    for (uint32_t i = 0; i < form->automaton_count; i++)
        determinize_free(&form->reader.automata[i]);
    memory_release(form->reader.automata, form->automaton_count, sizeof *form->reader.automata);
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

/* Makes the form's automata. Sets form->why if one would be too large or cannot decide. */
static enum trawl_status make_automata(const struct expressions *made, bool finds,
                                       struct line_form *form, struct trawl_error *error)
{
    const enum determinize_as ends =
        made->options.longest ? DETERMINIZE_LONGEST : DETERMINIZE_ORDERED;
    struct line_reader *reader = &form->reader;
    const uint32_t count = finds ? 2 * made->count : 1;

    TRAWL_TRY(MEMORY_ZEROED(reader->automata, count, error));
    form->automaton_count = count;
    reader->finds = finds;
    reader->count = made->count;
    for (uint32_t i = 0; i < count && form->why == NULL; i++) {
        TRAWL_TRY(determinize(made, i / 2,
                              !finds       ? DETERMINIZE_ANY
                              : i % 2 == 0 ? ends
                                           : DETERMINIZE_BACKWARDS,
                              false, &reader->automata[i], error));
        /* without begins, non-empty matches can be counted; backwards, classes of many characters
         * need more states */
        if (!finds || i % 2 == 0 || reader->automata[i - 1].may_be_empty)
            form->why = reader->automata[i].fails;
        reader->may_be_empty |= finds && reader->automata[i].may_be_empty;
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
    void *sampled = NULL;

    TRAWL_TRY(MEMORY_ZEROED(form, 1, error));
    if (source->source.sample != NULL)
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
    TRAWL_TRY_DONE(make_automata(made, source->finds, form, error));
    if (form->why != NULL)
        goto done;
    form->reader.reads_all = reads_all(atoms);
    TRAWL_TRY_DONE(
        copy_atoms(form->reader.reads_all ? NULL : atoms, made->plan, &form->plan, error));
    form->reader.within = made->has_marked && !made->options.bytes;
    form->reader.crlf = (made->plan->flags & TRAWL_CRLF) != 0;
    form->plan->line_reader = &form->reader;
    form->plan->found = source->finds ? source->source.plan : NULL;
    form->plan->need_after = max_u64(form->plan->need_after, LINE_BYTES_MAX);
done:
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
    struct line_automaton *table;

    TRAWL_TRY(MEMORY_ZEROED(table, 1, error));
    if (!made->has_beyond && !expressions_cross(made))
        status = determinize(made, 0, DETERMINIZE_ANY, true, table, error);
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
