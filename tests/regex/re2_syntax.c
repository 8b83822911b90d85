/* re2_syntax: writes the tree of an expression in RE2's syntax (re2_syntax.h).
 *
 * Some changes avoid bugs of RE2, which joins alternatives of single characters into a set. Up to
 * version 2023-11-01, the set of `n|[nN]` lacks the letter N: `[nN]` is stored as an n that ignores
 * case, and the set already has n. In all versions, `[kK]|x` matches the Kelvin sign, for a similar
 * reason. If each byte is a character, versions up to 2024-02-01 misread alternatives that begin
 * with the same non-ASCII byte. An empty group, "(?:)", at the start of such an alternative stops
 * RE2 from joining it. */
#include "regex/re2_syntax.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regex/syntax/sets.h"

#define REPEAT_MAX 1000u /* RE2's limit for the product of nested repetitions */

struct printer {
    const struct regex_options *options;
    FILE *out;
    bool alternates;
};

static void put_code(FILE *out, uint32_t code)
{
    (void)fprintf(out,
                  code < 0x80 && code != '_' && class_is_word_byte((char)code) ? "%c"
                                                                               : "\\x{%" PRIx32 "}",
                  code);
}

static void put_range(FILE *out, uint32_t first, uint32_t last)
{
    put_code(out, first);
    if (last > first) {
        (void)fputc('-', out);
        put_code(out, last);
    }
}

/* Returns true if RE2 will read a class as an ASCII letter in both cases. */
static bool is_pair(const struct syntax_node *node)
{
    const uint32_t first = node->set_count > 0 ? node->set[0].first : 0;

    return node->set_count == 2 && first >= 'A' && first <= 'Z' && node->set[0].last == first &&
           node->set[1].first == (first ^ 0x20) && node->set[1].last == (first ^ 0x20);
}

static void put_set(const struct printer *printer, const struct syntax_node *node)
{
    const struct regex_options *options = printer->options;
    const bool is_high = (uint8_t)node->bytes[0] >= 0x80, is_set = node->kind == SYNTAX_SET;
    FILE *out = printer->out;

    if (printer->alternates &&
        (is_pair(node) || (options->bytes && (is_high || (is_set && node->bytes_count > 2)))))
        (void)fputs("(?:)", out);
    if (node->set_count == 1 && node->set[0].first == node->set[0].last) {
        put_code(out, node->set[0].first);
        return;
    }
    (void)fputs(node->set_count > 0 ? "["
                : options->bytes    ? "[^\\x{0}-\\x{ff}"
                                    : "[^\\x{0}-\\x{10ffff}",
                out);
    for (uint32_t i = 0; i < node->set_count; i++)
        put_range(out, node->set[i].first, node->set[i].last);
    (void)fputs("]", out);
}

/* Writes an assertion. RE2's only word boundaries are \b and \B, of ASCII's words. */
static void put_edge(const struct printer *printer, const struct syntax_node *edge)
{
    static const char letters[] = "^$AzbBmMhH";
    static const char *const plain[] = {"^",   "$",   "\\A", "\\z",  "\\b",
                                        "\\B", "\\b", "\\b", "(?:)", "(?:)"};
    const bool by_lines =
        (edge->letter == '^' || edge->letter == '$') && (edge->flags & SYNTAX_MANY_LINES) != 0;

    (void)fprintf(printer->out, by_lines ? "(?m:%s)" : "%s",
                  plain[strchr(letters, edge->letter) - letters]);
}

static void put_node(const struct printer *printer, const struct syntax_node *node);

static void put_lists(const struct printer *printer, const struct syntax_node *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        (void)fputs(i > 0 ? "|" : "", printer->out);
        put_node(printer, group->items[i]);
    }
}

/* Writes the item, repeated. */
static void put_repeated(const struct printer *printer, const struct syntax_node *repeat,
                         uint32_t min, uint32_t max)
{
    /* RE2 would reject "a**", and read "a*?" as a single operator */
    const bool groups = repeat->items[0]->kind == SYNTAX_REPEAT;

    (void)fputs(groups ? "(?:" : "", printer->out);
    put_node(printer, repeat->items[0]);
    (void)fputs(groups ? ")" : "", printer->out);
    if (max == SYNTAX_ENDLESS && min < 2)
        (void)fputs(min == 0 ? "*" : "+", printer->out);
    else if (max == SYNTAX_ENDLESS)
        (void)fprintf(printer->out, "{%" PRIu32 ",}", min);
    else
        (void)fprintf(printer->out, "{%" PRIu32 ",%" PRIu32 "}", min, max);
    (void)fputs(repeat->is_lazy ? "?" : "", printer->out);
}

/* Writes a repetition; where RE2 would not allow its numbers, as several repetitions: a{2500} as
 * a{1000}a{1000}a{500}. */
static void put_repeat(const struct printer *printer, const struct syntax_node *repeat)
{
    const uint32_t product = repeat->items[0]->product;
    const uint32_t each = product < REPEAT_MAX ? REPEAT_MAX / product : 1;
    const bool is_endless = repeat->max == SYNTAX_ENDLESS;
    uint32_t min = repeat->min, max = repeat->max;

    for (; min > each; min -= each, max -= is_endless ? 0 : each)
        put_repeated(printer, repeat, each, each);
    for (; !is_endless && max > each; min = 0, max -= each)
        put_repeated(printer, repeat, min, each);
    put_repeated(printer, repeat, min, max);
}

static void put_node(const struct printer *printer, const struct syntax_node *node)
{
    switch (node->kind) {
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        put_set(printer, node);
        break;
    case SYNTAX_EDGE:
        put_edge(printer, node);
        break;
    case SYNTAX_REPEAT:
        put_repeat(printer, node);
        break;
    case SYNTAX_GROUP:
        (void)fputs(node->is_numbered ? "(" : "(?:", printer->out);
        put_lists(printer, node);
        (void)fputs(")", printer->out);
        break;
    case SYNTAX_LIST:
        for (uint32_t i = 0; i < node->count; i++)
            put_node(printer, node->items[i]);
        break;
    default:
        (void)fputs(node->kind == SYNTAX_BYTE ? "\\C" : "(?:)", printer->out);
    }
}

char *re2_syntax(const struct syntax_node *root, const struct regex_options *options)
{
    struct printer printer = {.options = options, .alternates = root->alternates};
    size_t count = 0;
    char *text = NULL;

    printer.out = open_memstream(&text, &count);
    if (printer.out == NULL)
        return NULL;
    put_lists(&printer, root);
    (void)fclose(printer.out);
    return text;
}
