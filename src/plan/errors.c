/* errors: the part of a plan that is about approximate search (mismatches or edits). Checks the
 * options, makes the literals, and computes how much text around occurrences a search reads.
 *
 * docs/approximate.md defines what is found; the search itself is in src/approximate.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/steps.h"
#include "plan/dna.h"

#define SYMBOLS_MAX 65535u /* maximum number of symbols in a pattern */
/* maximum number of patterns in a plan; with both strands, each pattern becomes two literals */
#define PATTERNS_MAX (1u << 30)
#define CHARACTER_BYTES 4u

static bool asks_for_errors(const struct trawl_plan_options *options)
{
    return options->mismatches_max > 0 || options->edits_max > 0 || options->alphabet == TRAWL_DNA;
}

/* Checks that each flag about errors comes with the option that it modifies. */
static enum trawl_status check_flags(const struct trawl_plan_options *options,
                                     struct trawl_error *error)
{
    if ((options->flags & ERRORS_FLAGS) != 0 && !asks_for_errors(options))
        return TRAWL_FAIL(error, ARGUMENT,
                          "flags 0x%x are for plans with mismatches_max, edits_max or alphabet DNA",
                          options->flags & ERRORS_FLAGS);
    if ((options->flags & TRAWL_EVERY_END) != 0 && options->edits_max == 0)
        return TRAWL_FAIL(error, ARGUMENT, "TRAWL_EVERY_END is set without edits_max");
    if ((options->flags & (TRAWL_REVERSE_COMPLEMENT | TRAWL_ANY_BASE)) != 0 &&
        options->alphabet != TRAWL_DNA)
        return TRAWL_FAIL(error, ARGUMENT, "%s is set without alphabet DNA",
                          (options->flags & TRAWL_ANY_BASE) != 0 ? "TRAWL_ANY_BASE"
                                                                 : "TRAWL_REVERSE_COMPLEMENT");
    return TRAWL_OK;
}

enum trawl_status errors_check(const struct trawl_plan_options *options, struct trawl_error *error)
{
    uint32_t most = (uint32_t)max_u64(options->mismatches_max, options->edits_max);

    if ((uint32_t)options->alphabet > TRAWL_DNA)
        return TRAWL_FAIL(error, ARGUMENT, "unknown alphabet %d", (int)options->alphabet);
    if (options->alphabet == TRAWL_CHARACTERS && most == 0)
        return TRAWL_FAIL(error, ARGUMENT,
                          "alphabet CHARACTERS is for expressions, and with mismatches_max or "
                          "edits_max");
    if (most > TRAWL_ERRORS_MAX)
        return TRAWL_FAIL(error, ARGUMENT, "%s is %u, more than %d",
                          options->mismatches_max == most ? "mismatches_max" : "edits_max", most,
                          TRAWL_ERRORS_MAX);
    if (options->mismatches_max > 0 && options->edits_max > 0)
        return TRAWL_FAIL(error, ARGUMENT, "mismatches_max and edits_max are both set");
    TRAWL_TRY(check_flags(options, error));
    if (options->exact == NULL && options->exact_count > 0)
        return TRAWL_FAIL(error, ARGUMENT, "exact is NULL but exact_count is %u",
                          options->exact_count);
    for (uint32_t i = 0; i < options->exact_count; i++)
        if (options->exact[i].begin >= options->exact[i].end)
            return TRAWL_FAIL(error, ARGUMENT, "exact range %u is empty", i);
    if (!asks_for_errors(options))
        return TRAWL_OK;
    if (options->method != TRAWL_METHOD_AUTO || options->algorithm != NULL)
        return TRAWL_FAIL(error, ARGUMENT, "a plan with errors takes no %s",
                          options->algorithm != NULL ? "algorithm" : "method");
    if ((options->flags & TRAWL_SINGLE_BYTE) != 0)
        return TRAWL_FAIL(error, ARGUMENT, "a plan with errors takes no single bytes");
    return TRAWL_OK;
}

enum trawl_status errors_read(struct trawl_plan *plan, const struct trawl_plan_options *options,
                              struct trawl_error *error)
{
    struct plan_errors *errors = &plan->errors;

    errors->is_set = asks_for_errors(options);
    if (!errors->is_set)
        return TRAWL_OK;
    errors->edits = options->edits_max > 0;
    errors->max = errors->edits ? options->edits_max : options->mismatches_max;
    errors->alphabet = options->alphabet;
    if (options->exact_count == 0)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(errors->exact, options->exact_count, error));
    errors->exact_count = options->exact_count;
    memcpy(errors->exact, options->exact, options->exact_count * sizeof *errors->exact);
    return TRAWL_OK;
}

uint64_t plan_symbol_bytes(const struct trawl_plan *plan, const uint8_t *bytes, uint64_t count,
                           uint32_t *symbol)
{
    uint64_t taken = 0;

    TRAWL_ASSERT(count > 0);
    if (plan->errors.alphabet == TRAWL_CHARACTERS)
        taken = plan_utf8_decode(bytes, count, symbol);
    if (taken > 0)
        return taken;
    *symbol = bytes[0] + (plan->errors.alphabet == TRAWL_CHARACTERS ? PLAN_NO_CHARACTER : 0);
    return 1;
}

static enum trawl_status check_pattern(const struct trawl_plan *plan, uint64_t pattern,
                                       uint64_t *symbols, struct trawl_error *error)
{
    const uint8_t *bytes = plan->pattern_bytes + plan->pattern_begin[pattern];
    uint64_t count = plan->pattern_begin[pattern + 1] - plan->pattern_begin[pattern];
    uint32_t symbol;

    *symbols = 0;
    for (uint64_t at = 0; at < count; ++*symbols) {
        if (plan->errors.alphabet == TRAWL_DNA && dna_bases(bytes[at]) == 0)
            return TRAWL_FAIL(error, ARGUMENT,
                              "pattern %" PRIu64 ": byte %" PRIu64 " (0x%02x) is no letter of DNA",
                              pattern, at, bytes[at]);
        at += plan_symbol_bytes(plan, bytes + at, count - at, &symbol);
    }
    if (*symbols <= plan->errors.max)
        return TRAWL_FAIL(error, ARGUMENT,
                          "pattern %" PRIu64 " has %" PRIu64 " symbol%s: too few for %u %s%s",
                          pattern, *symbols, *symbols == 1 ? "" : "s", plan->errors.max,
                          plan->errors.edits ? "edit" : "mismatch",
                          plan->errors.max == 1 ? ""
                          : plan->errors.edits  ? "s"
                                                : "es");
    if (*symbols > SYMBOLS_MAX)
        return TRAWL_FAIL(error, LIMIT,
                          "pattern %" PRIu64 " has %" PRIu64 " symbols: with errors at most %u",
                          pattern, *symbols, SYMBOLS_MAX);
    return TRAWL_OK;
}

/* Makes two literals from each pattern i: literal 2 × i is the pattern itself, which is already in
 * place, literal 2 × i + 1 its reverse complement. */
static void expand_strands(struct trawl_plan *plan)
{
    const uint64_t total = plan->pattern_begin[plan->pattern_count];

    for (uint32_t i = 0; i < plan->pattern_count; i++) {
        uint64_t begin = plan->pattern_begin[i], count = plan->pattern_begin[i + 1] - begin;

        plan->literals[2 * i] = (struct plan_literal){begin, count, i, 0, 0, 0};
        plan->literals[2 * i + 1] = (struct plan_literal){total + begin, count, i, 0, 0, 1};
        for (uint64_t j = 0; j < count; j++)
            plan->literal_bytes[total + begin + j] =
                dna_complement(plan->pattern_bytes[begin + count - 1 - j]);
    }
}

enum trawl_status errors_expand(struct trawl_plan *plan, struct trawl_error *error)
{
    const bool both = (plan->flags & TRAWL_REVERSE_COMPLEMENT) != 0;
    const uint64_t total = plan->pattern_begin[plan->pattern_count], k = plan->errors.max;
    const uint64_t width = plan->errors.alphabet == TRAWL_CHARACTERS ? CHARACTER_BYTES : 1;
    uint64_t longest = 0;

    if (plan->pattern_count > PATTERNS_MAX)
        return TRAWL_FAIL(error, LIMIT, "%" PRIu64 " patterns exceed 2^30", plan->pattern_count);
    for (uint64_t i = 0; i < plan->pattern_count; i++) {
        enum trawl_status status;
        uint64_t symbols, more = plan->errors.edits ? k : 0;

        status = check_pattern(plan, i, &symbols, error);
        if (status != TRAWL_OK && error != NULL)
            error->pattern_index = i;
        TRAWL_TRY(status);
        plan->length_min = min_u64(plan->length_min, symbols - more);
        plan->length_max = max_u64(plan->length_max, (symbols + more) * width);
        longest = max_u64(longest, symbols);
    }
    for (uint32_t i = 0; i < plan->errors.exact_count && plan->pattern_count > 0; i++)
        if (plan->errors.exact[i].end > longest)
            return TRAWL_FAIL(error, ARGUMENT,
                              "exact: a range ends at %" PRIu64
                              ", but the longest pattern has %" PRIu64 " symbol%s",
                              plan->errors.exact[i].end, longest, longest == 1 ? "" : "s");
    plan->literal_count = (uint32_t)plan->pattern_count * (both ? 2 : 1);
    plan->literal_bytes_total = plan->literal_bytes_capacity = total * (both ? 2 : 1);
    plan->literal_bytes = plan->pattern_bytes;
    if (plan->errors.alphabet != TRAWL_DNA || plan->pattern_count == 0)
        return TRAWL_OK;
    plan->literal_bytes = NULL;
    TRAWL_TRY(MEMORY_NEW(plan->literal_bytes, plan->literal_bytes_total, error));
    for (uint64_t i = 0; i < total; i++)
        plan->literal_bytes[i] = dna_without_u(plan->pattern_bytes[i]);
    if (!both)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_NEW(plan->literals, plan->literal_count, error));
    plan->literal_capacity = plan->literal_count;
    expand_strands(plan);
    return TRAWL_OK;
}

/* A search reads a character before and after an occurrence, to know where characters begin. With
 * edits, it reads more. Let a pattern have m symbols, and k edits be allowed. A span's distance is
 * the number of edits between the span and the pattern. Whether an occurrence ends at e depends on
 * the distances of spans that end one symbol before e, and of spans that end at the m + k positions
 * after e (docs/approximate.md). A span has at most m + k symbols, and an occurrence at least m -
 * k. So a span that ends one symbol before e begins at most 2 k + 1 symbols before the
 * occurrence. */
void errors_need(struct trawl_plan *plan)
{
    const uint64_t width = plan->errors.alphabet == TRAWL_CHARACTERS ? CHARACTER_BYTES : 1;

    if (width > 1) {
        plan->need_before += CHARACTER_BYTES;
        plan->need_after += CHARACTER_BYTES;
    }
    if (!plan->errors.edits)
        return;
    plan->need_before += (2 * plan->errors.max + 1) * width;
    plan->need_after += plan->length_max + width;
}
