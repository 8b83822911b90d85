/* engines: the only file of src/runtime that names the engines, and the gallery's algorithms, if it
 * was built. */
#include "runtime/engines.h"

#include "approximate/engine_approximate.h"
#include "base/options.h"
#include "cuda/engine_cuda.h"
#include "plan/plan.h"
#include "regex/automaton.h"
#include "regex/cut.h"
#include "regex/engine_regex.h"
#include "regex/judge.h"

#if TRAWL_GALLERY
#include "gallery/engine_gallery.h"
#include "gallery/trawl_gallery.h"
#define GALLERY_OPS &engine_gallery
#define GALLERY_ALGORITHMS &gallery_algorithms
#else
#define GALLERY_OPS NULL
#define GALLERY_ALGORITHMS NULL
#endif

#ifdef TRAWL_NO_APPROXIMATE
#define APPROXIMATE_OPS NULL
#else
#define APPROXIMATE_OPS &engine_approximate
#endif

#ifdef TRAWL_NO_DEVICES
static enum trawl_status open_none(const struct engine_options *options, struct engine **engine,
                                   struct trawl_error *error)
{
    (void)options;
    (void)engine;
    return TRAWL_FAIL(error, ENGINE, "this build has no code for GPUs");
}

const struct engine_ops engine_cuda = {.open = open_none};
#endif

const struct engine_ops *const engine_for_host = &engine_cpu;
const struct engine_ops *const engine_for_devices = &engine_cuda;
const struct kind_facts engine_kinds[PLAN_KINDS] = {
    [PLAN_KIND_STRINGS] = {.ops = {&engine_cpu, &engine_cuda}, .name = "a plan of strings"},
    [PLAN_KIND_ALGORITHM] = {.ops = {GALLERY_OPS, GALLERY_OPS},
                             .name = "a published algorithm",
                             .no_streams = "a published algorithm does not search streams",
                             .is_apart = true},
    [PLAN_KIND_ERRORS] = {.ops = {APPROXIMATE_OPS, APPROXIMATE_OPS},
                          .name = "a plan with errors",
                          .no_streams =
                              "a stream cannot be searched within errors: bytes to come may "
                              "make a match better",
                          .judges = true},
    [PLAN_KIND_EXPRESSIONS] = {.ops = {&engine_regex, &engine_regex},
                               .name = "a plan of expressions",
                               .by_lines = true,
                               .judges = true}};

static const struct plan_algorithms *const algorithms = GALLERY_ALGORITHMS;

/* Here and not in src/plan, because src/plan may call neither the gallery nor src/regex. */
enum trawl_status trawl_plan_build(const struct trawl_pattern *patterns, uint64_t pattern_count,
                                   const struct trawl_plan_options *options,
                                   struct trawl_plan **plan, struct trawl_error *error)
{
    struct trawl_plan *built = NULL;
    const struct kind_facts *kind;
    bool stays_within = false;
    enum trawl_status status = TRAWL_OK;

    TRAWL_TRY(plan_build(patterns, pattern_count, options, algorithms, plan == NULL ? NULL : &built,
                         error));
    kind = kind_of(built);
    if (kind->ops[0] == NULL)
        status = TRAWL_FAIL(error, ENGINE, "this build does not search within k errors");
    else if (kind->by_lines)
        status = regex_prepare(built, &stays_within, &built->pcre, error);
    if (status == TRAWL_OK && stays_within) {
        struct attachment *made = &built->attached[PLAN_EXPRESSIONS];

        made->release(made->object);
        made->object = NULL;
        built->flags &= ~(uint32_t)TRAWL_MULTILINE;
        status = regex_prepare(built, &stays_within, &built->pcre, error);
    }
    built->expressions.poll = NULL;
    if (status == TRAWL_OK)
        *plan = built;
    else
        trawl_plan_free(built);
    return status;
}

static enum trawl_status check_expression(const struct trawl_plan *plan, uint64_t pattern_index,
                                          struct trawl_error *error)
{
    if (!kind_of(plan)->by_lines || pattern_index >= plan->pattern_count)
        return TRAWL_FAIL(error, ARGUMENT, "the plan has no such expression");
    return TRAWL_OK;
}

enum trawl_status engines_cut(const struct trawl_plan *plan, const uint8_t *line, uint64_t count,
                              const struct engine_call *call, uint64_t *cut,
                              struct trawl_error *error)
{
    return regex_cut(plan, line, count, call, cut, error);
}

enum trawl_status engines_undecided(uint64_t at, uint64_t count, struct trawl_error *error)
{
    return judge_undecided(at, count, error);
}

const struct trawl_plan *engines_page_plan(const struct trawl_plan *plan)
{
    if (plan->kind == PLAN_KIND_EXPRESSIONS || plan->line_reader != NULL)
        return regex_strings(plan);
    return plan->kind == PLAN_KIND_STRINGS && plan->literal_count > 0 ? plan : NULL;
}

enum trawl_status engines_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                    uint64_t sample_bytes, bool finds,
                                    const struct trawl_plan **lines, const char **why,
                                    struct trawl_error *error)
{
    return regex_line_plan(plan, sample, sample_bytes, finds, lines, why, error);
}

enum trawl_status engines_line_open(const struct trawl_plan *plan, uint64_t pattern_index,
                                    const void *line, uint64_t line_bytes,
                                    const struct engine_call *call, struct trawl_line **out,
                                    struct trawl_error *error)
{
    TRAWL_TRY(check_expression(plan, pattern_index, error));
    if (out == NULL || (line == NULL && line_bytes > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", out == NULL ? "out" : "line");
    return regex_line_open(plan, pattern_index, line, line_bytes, call, out, error);
}

enum trawl_status engines_match_empty(const struct trawl_plan *plan, uint64_t pattern_index,
                                      bool *matches, struct trawl_error *error)
{
    struct trawl_range whole = {0, 0};
    struct trawl_line *line = NULL;
    enum trawl_status status;

    TRAWL_TRY(engines_line_open(plan, pattern_index, "", 0, NULL, &line, error));
    status = trawl_line_groups(line, whole, &whole, 1, error);
    trawl_line_close(line);
    *matches = whole.begin == 0;
    return status;
}

enum trawl_status trawl_plan_tell(const struct trawl_plan *plan, struct trawl_plan_told *given,
                                  struct trawl_error *error)
{
    struct trawl_plan_told told = {.group = UINT64_MAX};

    if (plan == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "plan is NULL");
    TRAWL_TRY(options_check(given, sizeof told, "told", error));
    told.pattern_index = given->pattern_index;
    told.group_name = given->group_name;
    told.group_name_bytes = given->group_name_bytes;
    plan_describe(plan, &told);
    if (check_expression(plan, told.pattern_index, NULL) == TRAWL_OK) {
        told.group_count = regex_group(plan, told.pattern_index, NULL, 0);
        if (told.group_name != NULL && told.group_name_bytes > 0)
            told.group =
                regex_group(plan, told.pattern_index, told.group_name, told.group_name_bytes);
    }
    return options_report(given, &told, sizeof told, "told", error);
}

enum trawl_status trawl_plan_explain(const struct trawl_plan *plan, char *buffer,
                                     uint64_t buffer_bytes, uint64_t *needed_bytes,
                                     struct trawl_error *error)
{
    const struct engine_ops *ops = kind_of(plan)->ops[0];
    char lines[PLAN_LINES_BYTES] = "";

    if (plan == NULL || needed_bytes == NULL || (buffer == NULL && buffer_bytes > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          plan == NULL           ? "plan"
                          : needed_bytes == NULL ? "needed_bytes"
                                                 : "buffer");
    if (ops->explain != NULL)
        TRAWL_TRY(ops->explain(plan, lines, sizeof lines, error));
    return plan_explain(plan, lines, buffer, buffer_bytes, needed_bytes, error);
}

#if TRAWL_GALLERY
const char *trawl_algorithm(uint32_t index, const char **summary, uint32_t *engines)
{
    const char *line = NULL, *name;
    uint32_t bits = 0;

    name = algorithms->list(index, &line, &bits);
    if (name != NULL && summary != NULL)
        *summary = line;
    if (name != NULL && engines != NULL)
        *engines = bits;
    return name;
}
#endif
