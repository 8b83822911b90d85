/* print_pcre2: writes the tree of an expression of POSIX in PCRE2's syntax. */
#include "regex/syntax/print_pcre2.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"

static void put(struct print_pcre2 *printer, const char *bytes, uint64_t count)
{
    if (printer->bytes != NULL && printer->most == UINT64_MAX && count > 0)
        memcpy(printer->bytes + printer->count, bytes, (size_t)count);
    printer->count += count;
}

static void put_text(struct print_pcre2 *printer, const char *text)
{
    put(printer, text, strlen(text));
}

/* Writes a class, \w, \W, \s or \S as the ranges of its characters, because PCRE2's own classes
 * hold different characters. */
static void put_set(struct print_pcre2 *printer, const struct syntax_node *set)
{
    enum { RANGES_MAX = 4096 };
    struct regex_range ranges[RANGES_MAX];
    const uint32_t range_count =
        set->bytes[0] == '.'
            ? 0
            : printer->ops->list(set, printer->options, 0, UINT32_MAX, ranges, RANGES_MAX);
    char text[40];

    if (range_count == 0 || range_count == UINT32_MAX) {
        if (printer->count <= printer->most)
            printer->from = set->from + min_u64(printer->most - printer->count, set->bytes_count);
        put(printer, set->bytes, set->bytes_count); /* perhaps a mistake; PCRE2 will report it */
        return;
    }
    put_text(printer, "(?-i:[");
    for (uint32_t i = 0; i < range_count; i++)
        put(printer, text,
            (uint64_t)snprintf(text, sizeof text, "\\x{%x}-\\x{%x}", ranges[i].first,
                               ranges[i].last));
    put_text(printer, "])");
}

/* Writes the text, in which '@' stands for a word character. */
static void put_words(struct print_pcre2 *printer, const char *text)
{
    static const struct syntax_node word = {.kind = SYNTAX_SET, .bytes = "\\w", .bytes_count = 2};

    for (; *text != '\0'; text++)
        if (*text == '@')
            put_set(printer, &word);
        else
            put(printer, text, 1);
}

/* Writes an assertion. Unless the caller's classes of characters count, PCRE2's \b serves. */
static void put_edge(struct print_pcre2 *printer, char letter)
{
    const bool asks = printer->options->letters.class_ranges != NULL;

    if (letter == '^' || letter == '$')
        put(printer, &letter, 1);
    else if (strchr(asks ? "bBmM" : "mM", letter) == NULL)
        put(printer, (char[2]){'\\', letter}, 2);
    else
        put_words(printer, letter == 'b'   ? "(?:(?<=@)(?!@)|(?<!@)(?=@))"
                           : letter == 'B' ? "(?:(?<=@)(?=@)|(?<!@)(?!@))"
                           : letter == 'm' ? "(?<!@)(?=@)"
                                           : "(?<=@)(?!@)");
}

static void put_counts(struct print_pcre2 *printer, const struct syntax_node *repeat)
{
    char text[40];

    if (repeat->least == 0 && repeat->most == 1)
        put_text(printer, "?");
    else if (repeat->most == SYNTAX_ENDLESS && repeat->least < 2)
        put_text(printer, repeat->least == 0 ? "*" : "+");
    else if (repeat->most == SYNTAX_ENDLESS)
        put(printer, text, (uint64_t)snprintf(text, sizeof text, "{%" PRIu32 ",}", repeat->least));
    else
        put(printer, text,
            (uint64_t)snprintf(text, sizeof text, "{%" PRIu32 ",%" PRIu32 "}", repeat->least,
                               repeat->most));
}

static void put_node(struct print_pcre2 *printer, const struct syntax_node *node)
{
    const bool is_twice = node->kind == SYNTAX_REPEAT && node->items[0]->kind == SYNTAX_REPEAT;
    const bool is_group = node->kind == SYNTAX_GROUP;

    if (printer->count <= printer->most)
        printer->from = node->from;
    if (node->kind == SYNTAX_CHAR) {
        put(printer, "\\",
            node->bytes[0] != '\0' && strchr("\\.+*?()|[]{}^$", node->bytes[0]) != NULL);
        put(printer, node->bytes, node->bytes_count);
    } else if (node->kind == SYNTAX_SET) {
        put_set(printer, node);
    } else if (node->kind == SYNTAX_EDGE) {
        put_edge(printer, node->letter);
    } else if (node->kind == SYNTAX_REFERENCE) {
        put(printer, (char[5]){'\\', 'g', '{', node->letter, '}'}, 5);
    } else {
        put_text(printer, is_twice ? "(?:" : !is_group ? "" : node->is_numbered ? "(" : "(?:");
        for (uint32_t i = 0; i < node->count; i++) {
            put_text(printer, is_group && i > 0 ? "|" : "");
            put_node(printer, node->items[i]);
        }
        put_text(printer, is_twice || is_group ? ")" : "");
        if (node->kind == SYNTAX_REPEAT)
            put_counts(printer, node);
    }
}

void print_pcre2(struct print_pcre2 *printer, const struct syntax_node *root)
{
    printer->count = 0;
    put_words(printer, printer->words ? "(?<!@)" : "");
    put_node(printer, root);
    put_words(printer, printer->words ? "(?!@)" : "");
}
