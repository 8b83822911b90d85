/* approx_compile: makes the symbols and the pieces of the literals. */
#include "approximate/approx_compile.h"

#include <string.h>

#include "approximate/approx_choose.h"
#include "approximate/distance.h"
#include "approximate/filter_ops.h"
#include "approximate/grams.h"
#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "plan/dna.h"

#define CHARACTERS_KNOWN 1024u

static void approx_free(void *object)
{
    struct approximate *approximate = (struct approximate *)object;

    if (approximate == NULL)
        return;
    if (approximate->class_of != approximate->symbols)
        memory_release(approximate->class_of, approximate->symbol_count,
                       sizeof *approximate->class_of);
    memory_release(approximate->symbols, approximate->symbol_count, sizeof *approximate->symbols);
    memory_release(approximate->exact, approximate->symbol_count, 1);
    memory_release(approximate->symbol_begin, (uint64_t)approximate->plan->literal_count + 1,
                   sizeof *approximate->symbol_begin);
    memory_release(approximate->piece, approximate->piece_count, sizeof *approximate->piece);
    trawl_plan_free(approximate->pieces);
    approx_filter_close(approximate->filter);
    approx_grams_free(approximate->grams);
    memory_release(approximate, 1, sizeof *approximate);
}

/* ---- Symbols ------------------------------------------------------------------------------- */

/* Writes the literal's symbols to `symbols`, and to `offsets` the byte at which each symbol begins
 * and, after these, the byte at which the last symbol ends. Skips an array that is NULL. Returns
 * the number of symbols. */
static uint64_t split(const struct trawl_plan *plan, uint32_t literal, uint32_t *symbols,
                      uint64_t *offsets)
{
    const uint8_t *bytes = plan_literal_bytes(plan, literal);
    uint64_t count = plan_literal_at(plan, literal).bytes_count, at = 0, split_count;
    uint32_t symbol;

    for (split_count = 0; at < count; split_count++) {
        if (offsets != NULL)
            offsets[split_count] = at;
        at += plan_symbol_bytes(plan, bytes + at, count - at, &symbol);
        if (symbols != NULL)
            symbols[split_count] = symbol;
    }
    if (offsets != NULL)
        offsets[split_count] = at;
    return split_count;
}

static enum trawl_status make_symbols(struct approximate *approximate, struct trawl_error *error)
{
    const struct trawl_plan *plan = approximate->plan;

    TRAWL_TRY(MEMORY_ZEROED(approximate->symbol_begin, (uint64_t)plan->literal_count + 1, error));
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        approximate->symbol_count += split(plan, i, NULL, NULL);
        approximate->symbol_begin[i + 1] = approximate->symbol_count;
    }
    TRAWL_TRY(MEMORY_NEW(approximate->symbols, approximate->symbol_count, error));
    TRAWL_TRY(MEMORY_ZEROED(approximate->exact, approximate->symbol_count, error));
    for (uint32_t i = 0; i < plan->literal_count; i++)
        (void)split(plan, i, approximate->symbols + approximate->symbol_begin[i], NULL);
    return TRAWL_OK;
}

/* Marks the symbols in a range as exact. The part of a range after the literal's end is ignored. In
 * a reverse complement, the range is mirrored. */
static void mark_exact(struct approximate *approximate, uint32_t literal,
                       const struct trawl_range *range)
{
    uint64_t count = approximate->symbol_begin[literal + 1] - approximate->symbol_begin[literal];
    uint8_t *exact = approximate->exact + approximate->symbol_begin[literal];
    uint64_t begin = min_u64(range->begin, count), end = min_u64(range->end, count);

    if (plan_literal_at(approximate->plan, literal).reversed != 0) {
        uint64_t mirrored = count - end;

        end = count - begin;
        begin = mirrored;
    }
    for (uint64_t i = begin; i < end; i++)
        exact[i] |=
            (uint8_t)(i > begin ? APPROX_EXACT_SYMBOL | APPROX_EXACT_BEFORE : APPROX_EXACT_SYMBOL);
}

/* Returns true if a byte of the text equals a byte of a literal under the plan's alphabet and
 * flags. */
static bool equals(const struct trawl_plan *plan, uint8_t of_literal, uint8_t of_text)
{
    uint32_t literal = dna_bases(of_literal), text = dna_bases(of_text);

    if (plan->errors.alphabet != TRAWL_DNA)
        return (plan->flags & TRAWL_IGNORE_CASE) != 0 ? fold_byte(of_literal) == fold_byte(of_text)
                                                      : of_literal == of_text;
    if ((plan->flags & TRAWL_ANY_BASE) != 0)
        return (literal & text) != 0;
    return text != 0 && (text & ~literal) == 0;
}

/* Makes the classes (a class is the set of bytes that a symbol matches), and replaces each symbol
 * with the number of its class. */
static void approximate_classes(struct approximate *approximate)
{
    const struct trawl_plan *plan = approximate->plan;
    uint32_t class_of[256];

    memset(class_of, 0xff, sizeof class_of);
    for (uint64_t i = 0; i < approximate->symbol_count; i++) {
        uint8_t byte = (uint8_t)approximate->symbols[i];

        if (plan->errors.alphabet == TRAWL_DNA || (plan->flags & TRAWL_IGNORE_CASE) != 0)
            byte = fold_byte(byte);
        if (class_of[byte] == UINT32_MAX) {
            uint64_t *members = approximate->classes[approximate->class_count];

            TRAWL_ASSERT(approximate->class_count < APPROX_CLASSES_MAX);
            for (uint32_t b = 0; b < 256; b++)
                if (equals(plan, byte, (uint8_t)b))
                    members[b / 64] |= UINT64_C(1) << b % 64;
            class_of[byte] = approximate->class_count++;
        }
        approximate->symbols[i] = class_of[byte];
    }
}

/* Returns the number of the symbol's class: the set of ASCII characters that the symbol equals.
 * Makes the class if it is new. Returns APPROX_CLASSES_MAX if there is no room for another
 * class. */
static uint32_t class_of_character(struct approximate *approximate, struct approx_pair *pair,
                                   uint32_t symbol)
{
    uint64_t members[4] = {0};
    uint32_t i;

    for (uint32_t b = 0; b < 128; b++)
        if (pair_equals_character(pair, symbol, b))
            members[b / 64] |= UINT64_C(1) << b % 64;
    for (i = 0; i < approximate->class_count; i++)
        if (memcmp(approximate->classes[i], members, sizeof members) == 0)
            return i;
    if (i < APPROX_CLASSES_MAX)
        memcpy(approximate->classes[approximate->class_count++], members, sizeof members);
    return i;
}

/* Makes classes for symbols that are characters, or no classes if there would be too many. `known`
 * caches the classes of some symbols. */
static enum trawl_status make_character_classes(struct approximate *approximate,
                                                struct trawl_error *error)
{
    struct {
        uint32_t symbol, class_number;
    } known[CHARACTERS_KNOWN];
    struct approx_pair *pair;

    TRAWL_TRY(MEMORY_NEW(approximate->class_of, approximate->symbol_count, error));
    TRAWL_TRY(MEMORY_NEW(pair, 1, error));
    pair_begin(pair, approximate);
    memset(known, 0xff, sizeof known);
    for (uint64_t i = 0; i < approximate->symbol_count; i++) {
        const uint32_t symbol = approximate->symbols[i], at = symbol % CHARACTERS_KNOWN;

        if (known[at].symbol != symbol) {
            known[at].symbol = symbol;
            known[at].class_number = class_of_character(approximate, pair, symbol);
        }
        approximate->class_of[i] = known[at].class_number;
        if (approximate->class_of[i] == APPROX_CLASSES_MAX) {
            approximate->class_count = 0;
            break;
        }
    }
    memory_release(pair, 1, sizeof *pair);
    return TRAWL_OK;
}

/* ---- Pieces -------------------------------------------------------------------------------- */

static enum trawl_status build_pieces(struct approximate *approximate,
                                      const struct trawl_pattern *patterns,
                                      struct trawl_error *error)
{
    const struct trawl_plan *plan = approximate->plan;
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;

    options.flags = plan->flags & TRAWL_IGNORE_CASE;
    if (plan->errors.alphabet == TRAWL_DNA)
        options.flags = TRAWL_IGNORE_CASE;
    options.letters = plan->errors.alphabet == TRAWL_CHARACTERS && plan->utf8_is_set
                          ? &plan->utf8
                          : trawl_ascii();
    return plan_build(patterns, approximate->piece_count, &options, NULL, &approximate->pieces,
                      error);
}

static enum trawl_status approximate_pieces(struct approximate *approximate,
                                            struct trawl_error *error)
{
    const struct trawl_plan *plan = approximate->plan;
    const uint64_t of_each = (uint64_t)approximate->errors_max + 1;
    enum trawl_status status = TRAWL_OK;
    struct trawl_pattern *patterns = NULL;
    uint64_t *offsets = NULL, longest = 0, p = 0;

    for (uint32_t i = 0; i < plan->literal_count; i++)
        longest = max_u64(longest, approximate->symbol_begin[i + 1] - approximate->symbol_begin[i]);
    TRAWL_TRY(MEMORY_NEW(approximate->piece, plan->literal_count * of_each, error));
    approximate->piece_count = plan->literal_count * of_each;
    TRAWL_TRY(MEMORY_NEW(offsets, longest + 1, error));
    TRAWL_TRY_DONE(MEMORY_NEW(patterns, approximate->piece_count, error));
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        uint64_t count = approximate->symbol_begin[i + 1] - approximate->symbol_begin[i];

        (void)split(plan, i, NULL, offsets);
        for (uint64_t j = 0; j < of_each; j++, p++) {
            uint64_t begin = approx_piece_begin(approximate, count, j);
            uint64_t end = approx_piece_begin(approximate, count, j + 1);

            TRAWL_ASSERT(begin < end && end <= count && p < approximate->piece_count);
            approximate->piece[p] =
                (struct approx_piece){i, (uint32_t)begin, (uint32_t)(end - begin)};
            patterns[p] = (struct trawl_pattern){plan_literal_bytes(plan, i) + offsets[begin],
                                                 offsets[end] - offsets[begin]};
        }
    }
    status = build_pieces(approximate, patterns, error);
done:
    memory_release(offsets, longest + 1, sizeof *offsets);
    memory_release(patterns, approximate->piece_count, sizeof *patterns);
    return status;
}

/* -------------------------------------------------------------------------------------------- */

/* Chooses the methods, and makes what they need. */
static enum trawl_status make_methods(struct approximate *approximate, const char *instruction_set,
                                      struct trawl_error *error)
{
    approx_choose(approximate, filter_ops_by_name(instruction_set));
    if (approx_needs_pieces(approximate) || approximate->method_on_device == APPROX_PIECES)
        TRAWL_TRY(approximate_pieces(approximate, error));
    if (approximate->method_dense == APPROX_FILTER)
        return approx_filter_open(approximate, &approximate->filter, error);
    if (approximate->method_dense == APPROX_GRAMS)
        return approx_grams_make(approximate, &approximate->grams, error);
    return TRAWL_OK;
}

/* The arguments of approx_make. */
struct source {
    const struct trawl_plan *plan;
    const char *instruction_set;
};

static enum trawl_status approx_make(const void *from, void **object, struct trawl_error *error)
{
    const struct source *source = (const struct source *)from;
    const struct trawl_plan *plan = source->plan;
    struct approximate *approximate;
    enum trawl_status status = TRAWL_OK;

    TRAWL_ASSERT(plan->errors.is_set);
    TRAWL_TRY(MEMORY_ZEROED(approximate, 1, error));
    approximate->plan = plan;
    approximate->errors_max = plan->errors.max;
    approximate->edits = plan->errors.edits;
    TRAWL_TRY_DONE(make_symbols(approximate, error));
    for (uint32_t i = 0; i < plan->literal_count; i++)
        for (uint32_t j = 0; j < plan->errors.exact_count; j++)
            mark_exact(approximate, i, &plan->errors.exact[j]);
    approximate->class_of = approximate->symbols;
    if (plan->errors.alphabet == TRAWL_CHARACTERS)
        TRAWL_TRY_DONE(make_character_classes(approximate, error));
    else
        approximate_classes(approximate);
    if (plan->literal_count > 0)
        TRAWL_TRY_DONE(make_methods(approximate, source->instruction_set, error));
    *object = approximate;
    approximate = NULL;
done:
    approx_free(approximate);
    return status;
}

enum trawl_status approx_want(const struct trawl_plan *plan, const char *instruction_set,
                              const struct approximate **approximate, struct trawl_error *error)
{
    const struct source source = {plan, instruction_set != NULL ? instruction_set
                                                                : trawl_instruction_set(0)};
    const void *object;

    TRAWL_TRY(attachment_want(&plan->attached[PLAN_ERRORS], &source, approx_make, approx_free,
                              &object, error));
    *approximate = (const struct approximate *)object;
    return TRAWL_OK;
}
