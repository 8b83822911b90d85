/* tell: answers questions about expressions for callers that have not built a plan yet. */
#include <inttypes.h>
#include <string.h>

#include "base/options.h"
#include "plan/plan.h"
#include "regex/options.h"
#include "regex/syntax/tree.h"

/* What has been read of a group or a class. Its parts are characters, classes, assertions and
 * groups. */
struct choice {
    bool has_end; /* some part is a line end, the byte `end` */
    uint8_t end;
    bool has_other; /* some part is anything else */
    bool is_split;  /* each alternative so far is a single character without other cases */
};

struct teller {
    const struct trawl_plan_options *options;
    struct trawl_expression_told *told;
};

/* Takes a part of the expression into account. It is a line end if it is a character, or a class of
 * one character, that ends lines. */
static void tell_part(const struct teller *teller, const struct syntax_node *node,
                      struct choice *choice)
{
    const struct trawl_plan_options *options = teller->options;
    const bool lines = (options->flags & TRAWL_MULTILINE) == 0;
    const bool is_letter = node->set_count == 1 && node->set[0].first == node->set[0].last;
    const uint32_t letter = is_letter ? node->set[0].first : 0;

    if (is_letter && ((lines && letter == options->line_ends.bytes[0]) ||
                      (letter == 0 && options->line_ends.count > 1))) {
        choice->end = (uint8_t)letter;
        choice->has_end = true;
        return;
    }
    choice->has_other = true;
    choice->is_split &= is_letter;
}

/* Reports the line end that the group requires, if any. A choice between single characters, such as
 * (\n|a), requires one only if every alternative is a line end. */
static void tell_choice(const struct teller *teller, const struct choice *choice)
{
    if (!choice->has_end || (choice->is_split && choice->has_other) || teller->told->asks)
        return;
    teller->told->asks = 1;
    teller->told->line_end = choice->end;
}

static void tell_group(const struct teller *teller, const struct syntax_node *group,
                       struct choice *choice)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const struct syntax_node *list = group->items[i];

        choice->is_split &= list->count == 1;
        for (uint32_t j = 0; j < list->count; j++) {
            const struct syntax_node *item = syntax_once(list->items[j]);

            choice->is_split &= item == list->items[j];
            if (list->items[j]->kind == SYNTAX_REPEAT && list->items[j]->max == 0)
                continue;
            if (item->kind == SYNTAX_GROUP) {
                struct choice inner = {.is_split = true};

                tell_group(teller, item, &inner);
                tell_choice(teller, &inner);
            }
            tell_part(teller, item, choice);
        }
    }
}

enum trawl_status trawl_expression_tell(const struct trawl_pattern *patterns,
                                        uint64_t pattern_count,
                                        const struct trawl_plan_options *options,
                                        struct trawl_expression_told *given,
                                        struct trawl_error *error)
{
    struct trawl_plan_options read = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_expression_told told;
    struct regex_options rules;
    struct choice all = {.is_split = true};
    struct syntax_options syntax = {.rules = &rules, .told = &told};
    const struct teller teller = {&read, &told};
    bool ripgrep;

    if (patterns == NULL || options == NULL || given == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "an argument is NULL");
    TRAWL_TRY(options_read(&read, sizeof read, options, sizeof read, "plan options", error));
    TRAWL_TRY(options_check(given, sizeof told, "told", error));
    syntax.syntax = read.syntax;
    ripgrep = read.syntax == TRAWL_RIPGREP;
    rules = (struct regex_options){.longest = !ripgrep && read.syntax != TRAWL_PERL,
                                   .fold = (read.flags & TRAWL_IGNORE_CASE) != 0,
                                   .bytes = read.alphabet != TRAWL_CHARACTERS,
                                   .ripgrep = ripgrep,
                                   .pcre = (read.flags & TRAWL_PCRE) != 0,
                                   .unicode = ripgrep && read.alphabet == TRAWL_CHARACTERS,
                                   .letters.variants = trawl_unicode()->variants};
    if (read.syntax == TRAWL_LITERAL)
        return TRAWL_FAIL(error, ARGUMENT, "strings are no expressions");
    if (read.line_ends.count == 0)
        read.line_ends.bytes[0] = '\n';
    told = (struct trawl_expression_told){
        .letter = given->letter, .context = given->context, .pattern_index = UINT64_MAX};
    for (uint64_t i = 0; i < pattern_count; i++) {
        struct syntax tree;
        const enum trawl_status status =
            patterns[i].bytes_count == 0 || patterns[i].bytes == NULL
                ? TRAWL_FAIL(error, ARGUMENT, "pattern %" PRIu64 " is empty or NULL", i)
                : syntax_parse(&syntax, patterns[i].bytes, patterns[i].bytes_count, &tree, error);

        if (status != TRAWL_OK && error != NULL)
            error->pattern_index = i;
        TRAWL_TRY(status);
        tell_group(&teller, &tree.root, &all);
        syntax_release(&tree);
        if (told.pattern_index == UINT64_MAX && (told.asks || all.has_end))
            told.pattern_index = i;
    }
    tell_choice(&teller, &all);
    if (!told.asks)
        told.pattern_index = UINT64_MAX;
    return options_report(given, &told, sizeof told, "told", error);
}
