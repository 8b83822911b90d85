/* print: writes a tree in PCRE2's syntax (print.h). */
#include "regex/syntax/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/syntax/sets.h"

/* ---- Text --------------------------------------------------------------------------------- */

void print_put(struct printed *out, const char *bytes, uint64_t count)
{
    if (!out->is_complete || count == 0)
        return;
    out->is_complete = MEMORY_ROOM(out->bytes, out->capacity, out->count + count, NULL) == TRAWL_OK;
    if (out->is_complete)
        memcpy(out->bytes + out->count, bytes, (size_t)count);
    out->count += out->is_complete ? count : 0;
}

void print_text(struct printed *out, const char *text)
{
    print_put(out, text, strlen(text));
}

void print_release(struct printed *printed)
{
    memory_release(printed->bytes, printed->capacity, 1);
    *printed = (struct printed){.bytes = NULL};
}

static enum trawl_status status_of(struct printed *out, struct trawl_error *error)
{
    if (out->is_complete)
        return TRAWL_OK;
    print_release(out);
    return TRAWL_FAIL(error, MEMORY, "out of memory: a regular expression");
}

static void put_code(struct printed *out, uint32_t code)
{
    static const char digits[] = "0123456789abcdef";
    char text[12] = "\\x{";
    uint64_t count = 3;
    int shift = 20;

    if (code < 0x80 && code != '_' && class_is_word_byte((char)code)) {
        text[0] = (char)code;
        print_put(out, text, 1);
        return;
    }
    while (shift > 0 && code >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        text[count++] = digits[code >> shift & 0xf];
    text[count++] = '}';
    print_put(out, text, count);
}

static void put_range(struct printed *out, uint32_t first, uint32_t last)
{
    put_code(out, first);
    if (last > first) {
        print_put(out, "-", 1);
        put_code(out, last);
    }
}

static void put_counts(struct printed *out, uint32_t min, uint32_t max)
{
    char text[40];

    if (min == 0 && max == 1)
        print_text(out, "?");
    else if (max == SYNTAX_ENDLESS && min < 2)
        print_text(out, min == 0 ? "*" : "+");
    else if (max == SYNTAX_ENDLESS)
        print_put(out, text, (uint64_t)snprintf(text, sizeof text, "{%" PRIu32 ",}", min));
    else
        print_put(out, text,
                  (uint64_t)snprintf(text, sizeof text, "{%" PRIu32 ",%" PRIu32 "}", min, max));
}

/* ---- Nodes -------------------------------------------------------------------------------- */

struct printer {
    const struct regex_options *options;
    struct printed *out;
};

static void put_class(struct printed *out, const struct code_range *ranges, uint64_t count)
{
    print_text(out, "[");
    for (uint64_t i = 0; i < count; i++)
        put_range(out, ranges[i].first, ranges[i].last);
    print_text(out, "]");
}

/* Writes a set as ranges, because PCRE2's own classes contain different characters, and its own
 * cases are not those of the locale. */
static void put_set(const struct printer *printer, const struct syntax_node *node)
{
    struct printed *out = printer->out;

    if (node->bytes[0] == '.' || (node->kind == SYNTAX_CHAR && !printer->options->fold)) {
        print_put(out, "\\",
                  node->kind == SYNTAX_CHAR && node->bytes[0] != '\0' &&
                      strchr("\\.+*?()|[]{}^$", node->bytes[0]) != NULL);
        print_put(out, node->bytes, node->bytes_count);
    } else if (node->set_count == 0) {
        print_text(out, "(?!)");
    } else {
        print_text(out, "(?-i:");
        put_class(out, node->set, node->set_count);
        print_text(out, ")");
    }
}

void print_words(struct printed *out, const char *text, const struct code_range *ranges,
                 uint64_t count)
{
    for (; *text != '\0'; text++) {
        if (*text != '@') {
            print_put(out, text, 1);
            continue;
        }
        print_text(out, "(?-i:[0-9A-Z_a-z");
        for (uint64_t i = 0; i < count; i++)
            put_range(out, ranges[i].first, ranges[i].last);
        print_text(out, "])");
    }
}

static void put_words(const struct printer *printer, const char *text)
{
    struct set word;

    sets_words(printer->options, &word);
    printer->out->is_complete &= !word.is_cut;
    print_words(printer->out, text, word.ranges, word.count);
    sets_release(&word);
}

/* Writes an assertion. PCRE2's \b is used, unless the caller has its own classes of characters. */
static void put_edge(const struct printer *printer, const struct syntax_node *edge)
{
    static const char letters[] = "^$AzbB";
    static const char *const texts[] = {"^", "$", "\\A", "\\z", "\\b", "\\B"};
    const bool asks = printer->options->letters.class_ranges != NULL;
    const char letter = edge->letter;

    if (strchr(asks ? "bBmM" : "mM", letter) != NULL)
        put_words(printer, letter == 'b'   ? PRINT_EDGE
                           : letter == 'B' ? PRINT_NO_EDGE
                           : letter == 'm' ? "(?<!@)(?=@)"
                                           : "(?<=@)(?!@)");
    else
        print_text(printer->out, texts[strchr(letters, letter) - letters]);
}

static void put_node(struct printer *printer, const struct syntax_node *node);

static void put_lists(struct printer *printer, const struct syntax_node *group)
{
    if (group->kind != SYNTAX_GROUP) {
        put_node(printer, group);
        return;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        print_text(printer->out, i > 0 ? "|" : "");
        put_node(printer, group->items[i]);
    }
}

static void put_group(struct printer *printer, const struct syntax_node *group)
{
    struct printed *out = printer->out;

    print_text(out, group->is_numbered ? "(" : "(?:");
    put_lists(printer, group);
    print_text(out, ")");
}

static void put_repeat(struct printer *printer, const struct syntax_node *repeat)
{
    /* "a**" and "a*?" would have another meaning */
    const bool groups = repeat->items[0]->kind == SYNTAX_REPEAT;

    print_text(printer->out, groups ? "(?:" : "");
    put_node(printer, repeat->items[0]);
    print_text(printer->out, groups ? ")" : "");
    put_counts(printer->out, repeat->min, repeat->max);
    print_text(printer->out, repeat->is_lazy ? "?" : "");
}

static void put_node(struct printer *printer, const struct syntax_node *node)
{
    struct printed *out = printer->out;

    switch (node->kind) {
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        put_set(printer, node);
        break;
    case SYNTAX_REFERENCE:
        print_put(out, (char[5]){'\\', 'g', '{', node->letter, '}'}, 5);
        break;
    case SYNTAX_EDGE:
        put_edge(printer, node);
        break;
    case SYNTAX_REPEAT:
        put_repeat(printer, node);
        break;
    case SYNTAX_GROUP:
        put_group(printer, node);
        break;
    case SYNTAX_LIST:
        for (uint32_t i = 0; i < node->count; i++)
            put_node(printer, node->items[i]);
        break;
    default:
        print_text(out, node->kind == SYNTAX_BYTE ? "\\C" : "(?:)");
    }
}

enum trawl_status print_pcre2(const struct syntax_node *root, const struct regex_options *options,
                              bool words, struct printed *out, struct trawl_error *error)
{
    struct printer printer = {.options = options, .out = out};

    *out = (struct printed){.is_complete = true};
    put_words(&printer, words ? "(?<!@)" : "");
    (words ? put_node : put_lists)(&printer, root);
    put_words(&printer, words ? "(?!@)" : "");
    return status_of(out, error);
}
