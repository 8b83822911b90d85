/* build: builds and frees a plan, the compiled form of patterns, and returns its properties. */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/unicode.h"
#include "plan/steps.h"

#define UTF8_BYTES_MAX 4u
#define EXPRESSION_FLAGS (TRAWL_CRLF | TRAWL_PCRE | TRAWL_MULTILINE | TRAWL_DOT_ALL)

static _Atomic uint64_t plans_built;

/* Checks the options about regular expressions, and whether the other options can be combined with
 * them. */
static enum trawl_status check_syntax(const struct trawl_plan_options *options,
                                      struct trawl_error *error)
{
    const bool is_set = options->syntax != TRAWL_LITERAL;

    if ((uint32_t)options->syntax > TRAWL_RIPGREP)
        return TRAWL_FAIL(error, ARGUMENT, "unknown syntax %d", (int)options->syntax);
    if (!is_set && ((options->flags & EXPRESSION_FLAGS) != 0 || options->expression_mib > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is for plans of expressions",
                          options->expression_mib > 0               ? "expression_mib"
                          : (options->flags & TRAWL_CRLF) != 0      ? "TRAWL_CRLF"
                          : (options->flags & TRAWL_PCRE) != 0      ? "TRAWL_PCRE"
                          : (options->flags & TRAWL_MULTILINE) != 0 ? "TRAWL_MULTILINE"
                                                                    : "TRAWL_DOT_ALL");
    if ((options->flags & TRAWL_MULTILINE) != 0 && (options->flags & TRAWL_WHOLE_LINE) != 0)
        return TRAWL_FAIL(error, ARGUMENT,
                          "TRAWL_WHOLE_LINE cannot be combined with TRAWL_MULTILINE: write ^...$");
    if (is_set && options->alphabet == TRAWL_BYTES && options->letters != NULL &&
        options->letters->variants != trawl_ascii()->variants &&
        (options->flags & (TRAWL_WHOLE_WORD | TRAWL_SINGLE_BYTE)) == TRAWL_WHOLE_WORD)
        return TRAWL_FAIL(error, ARGUMENT,
                          "whole words of UTF-8 need expressions of the alphabet CHARACTERS");
    if (is_set && (options->method != TRAWL_METHOD_AUTO || options->algorithm != NULL))
        return TRAWL_FAIL(error, ARGUMENT, "a plan of expressions takes no %s",
                          options->algorithm != NULL ? "algorithm" : "method");
    if (is_set &&
        ((options->flags & ERRORS_FLAGS & ~(uint32_t)TRAWL_ANY_BASE) != 0 ||
         options->mismatches_max > 0 || options->edits_max > 0 || options->exact_count > 0))
        return TRAWL_FAIL(
            error, ARGUMENT,
            "expressions take no errors (mismatches, edits), and no reverse complement");
    if (is_set && (options->flags & TRAWL_ANY_BASE) != 0 && options->alphabet != TRAWL_DNA)
        return TRAWL_FAIL(error, ARGUMENT, "TRAWL_ANY_BASE is set without alphabet DNA");
    return TRAWL_OK;
}

static enum trawl_status check_options(const struct trawl_plan_options *options,
                                       struct trawl_error *error)
{
    const uint32_t known = TRAWL_IGNORE_CASE | TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE |
                           TRAWL_SINGLE_BYTE | TRAWL_STRICT_WORD | TRAWL_WIDE | EXPRESSION_FLAGS |
                           ERRORS_FLAGS;
    const struct trawl_line_ends *ends = &options->line_ends;

    if ((options->flags & ~known) != 0)
        return TRAWL_FAIL(error, ARGUMENT, "unknown plan flags 0x%x", options->flags & ~known);
    if (options->sample == NULL && options->sample_bytes > 0)
        return TRAWL_FAIL(error, ARGUMENT, "sample is NULL but sample_bytes is %" PRIu64,
                          options->sample_bytes);
    if (options->letters != NULL &&
        (options->letters->variants == NULL || options->letters->is_word == NULL))
        return TRAWL_FAIL(error, ARGUMENT, "letters lacks a function");
    if ((options->flags & TRAWL_SINGLE_BYTE) != 0 && options->letters == NULL)
        return TRAWL_FAIL(error, ARGUMENT,
                          "single bytes are characters of letters, which are not given");
    if ((options->flags & TRAWL_WIDE) != 0 &&
        (options->flags != TRAWL_WIDE || options->letters == NULL || options->algorithm != NULL ||
         options->syntax != TRAWL_LITERAL || options->alphabet != TRAWL_BYTES ||
         options->mismatches_max > 0 || options->edits_max > 0))
        return TRAWL_FAIL(error, ARGUMENT,
                          "TRAWL_WIDE is for strings and letters, without other flags, errors, or "
                          "an algorithm");
    if (options->algorithm != NULL && options->method != TRAWL_METHOD_AUTO)
        return TRAWL_FAIL(error, ARGUMENT, "algorithm \"%.100s\" cannot be combined with a method",
                          options->algorithm);
    if (ends->count > 2 || (ends->count < 2 && ends->bytes[1] != 0) || ends->bytes[2] != 0 ||
        ends->bytes[3] != 0 || (ends->count == 0 && ends->bytes[0] != 0))
        return TRAWL_FAIL(error, ARGUMENT,
                          "line_ends: there may be up to 2 bytes, and the others are 0");
    return check_syntax(options, error);
}

static enum trawl_status copy_patterns(struct trawl_plan *plan,
                                       const struct trawl_pattern *patterns, uint64_t count,
                                       const uint64_t *ids, struct trawl_error *error)
{
    uint64_t total = 0;

    if (count > UINT32_MAX / 2)
        return TRAWL_FAIL(error, LIMIT, "%" PRIu64 " patterns exceed 2^31 - 1", count);
    TRAWL_TRY(MEMORY_NEW(plan->pattern_begin, count + 1, error));
    plan->pattern_count = count;
    memset(plan->pattern_begin, 0, (size_t)(count + 1) * sizeof *plan->pattern_begin);
    for (uint64_t i = 0; i < count; i++) {
        enum trawl_status status = TRAWL_OK;

        if (patterns[i].bytes_count == 0)
            status = TRAWL_FAIL(error, ARGUMENT, "pattern %" PRIu64 " is empty", i);
        else if (patterns[i].bytes == NULL)
            status = TRAWL_FAIL(error, ARGUMENT, "pattern %" PRIu64 " is NULL", i);
        else if (!checked_add(total, patterns[i].bytes_count, &total))
            status = TRAWL_FAIL(error, LIMIT, "the patterns' bytes exceed 2^64");
        if (status != TRAWL_OK) {
            if (error != NULL)
                error->pattern_index = i;
            return status;
        }
        plan->pattern_begin[i + 1] = total;
    }
    TRAWL_TRY(MEMORY_NEW(plan->pattern_bytes, total, error));
    for (uint64_t i = 0; i < count; i++)
        memcpy(plan->pattern_bytes + plan->pattern_begin[i], patterns[i].bytes,
               (size_t)patterns[i].bytes_count);
    if (ids == NULL || count == 0)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(plan->pattern_ids, count, error));
    memcpy(plan->pattern_ids, ids, (size_t)count * sizeof *ids);
    return TRAWL_OK;
}

/* Returns true if a pattern contains a non-ASCII letter that has another case. */
static bool has_letters_beyond(const struct trawl_plan *plan)
{
    const uint64_t count = plan->pattern_begin[plan->pattern_count];
    uint32_t letter, variants[TRAWL_UTF8_VARIANTS_MAX];

    for (uint64_t at = 0; at < count; at++)
        if (plan->pattern_bytes[at] >= 0x80 &&
            plan_utf8_decode(plan->pattern_bytes + at, count - at, &letter) > 0 &&
            unicode_apart()->variants(NULL, letter, variants) > 1)
            return true;
    return false;
}

/* Copies the letters by which the plan searches, if bytes are not enough. */
static void choose_letters(struct trawl_plan *plan, const struct trawl_plan_options *given)
{
    const bool expressions = given->syntax != TRAWL_LITERAL;
    const struct trawl_letters *letters = given->letters;

    if (letters != NULL && letters->variants == trawl_ascii()->variants &&
        !(expressions && plan->expressions.characters) && (plan->flags & TRAWL_WIDE) == 0)
        letters = NULL;
    else if (letters == NULL && !expressions && (plan->flags & TRAWL_IGNORE_CASE) != 0 &&
             plan->algorithm.name == NULL &&
             (!plan->errors.is_set || plan->errors.alphabet == TRAWL_CHARACTERS) &&
             has_letters_beyond(plan)) {
        letters = unicode_apart();
        plan->flags &= ~(uint32_t)TRAWL_STRICT_WORD; /* words are those of ASCII */
    }
    plan->utf8_is_set = letters != NULL;
    if (letters != NULL)
        plan->utf8 = *letters;
}

/* Makes each pattern a literal. If case is not ignored, the literals share the patterns' bytes. */
static enum trawl_status expand_plain(struct trawl_plan *plan, struct trawl_error *error)
{
    const uint64_t *begin = plan->pattern_begin;
    uint64_t total = begin[plan->pattern_count];

    TRAWL_ASSERT(plan->literal_bytes == NULL && plan->literals == NULL);
    plan->literal_bytes_total = plan->literal_bytes_capacity = total;
    plan->literal_bytes = plan->pattern_bytes;
    if ((plan->flags & TRAWL_IGNORE_CASE) != 0) {
        plan->literal_bytes = NULL;
        TRAWL_TRY(MEMORY_NEW(plan->literal_bytes, total, error));
        for (uint64_t i = 0; i < total; i++)
            plan->literal_bytes[i] = fold_byte(plan->pattern_bytes[i]);
    }
    plan->literal_count = (uint32_t)plan->pattern_count;
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        plan->length_min = min_u64(plan->length_min, begin[i + 1] - begin[i]);
        plan->length_max = max_u64(plan->length_max, begin[i + 1] - begin[i]);
    }
    return TRAWL_OK;
}

/* Makes each expression a literal that only stands for the expression: no engine searches for its
 * bytes. A search for expressions reads whole lines (or records, or texts), and so no bytes before
 * or after them. */
static enum trawl_status expand_none(struct trawl_plan *plan, struct trawl_error *error)
{
    (void)error;
    plan->literal_bytes = plan->pattern_bytes;
    plan->literal_count = (uint32_t)plan->pattern_count;
    plan->length_min = plan->length_max = 1;
    return TRAWL_OK;
}

/* Makes literals and tails from the patterns, and computes how many bytes before and after an
 * occurrence a search reads. */
static enum trawl_status expand_patterns(struct trawl_plan *plan, struct trawl_error *error)
{
    /* letters may have variants with other bytes, so that a pattern becomes several literals */
    const bool expressions = plan->kind == PLAN_KIND_EXPRESSIONS;
    bool varies =
        !expressions && plan->utf8_is_set && (plan->flags & (TRAWL_IGNORE_CASE | TRAWL_WIDE)) != 0;
    enum trawl_status (*expand)(struct trawl_plan * plan, struct trawl_error * error) =
        expressions           ? expand_none
        : plan->errors.is_set ? errors_expand
        : varies              ? expand_variants
                              : expand_plain;
    /* how many bytes before and after an occurrence the plan's conditions look at */
    uint64_t context = 0;

    plan->length_min = UINT64_MAX;
    TRAWL_TRY(expand(plan, error));
    if (plan->pattern_count == 0)
        plan->length_min = 0;
    TRAWL_ASSERT(plan->length_min <= plan->length_max);
    TRAWL_ASSERT(plan->literal_count >= plan->pattern_count);
    plan->holds_line_end =
        plan->errors.is_set ? (plan->flags & TRAWL_WITHIN_LINES) == 0
        : (plan->flags & TRAWL_WIDE) != 0 /* U+010A has such a byte */
            ? true
            : !expressions &&
                  plan_may_hold(plan->pattern_bytes, plan->pattern_begin[plan->pattern_count],
                                (plan->flags & TRAWL_IGNORE_CASE) != 0, plan->line_end);
    if ((plan_has_conditions(plan) && !expressions) || varies)
        context = plan->utf8_is_set ? UTF8_BYTES_MAX : 1;
    plan->need_before = context;
    plan->need_after = (plan->length_max > 0 ? plan->length_max - 1 : 0) + context;
    if (plan->errors.is_set)
        errors_need(plan);
    return TRAWL_OK;
}

/* Reads the name and options of an algorithm into *algorithm, but does not copy the name. */
static enum trawl_status read_algorithm(const char *asked, const struct plan_algorithms *algorithms,
                                        struct plan_algorithm *algorithm, struct trawl_error *error)
{
    if (algorithms == NULL)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "algorithm \"%.100s\": this build has no gallery, so no algorithms",
                          asked);
    algorithm->of = algorithms;
    return algorithms->read(asked, algorithm, error);
}

static enum trawl_status copy_asked(struct plan_algorithm *algorithm, const char *asked,
                                    struct trawl_error *error)
{
    uint64_t bytes = strlen(asked) + 1;

    TRAWL_TRY(MEMORY_NEW(algorithm->asked, bytes, error));
    memcpy(algorithm->asked, asked, (size_t)bytes);
    algorithm->asked_bytes = bytes;
    return TRAWL_OK;
}

enum trawl_status plan_build(const struct trawl_pattern *patterns, uint64_t pattern_count,
                             const struct trawl_plan_options *options,
                             const struct plan_algorithms *algorithms, struct trawl_plan **plan_out,
                             struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct trawl_plan_options given = TRAWL_PLAN_OPTIONS_INIT;
    struct plan_algorithm algorithm = {.name = NULL};
    struct trawl_plan *plan = NULL;
    struct trawl_letters letters = {.size = sizeof letters};
    bool with_errors; /* some option is about errors (approximate search) */
    void *memory;

    if (plan_out == NULL || (patterns == NULL && pattern_count > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", plan_out == NULL ? "plan" : "patterns");
    TRAWL_TRY(options_read(&given, sizeof given, options, sizeof given, "plan options", error));
    if (given.letters != NULL) {
        TRAWL_TRY(options_read(&letters, sizeof letters, given.letters, sizeof letters, "letters",
                               error));
        given.letters = &letters;
    }
    TRAWL_TRY(check_options(&given, error));
    with_errors = given.syntax == TRAWL_LITERAL &&
                  ((given.flags & ERRORS_FLAGS) != 0 || given.mismatches_max > 0 ||
                   given.edits_max > 0 || given.alphabet != TRAWL_BYTES || given.exact_count > 0);
    if (with_errors)
        TRAWL_TRY(errors_check(&given, error));
    if (given.algorithm != NULL)
        TRAWL_TRY(read_algorithm(given.algorithm, algorithms, &algorithm, error));
    TRAWL_TRY(MEMORY_ZEROED(plan, 1, error));
    TRAWL_TRY_DONE(memory_allocate(1, PLAN_ATTACHMENTS * sizeof *plan->attached, &memory, error));
    plan->attached = (struct attachment *)memory;
    for (uint32_t i = 0; i < PLAN_ATTACHMENTS; i++)
        plan->attached[i] = (struct attachment)ATTACHMENT_INIT;
    plan->serial = atomic_fetch_add(&plans_built, 1) + 1;
    plan->flags = given.flags;
    if ((plan->flags & TRAWL_WHOLE_LINE) != 0)
        plan->flags &= ~(uint32_t)TRAWL_WHOLE_WORD;
    plan->algorithm = algorithm;
    plan->expressions = (struct plan_expressions){given.syntax,
                                                  given.alphabet == TRAWL_CHARACTERS,
                                                  given.alphabet == TRAWL_DNA,
                                                  given.expression_mib,
                                                  given.poll,
                                                  given.poll_context};
    plan->line_end = given.line_ends.count > 0 ? given.line_ends.bytes[0] : '\n';
    plan->line_end_also = given.line_ends.count > 1 ? given.line_ends.bytes[1] : plan->line_end;
    if (plan->algorithm.name != NULL)
        TRAWL_TRY_DONE(copy_asked(&plan->algorithm, given.algorithm, error));
    if (with_errors)
        TRAWL_TRY_DONE(errors_read(plan, &given, error));
    plan->kind = plan->algorithm.name != NULL    ? PLAN_KIND_ALGORITHM
                 : plan->errors.is_set           ? PLAN_KIND_ERRORS
                 : given.syntax != TRAWL_LITERAL ? PLAN_KIND_EXPRESSIONS
                                                 : PLAN_KIND_STRINGS;
    TRAWL_TRY_DONE(copy_patterns(plan, patterns, pattern_count, given.pattern_ids, error));
    choose_letters(plan, &given);
    TRAWL_TRY_DONE(expand_patterns(plan, error));
    if (plan->algorithm.name != NULL)
        TRAWL_TRY_DONE(plan->algorithm.of->check(plan, error));
    else if (!plan_judges(plan))
        TRAWL_TRY_DONE(choose_method(plan, &given, error));
    if (plan->method == TRAWL_METHOD_SET)
        build_set(plan);
    *plan_out = plan;
    plan = NULL;
done:
    trawl_plan_free(plan);
    return status;
}

struct trawl_plan_options plan_options(const struct trawl_plan *plan)
{
    return (struct trawl_plan_options){.size = sizeof(struct trawl_plan_options),
                                       .flags = plan->flags,
                                       .syntax = plan->expressions.syntax,
                                       .line_ends = {2, {plan->line_end, plan->line_end_also}},
                                       .alphabet = plan->expressions.characters ? TRAWL_CHARACTERS
                                                   : plan->expressions.dna      ? TRAWL_DNA
                                                                                : TRAWL_BYTES,
                                       .letters = plan->utf8_is_set ? &plan->utf8
                                                  : plan->kind == PLAN_KIND_EXPRESSIONS
                                                      ? NULL
                                                      : trawl_ascii()};
}

enum trawl_status plan_build_some(const struct trawl_plan *plan, const uint32_t *indices,
                                  uint64_t count, enum trawl_method method,
                                  struct trawl_plan **some, struct trawl_error *error)
{
    struct trawl_plan_options options = plan_options(plan);
    struct trawl_pattern *patterns;
    enum trawl_status status;

    options.method = method;
    TRAWL_TRY(MEMORY_NEW(patterns, count, error));
    for (uint64_t i = 0; i < count; i++)
        patterns[i] = plan_pattern(plan, indices != NULL ? indices[i] : i);
    status = plan_build(patterns, count, &options, NULL, some, error);
    memory_release(patterns, count, sizeof *patterns);
    return status;
}

void trawl_plan_free(struct trawl_plan *plan)
{
    const uint8_t *pattern_bytes;

    if (plan == NULL)
        return;
    pattern_bytes = plan->pattern_bytes; /* the literals may share them: do not free them twice */
    memory_release(plan->algorithm.asked, plan->algorithm.asked_bytes, 1);
    memory_release(plan->pattern_bytes,
                   plan->pattern_begin == NULL ? 0 : plan->pattern_begin[plan->pattern_count], 1);
    memory_release(plan->pattern_begin, plan->pattern_count + 1, sizeof *plan->pattern_begin);
    memory_release(plan->pattern_ids, plan->pattern_count, sizeof *plan->pattern_ids);
    memory_release(plan->errors.exact, plan->errors.exact_count, sizeof *plan->errors.exact);
    memory_release(plan->literals, plan->literal_capacity, sizeof *plan->literals);
    if (plan->literal_bytes != pattern_bytes)
        memory_release(plan->literal_bytes, plan->literal_bytes_capacity, 1);
    memory_release(plan->elements, plan->element_capacity, sizeof *plan->elements);
    for (uint32_t i = 0; i < PLAN_ATTACHMENTS && plan->attached != NULL; i++)
        if (plan->attached[i].object != NULL)
            plan->attached[i].release(plan->attached[i].object);
    memory_release(plan->attached, 1, PLAN_ATTACHMENTS * sizeof *plan->attached);
    memory_release(plan, 1, sizeof *plan);
}

uint32_t plan_engines(const struct trawl_plan *plan)
{
    return plan->algorithm.name != NULL ? plan->algorithm.engines
                                        : 1u << TRAWL_ENGINE_CPU | 1u << TRAWL_ENGINE_CUDA;
}

void plan_describe(const struct trawl_plan *plan, struct trawl_plan_told *told)
{
    told->pattern_count = plan->pattern_count;
    told->flags = plan->flags;
    told->engines = plan_engines(plan);
    told->syntax = plan->expressions.syntax;
    told->line_end = plan->line_end;
    told->pcre = plan->pcre;
    if (plan->errors.is_set) {
        told->has_errors = 1;
        told->mismatches_max = plan->errors.edits ? 0 : plan->errors.max;
        told->edits_max = plan->errors.edits ? plan->errors.max : 0;
        told->alphabet = plan->errors.alphabet;
    }
    told->pattern_id = told->pattern_index;
    if (told->pattern_index < plan->pattern_count) {
        told->pattern = plan_pattern(plan, told->pattern_index);
        if (plan->pattern_ids != NULL)
            told->pattern_id = plan->pattern_ids[told->pattern_index];
    }
}

struct trawl_pattern plan_pattern(const struct trawl_plan *plan, uint64_t index)
{
    uint64_t begin = plan->pattern_begin[index];

    TRAWL_ASSERT(index < plan->pattern_count);
    return (struct trawl_pattern){plan->pattern_bytes + begin,
                                  plan->pattern_begin[index + 1] - begin};
}
