/* regex_compile: compiles a plan's expressions. Also builds the plan of the atoms, the strings with
 * which the expressions are searched for. */
#include "regex/regex_compile.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/anchors.h"
#include "regex/syntax/print.h"
#include "regex/syntax/sets.h"
#include "regex/words.h"
#include "regex/prices.def"

/* The state of compiling a plan's expressions. */
struct maker {
    struct expressions *made;
    struct anchor_maker anchors;
};

/* Frees what a part of a plan's expressions does not share with the plan's. */
static void free_part(void *object)
{
    struct expressions *made = (struct expressions *)object;

    if (made->items != NULL)
        memory_release(made->items, made->count, sizeof *made->items);
    memory_release(made, 1, sizeof *made);
}

void expressions_free(void *object)
{
    struct expressions *made = (struct expressions *)object;

    if (made == NULL)
        return;
    words_free(made);
    anchors_free(made);
    trawl_plan_free(made->atoms);
    if (made->rest_items != NULL)
        memory_release(made->rest_items, made->count, sizeof *made->rest_items);
    trawl_plan_free(made->rest);
    for (uint32_t i = 0; i < made->count && made->items != NULL; i++) {
        program_free(made->items[i].each);
        if (made->items[i].beyond != NULL)
            pcre2_release(made->items[i].beyond);
        syntax_release(&made->items[i].tree);
    }
    free_part(made);
}

static bool may_be_empty(const struct expression *item)
{
    return item->beyond != NULL ? item->beyond->may_be_empty : program_may_be_empty(item->each);
}

/* Returns how the plan's expressions are read. */
static struct regex_options options_of(const struct trawl_plan *plan)
{
    const struct plan_expressions *given = &plan->expressions;
    const bool ripgrep = given->syntax == TRAWL_RIPGREP;
    struct regex_options options = {.longest = !ripgrep && given->syntax != TRAWL_PERL,
                                    .fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 || given->dna,
                                    .dna = !given->dna                           ? REGEX_NO_DNA
                                           : (plan->flags & TRAWL_ANY_BASE) != 0 ? REGEX_DNA_ANY
                                                                                 : REGEX_DNA,
                                    .bytes = !given->characters,
                                    .dot_all = (plan->flags & TRAWL_DOT_ALL) != 0,
                                    .multi = (plan->flags & TRAWL_MULTILINE) != 0,
                                    .line_end = plan->line_end,
                                    .ripgrep = ripgrep,
                                    .pcre = (plan->flags & TRAWL_PCRE) != 0,
                                    .unicode = ripgrep && given->characters};

    /* A line that ends in NUL may contain newlines: '.' of the POSIX syntaxes matches these, and ^
     * and $ of ripgrep's syntax match at them. */
    if (plan->line_end != '\n' && !options.multi) {
        options.dot_all |= options.longest;
        options.multi = options.ripgrep &&
                        (plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE | TRAWL_CRLF)) == 0;
    }
    if (plan->utf8_is_set && (given->characters || (plan->flags & TRAWL_SINGLE_BYTE) != 0))
        options.letters = plan->utf8;
    else if (given->characters)
        options.letters.variants = trawl_unicode()->variants;
    if (!options.longest && !options.unicode && (plan->flags & TRAWL_SINGLE_BYTE) == 0 &&
        (plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) != TRAWL_WHOLE_WORD)
        options.letters.is_word = NULL;
    if (!options.longest && (plan->flags & TRAWL_SINGLE_BYTE) == 0)
        options.letters.class_ranges = NULL;
    return options;
}

/* Reports an expression whose steps would take too much memory. */
static enum trawl_status refuse_large(const struct expressions *made, struct trawl_error *error)
{
    const struct program_memory *memory = &made->memory;

    if (memory->left < memory->max)
        return TRAWL_FAIL(error, LIMIT,
                          "the programs of the expressions up to this one need more than %u MiB, "
                          "the limit for all: search for fewer expressions at a time",
                          memory->mib);
    return TRAWL_FAIL(error, LIMIT,
                      "the expression's program needs more than %" PRIu64 " KiB, the limit: "
                      "make repetitions such as \\pL{9000} smaller%s",
                      memory->max >> 10,
                      made->options.longest || made->options.pcre
                          ? ""
                          : ", or let PCRE2 search: -P, TRAWL_PCRE, trawl-serve --allow-pcre");
}

/* Reads an expression; with `beyond`, in PCRE2's syntax. */
static enum trawl_status parse(const struct expressions *made, enum trawl_syntax syntax,
                               bool beyond, const char *bytes, uint64_t count, struct syntax *out,
                               struct trawl_error *error)
{
    const struct syntax_options options = {
        .syntax = syntax, .beyond = beyond, .rules = &made->options};

    return syntax_parse(&options, bytes, count, out, error);
}

/* Notes whether words matter to expression number `index`. */
static enum trawl_status note_words(struct expressions *made, uint32_t index,
                                    struct trawl_error *error)
{
    struct expression *item = &made->items[index];
    const struct syntax *syntax = &item->tree;
    const struct regex_options *options = &made->options;
    const bool words =
        (made->plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) == TRAWL_WHOLE_WORD;
    /* \B of ASCII's words holds inside of a character, where an empty match may not be. */
    const bool within = !options->bytes && !syntax->has_byte && program_may_be_empty(item->each);

    item->has_words = words || syntax->edges > SYNTAX_EDGES ||
                      (syntax->edges != 0 && (options->letters.is_word != NULL || within));
    if (!item->has_words)
        return TRAWL_OK;
    if (syntax->has_byte && !options->bytes)
        return TRAWL_FAIL(error, ARGUMENT, "\\C: a part of a character has no word borders");
    made->has_words = true;
    made->is_strict |= (words || (syntax->edges & SYNTAX_HALVES) != 0) &&
                       (made->plan->flags & TRAWL_STRICT_WORD) != 0;
    return words_find(made, error);
}

/* Returns true if a match may contain a line end, or if an assertion refers to line ends. */
static bool may_cross(const struct expressions *made, const struct syntax *syntax)
{
    const struct regex_options *options = &made->options;

    return options->multi &&
           ((options->line_end == '\n' && (syntax->has_lines || syntax->has_ends)) ||
            split_may_hold(&syntax->root, options->line_end));
}

/* Returns true if no match of the node has a byte. */
static bool is_void(const struct syntax_node *node)
{
    bool reads = node->kind == SYNTAX_CHAR || node->kind == SYNTAX_SET ||
                 node->kind == SYNTAX_BYTE || node->kind == SYNTAX_REFERENCE;

    for (uint32_t i = 0; i < node->count && !reads; i++)
        reads = !is_void(node->items[i]);
    return !reads;
}

/* Compiles an expression for automata: expression number `index`, or the filter that stands for it.
 * Adds the strings with which the expression is searched for to maker->anchors. Takes ownership of
 * the tree. */
static enum trawl_status compile_linear(struct maker *maker, uint32_t index,
                                        const struct syntax *read, struct trawl_error *error)
{
    struct expressions *made = maker->made;
    const uint32_t edges = made->plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE);
    const struct syntax *syntax = &made->items[index].tree;
    const bool is_filter = made->items[index].beyond != NULL;
    const bool crlf = made->options.multi && (made->plan->flags & TRAWL_CRLF) != 0;
    struct program **out = &made->items[index].each;
    enum trawl_status status;
    bool counts;

    /* compile_beyond may call this for a second filter */
    program_free(*out);
    syntax_release(&made->items[index].tree);
    made->items[index].tree = *read;
    /* automata have too many states to keep for such numbers; PCRE2 counts */
    counts = made->options.pcre && !is_filter && syntax->root.product > SYNTAX_REPEAT_MAX &&
             !made->options.longest;
    status = program_make(&made->memory, syntax, &made->options, out, error);
    if (status == TRAWL_OK && (*out == NULL || counts))
        status = refuse_large(made, error);
    if (status == TRAWL_OK && crlf && syntax->has_lines && !is_filter)
        status = TRAWL_FAIL(error, ARGUMENT, "--crlf: ^ and $ across lines know newlines alone");
    else if (status == TRAWL_OK && !is_filter)
        status = note_words(made, index, error);
    made->crosses |= *out != NULL && may_cross(made, syntax);
    made->items[index].needs_line = syntax->needs_line;
    made->items[index].is_void = !is_filter && is_void(&syntax->root);
    made->items[index].bars = !is_filter && syntax->root.may_be_empty && edges == 0 &&
                              syntax->edges == 0 && !syntax->has_lines && !syntax->has_ends;
    if (status == TRAWL_OK && !is_filter)
        status = reach_fits(&syntax->root, edges == TRAWL_WHOLE_WORD, &made->items[index].has_reach,
                            error);
    if (status == TRAWL_OK)
        status = anchors_add(&maker->anchors, index, &syntax->root, error);
    return status;
}

/* Returns true if case is ignored only as far as ASCII goes, and PCRE2 may find more. */
static bool folds_only_ascii(const struct expressions *made, const char *bytes, uint64_t count,
                             const struct syntax *syntax)
{
    uint32_t cases[TRAWL_UTF8_VARIANTS_MAX];

    return !made->options.bytes && sets_cases(&made->options, 'k', cases) < 3 &&
           (syntax->folds_more ||
            (syntax->is_opaque && (made->options.fold || memchr(bytes, 'i', count) != NULL)));
}

/* Compiles expression number `index`, which is `bytes` in PCRE2's syntax, with PCRE2, and its
 * filter. */
static enum trawl_status compile_beyond(struct maker *maker, uint32_t index, const char *bytes,
                                        uint64_t count, struct trawl_error *error)
{
    struct expressions *made = maker->made;
    const struct trawl_plan *plan = made->plan;
    enum trawl_status status;
    /* for the POSIX syntaxes, print_pcre2 has already written the word boundaries */
    const struct regex_options *options = &made->options;
    const uint32_t words = options->longest ? TRAWL_WHOLE_WORD : 0;
    /* not in ripgrep's syntax: \w means ASCII */
    const bool own_words =
        words == 0 && options->letters.is_word != NULL && (options->bytes || !options->unicode);
    bool reads_all = false;
    struct syntax filter;

    if (options->dna != REGEX_NO_DNA)
        return TRAWL_FAIL(error, UNSUPPORTED, "PCRE2 searches no expressions of the alphabet DNA");
    made->has_beyond = true;
    made->crosses = true;
    if (own_words)
        TRAWL_TRY(words_find(made, error));
    TRAWL_TRY(parse(made, TRAWL_PERL, true, bytes, count, &filter, error));
    if (words == 0 && folds_only_ascii(made, bytes, count, &filter))
        status = TRAWL_FAIL(error, UNSUPPORTED,
                            "PCRE2 cannot ignore the case of ASCII letters alone: it can of all "
                            "letters, or in an expression of bytes");
    else
        status = pcre2_prepare(bytes, count, &filter, options, plan->flags & ~words,
                               own_words ? &made->words : NULL, &made->items[index].beyond, error);
    made->items[index].shortest = filter.is_opaque ? 0 : filter.root.shortest;
    if (status != TRAWL_OK || filter.is_opaque)
        syntax_release(&filter);
    TRAWL_TRY(status);
    status = filter.blocks == NULL ? TRAWL_ARGUMENT : compile_linear(maker, index, &filter, NULL);
    /* there is no filter, or it is too large, so PCRE2 must read every line */
    if (status == TRAWL_ARGUMENT || status == TRAWL_LIMIT) {
        reads_all = true;
        TRAWL_TRY(parse(made, TRAWL_PERL, false, "", 0, &filter, error));
        status = compile_linear(maker, index, &filter, error);
    }
    /* without strings, the filter would rule out only short lines, where PCRE2 is as fast */
    made->items[index].needs_line |= reads_all || !made->items[index].has_atoms;
    maker->anchors.all_sure = false;
    return status;
}

/* Compiles expression number `index`, of a POSIX syntax, with PCRE2: it has backreferences. */
static enum trawl_status compile_posix(struct maker *maker, uint32_t index,
                                       const struct syntax *syntax, struct trawl_error *error)
{
    struct expressions *made = maker->made;
    const uint32_t words = made->plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE);
    enum trawl_status status;
    struct printed printed;

    made->lines_alone |= syntax->chooses;
    TRAWL_TRY(
        print_pcre2(&syntax->root, &made->options, words == TRAWL_WHOLE_WORD, &printed, error));
    status = compile_beyond(maker, index, printed.bytes, printed.count, error);
    print_release(&printed);
    if (status == TRAWL_ARGUMENT && error != NULL) /* the expression is too large or too deep */
        error->text_offset = UINT64_MAX;
    return status;
}

/* Compiles expression number `index`. If the caller allows PCRE2, that compiles expressions in
 * Perl's syntax that are rejected as mistakes or as too large, and those in other syntaxes with
 * backreferences. */
static enum trawl_status compile_one(struct maker *maker, uint32_t index, struct trawl_error *error)
{
    const struct trawl_plan *plan = maker->made->plan;
    const struct trawl_pattern pattern = plan_pattern(plan, index);
    const bool is_perl = !maker->made->options.longest;
    struct trawl_error linear; /* our message; the call may still succeed, without an error */
    struct syntax syntax;
    enum trawl_status status;

    status = parse(maker->made, plan->expressions.syntax, false, (const char *)pattern.bytes,
                   pattern.bytes_count, &syntax, &linear);
    if (status == TRAWL_OK && syntax.refers) {
        status = compile_posix(maker, index, &syntax, error);
        syntax_release(&syntax);
        return status;
    }
    if (status == TRAWL_OK)
        status = compile_linear(maker, index, &syntax, &linear);
    if ((status == TRAWL_ARGUMENT || status == TRAWL_LIMIT) && is_perl &&
        (plan->flags & TRAWL_PCRE) != 0) {
        const bool is_large = status == TRAWL_LIMIT;

        status =
            compile_beyond(maker, index, (const char *)pattern.bytes, pattern.bytes_count, error);
        /* Both found a mistake: report our description, or PCRE2's if ours is of what it alone has.
         */
        if (status != TRAWL_ARGUMENT || is_large || strstr(linear.message, "trawl") != NULL)
            return status;
    }
    if (status != TRAWL_OK && error != NULL)
        *error = linear;
    return status;
}

/* Makes expressions that share all but their `count` items with `made`. */
static enum trawl_status begin_part(const struct expressions *made, uint32_t count,
                                    struct expressions **out, struct trawl_error *error)
{
    enum trawl_status status;
    struct expressions *part;

    TRAWL_TRY(MEMORY_ZEROED(part, 1, error));
    memcpy(part, made, offsetof(struct expressions, rest));
    part->items = NULL;
    part->count = count;
    status = MEMORY_ZEROED(part->items, count, error);
    if (status != TRAWL_OK)
        free_part(part);
    else
        *out = part;
    return status;
}

/* Makes the expressions of the plan made->rest, which share the programs of `made`. */
static enum trawl_status make_part(struct expressions *made, struct trawl_error *error)
{
    struct attachment *attached = &made->rest->attached[PLAN_EXPRESSIONS];
    struct expressions *part;

    TRAWL_TRY(begin_part(made, (uint32_t)made->rest->pattern_count, &part, error));
    attached->object = part;
    attached->release = free_part;
    part->plan = made->rest;
    part->takes_empty = part->has_words = part->has_beyond = false;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct expression *item = &made->items[made->rest_items[i]];

        part->items[i] = *item;
        part->takes_empty |= may_be_empty(item);
        part->has_words |= item->has_words;
        part->has_beyond |= item->beyond != NULL;
    }
    return TRAWL_OK;
}

/* Makes made->rest, the plan of the expressions without atoms. */
static enum trawl_status make_rest(struct expressions *made, struct trawl_error *error)
{
    uint32_t count = 0;

    TRAWL_TRY(MEMORY_NEW(made->rest_items, made->count, error));
    for (uint32_t i = 0; i < made->count; i++)
        if (!made->items[i].has_atoms)
            made->rest_items[count++] = i;
    TRAWL_TRY(plan_build_some(made->plan, made->rest_items, count, TRAWL_METHOD_AUTO, &made->rest,
                              error));
    return make_part(made, error);
}

/* Forgets an expression's tree: of a list, few are needed again. A tree with names of groups is
 * asked for them at each match that is replaced. */
static void forget(struct expressions *made, uint32_t index)
{
    struct syntax *tree = &made->items[index].tree;

    if (tree->bytes == (const char *)plan_pattern(made->plan, index).bytes && !tree->has_names)
        syntax_forget(tree);
}

/* Compiles each expression, then the plan of the atoms. An error names the
 * expression at fault. */
static enum trawl_status make_all(struct maker *maker, const struct expressions_source *source,
                                  struct trawl_error *error)
{
    struct expressions *made = maker->made;

    TRAWL_TRY(MEMORY_ZEROED(made->items, made->count, error));
    anchors_begin(&maker->anchors, made, source->sample, source->sample_bytes);
    for (uint32_t i = 0; i < made->count; i++) {
        const uint32_t kept = maker->anchors.kept.expression;
        enum trawl_status status = TRAWL_OK;

        if (made->plan->expressions.poll != NULL &&
            made->plan->expressions.poll(made->plan->expressions.poll_context) != 0)
            return TRAWL_STOPPED;
        status = compile_one(maker, i, error);
        if (status != TRAWL_OK && error != NULL)
            error->pattern_index = i;
        TRAWL_TRY(status);
        made->takes_empty |= may_be_empty(&made->items[i]);
        if (!made->takes_empty)
            made->first_empty = i + 1;
        if (made->first_bar == i && !made->items[i].bars)
            made->first_bar = i + 1;
        if (i > 0 && i != maker->anchors.kept.expression)
            forget(made, i);
        if (kept != maker->anchors.kept.expression)
            forget(made, kept);
    }
    if (made->count > 1) /* the strings of a single one may be chosen anew */
        forget(made, maker->anchors.kept.expression);
    TRAWL_TRY(anchors_end(&maker->anchors, error));
    return made->atoms != NULL && maker->anchors.lacks ? make_rest(made, error) : TRAWL_OK;
}

enum trawl_status expressions_make(const void *from, void **object, struct trawl_error *error)
{
    const struct expressions_source *source = (const struct expressions_source *)from;
    struct maker maker = {.made = NULL};
    enum trawl_status status;

    TRAWL_TRY(MEMORY_ZEROED(maker.made, 1, error));
    maker.made->plan = source->plan;
    maker.made->options = options_of(source->plan);
    maker.made->count = (uint32_t)source->plan->pattern_count;
    maker.made->memory = program_limit(source->plan->expressions.memory_mib);
    status = make_all(&maker, source, error);
    anchors_release(&maker.anchors);
    if (status != TRAWL_OK)
        expressions_free(maker.made);
    else
        *object = maker.made;
    return status;
}

enum trawl_status expressions_want(const struct trawl_plan *plan,
                                   const struct expressions **expressions,
                                   struct trawl_error *error)
{
    const struct expressions_source source = {plan, NULL, 0};
    const void *object;

    TRAWL_TRY(attachment_want(&plan->attached[PLAN_EXPRESSIONS], &source, expressions_make,
                              expressions_free, &object, error));
    *expressions = (const struct expressions *)object;
    return TRAWL_OK;
}
