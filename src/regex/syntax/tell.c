/* tell: reads expressions for a caller that asks about them before it builds a plan. */
#include <string.h>

#include "base/options.h"
#include "plan/plan.h"
#include "regex/class_text.h"
#include "regex/syntax/tree.h"

#define NO_LETTER UINT32_MAX

/* What was read so far of a group or a class: its parts are characters, classes, assertions and
 * groups. */
struct choice {
    bool has_end; /* some part is a line end: `end` */
    uint8_t end;
    bool has_other; /* some part is anything else */
    bool is_split;  /* each alternative so far is a single character without cases */
};

struct teller {
    const struct trawl_plan_options *options;
    struct trawl_expression_told *told;
};

/* Returns the character of an escape such as \n, \x{e9} or \012; NO_LETTER for a class. */
static uint32_t escape_letter(const char *text, uint64_t count)
{
    static const char controls[] = "aftnrv";
    const char *control = strchr(controls, text[1]);
    const bool is_hex = strchr("xuU", text[1]) != NULL;
    uint32_t letter = 0;

    if (control != NULL)
        return (uint8_t) "\a\f\t\n\r\v"[control - controls];
    if (!is_hex && (text[1] < '0' || text[1] > '7'))
        return class_is_word_byte(text[1]) || text[1] < 0 ? NO_LETTER : (uint32_t)text[1];
    for (uint64_t i = is_hex ? 2 : 1; i < count; i++) {
        const char digit = (char)(text[i] | 0x20);

        if (text[i] >= '0' && text[i] <= '9')
            letter = letter * (is_hex ? 16 : 8) + (uint32_t)(text[i] - '0');
        else if (digit >= 'a' && digit <= 'f')
            letter = letter * 16 + (uint32_t)(digit - 'a' + 10);
    }
    return letter;
}

/* Tells a part of the expression: a character, also as an escape, or another part. */
static void tell_part(const struct teller *teller, const char *text, uint64_t count, bool folds,
                      struct choice *choice)
{
    const struct trawl_plan_options *options = teller->options;
    const bool lines = (options->flags & TRAWL_MULTILINE) == 0;
    uint32_t letter = NO_LETTER, variants[TRAWL_UTF8_VARIANTS_MAX];

    if (count > 1 && *text == '\\')
        letter = escape_letter(text, count);
    else if (count > 0 && plan_utf8_decode((const uint8_t *)text, count, &letter) != count)
        letter = (uint8_t)*text;
    if (letter != NO_LETTER && teller->told->letter != NULL)
        teller->told->letter(teller->told->context, letter);
    if ((lines && letter == options->line_end) || (letter == 0 && options->line_end_also_set)) {
        choice->end = (uint8_t)letter;
        choice->has_end = true;
        return;
    }
    choice->has_other = true;
    choice->is_split &=
        letter != NO_LETTER &&
        (!folds || letter > 0x10ffff || trawl_unicode()->variants(NULL, letter, variants) < 2);
}

/* Tells a class in brackets, which is a line end if it has no other character. */
static void tell_class(const struct teller *teller, const struct syntax_node *node,
                       struct choice *choice)
{
    const uint64_t last = node->bytes_count - 1;
    const bool is_negated = node->bytes[1] == '^';
    const bool escapes = teller->options->syntax == TRAWL_PERL;
    struct choice parts = {.has_other = is_negated};

    for (uint64_t at = 1 + is_negated, length; at < last; at += length) {
        const char *text = node->bytes + at;
        const uint64_t name = class_name_length(text, last - at);

        length = name > 0                    ? name
                 : *text == '\\' && !escapes ? 1
                                             : class_part_length(text, last - at);
        tell_part(teller, text, *text == '[' ? 0 : length, false, &parts);
    }
    parts.has_end &= !parts.has_other;
    choice->end = parts.has_end ? parts.end : choice->end;
    choice->has_end |= parts.has_end;
    choice->has_other |= parts.has_other;
    choice->is_split &= parts.has_end;
}

/* Tells whether the group asks for a line end. In a choice between single characters, a line end
 * can be skipped if another character is none. */
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
            if (item->kind == SYNTAX_GROUP) {
                struct choice inner = {.is_split = true};

                tell_group(teller, item, &inner);
                tell_choice(teller, &inner);
            }
            if (item->kind == SYNTAX_SET && *item->bytes == '[')
                tell_class(teller, item, choice);
            else if (item->kind == SYNTAX_CHAR ||
                     (item->kind == SYNTAX_SET && *item->bytes == '\\'))
                tell_part(teller, item->bytes, item->bytes_count, (item->flags & SYNTAX_FOLDS) != 0,
                          choice);
            else
                tell_part(teller, NULL, 0, false, choice);
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
    struct choice all = {.is_split = true};
    const struct teller teller = {&read, &told};

    if (patterns == NULL || options == NULL || given == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "an argument is NULL");
    TRAWL_TRY(options_read(&read, sizeof read, options, sizeof read, "plan options", error));
    TRAWL_TRY(options_check(given, sizeof told, "told", error));
    if (read.syntax == TRAWL_LITERAL)
        return TRAWL_FAIL(error, ARGUMENT, "strings are no expressions");
    read.line_end = read.line_end_set ? read.line_end : '\n';
    told = (struct trawl_expression_told){
        .letter = given->letter, .context = given->context, .pattern_index = UINT64_MAX};
    for (uint64_t i = 0; i < pattern_count; i++) {
        const struct syntax_options syntax = {
            .syntax = read.syntax,
            .plan_flags = read.flags,
            .flags = (read.flags & TRAWL_IGNORE_CASE) != 0 ? SYNTAX_FOLDS : 0,
            .single = read.alphabet != TRAWL_CHARACTERS};
        struct syntax tree;
        const enum trawl_status status =
            syntax_parse(&syntax, patterns[i].bytes, patterns[i].bytes_count, &tree, error);

        if (status != TRAWL_OK && error != NULL)
            error->pattern_index = i;
        TRAWL_TRY(status);
        tell_group(&teller, tree.root, &all);
        syntax_release(&tree);
        if (told.pattern_index == UINT64_MAX && (told.asks || all.has_end))
            told.pattern_index = i;
    }
    tell_choice(&teller, &all);
    return options_tell(given, &told, sizeof told, "told", error);
}
