/* print: writes a tree in RE2's or in PCRE2's syntax (print.h).
 *
 * Some changes avoid bugs of RE2, which joins alternatives of single characters into a set. Up to
 * version 2023-11-01, the set of `n|[nN]` lacks the letter N: `[nN]` is stored as an n that ignores
 * case, and the set already has n. In all versions, `[kK]|x` matches the Kelvin sign, for a similar
 * reason. If each byte is a character, versions up to 2024-02-01 misread alternatives that begin
 * with the same non-ASCII byte. An empty group, "(?:)", at the start of such an alternative stops
 * RE2 from joining it. */
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
    out->is_too_long = out->most > 0 && count > out->most - out->count;
    out->is_complete = !out->is_too_long &&
                       MEMORY_ROOM(out->bytes, out->capacity, out->count + count, NULL) == TRAWL_OK;
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
    const bool is_too_long = out->is_too_long;

    if (out->is_complete)
        return TRAWL_OK;
    print_release(out);
    if (is_too_long)
        return TRAWL_LIMIT;
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

/* Writes a class that contains no character. */
static void put_none(struct printed *out, const struct regex_options *options)
{
    print_text(out, options->bytes ? "[^\\x{0}-\\x{ff}]" : "[^\\x{0}-\\x{10ffff}]");
}

static void put_counts(struct printed *out, uint32_t least, uint32_t most)
{
    char text[40];

    if (least == 0 && most == 1)
        print_text(out, "?");
    else if (most == SYNTAX_ENDLESS && least < 2)
        print_text(out, least == 0 ? "*" : "+");
    else if (most == SYNTAX_ENDLESS)
        print_put(out, text, (uint64_t)snprintf(text, sizeof text, "{%" PRIu32 ",}", least));
    else
        print_put(out, text,
                  (uint64_t)snprintf(text, sizeof text, "{%" PRIu32 ",%" PRIu32 "}", least, most));
}

/* ---- Nodes -------------------------------------------------------------------------------- */

struct printer {
    const struct regex_options *options;
    struct printed *out;
    bool beyond; /* write for PCRE2 */
    bool alternates;
};

/* The parts of a set that a copy with marks distinguishes (words.h): ASCII letters and digits;
 * other word characters; and other characters. '_' and '\n' are in no part. Testing every non-ASCII
 * character is slow, so in a large set they all go into both of the last two parts. */
enum part { PLAIN, WORD, OTHER };

static bool is_in_part(const struct printer *printer, enum part part, uint32_t code)
{
    const struct trawl_letters *letters = &printer->options->letters;
    const bool is_word = code < 0x80
                             ? class_is_word_byte((char)code)
                             : letters->is_word != NULL && letters->is_word(letters->context, code);

    if (code == '_' || code == '\n')
        return false;
    return part == PLAIN  ? code < 0x80 && is_word
           : part == WORD ? code >= 0x80 && is_word
                          : !is_word;
}

/* Returns true if RE2 will read a class that is an ASCII letter in both cases: the whole set, or in
 * copies with marks its plain part. */
static bool is_pair(const struct printer *printer, const struct syntax_node *node)
{
    const bool is_marked = printer->options->marks != REGEX_UNMARKED;
    const uint32_t most = is_marked ? 0x7f : SETS_LAST;
    uint32_t codes[2] = {0}, count = 0;

    for (uint32_t i = 0; i < node->set_count; i++)
        for (uint32_t code = node->set[i].first;
             code <= min_u64(node->set[i].last, most) && count < 3; code++)
            if (!is_marked || is_in_part(printer, PLAIN, code))
                codes[count++ & 1] = code;
    return count == 2 && codes[0] >= 'A' && codes[0] <= 'Z' && (codes[0] ^ 0x20) == codes[1];
}

/* Writes a class with the part's characters between marks, as an alternative to what has been
 * written since `begin`. Writes nothing if there are no such characters. */
static void put_part(const struct printer *printer, const struct syntax_node *node, enum part part,
                     bool is_large, const char *mark, uint64_t begin)
{
    struct printed *out = printer->out;
    const uint64_t before = out->count;
    uint64_t empty;

    print_text(out, before > begin ? "|" : "");
    print_text(out, mark);
    print_text(out, "[");
    empty = out->count;
    for (uint32_t i = 0; i < node->set_count; i++) {
        const uint32_t first = node->set[i].first, last = node->set[i].last;

        for (uint32_t code = first; code <= last && (code < 0x80 || !is_large); code++)
            if (is_in_part(printer, part, code))
                put_code(out, code);
        if (is_large && last >= 0x80 && part != PLAIN)
            put_range(out, (uint32_t)max_u64(first, 0x80), last);
    }
    print_text(out, "]");
    print_text(out, mark);
    if (out->count == empty + 1 + strlen(mark))
        out->count = before;
}

/* Writes a set for the copies of lines with marks. */
static void put_marked(const struct printer *printer, const struct syntax_node *node)
{
    const char *mark = printer->options->marks == REGEX_MARKED_LINES ? " " : "\\n";
    struct printed *out = printer->out;
    uint64_t count = 0, begin;
    bool is_large;

    for (uint32_t i = 0; i < node->set_count; i++)
        count += node->set[i].last - node->set[i].first + 1u;
    is_large = count > TRAWL_UTF8_VARIANTS_MAX;
    print_text(out, "(?:");
    begin = out->count;
    put_part(printer, node, PLAIN, is_large, "", begin);
    if (sets_hold(node, '_'))
        print_text(out, out->count > begin ? "|_--_" : "_--_");
    if (sets_hold(node, '\n'))
        print_text(out, out->count > begin ? "|\\n--\\n" : "\\n--\\n");
    if (printer->options->letters.is_word != NULL)
        put_part(printer, node, WORD, is_large, "_", begin);
    put_part(printer, node, OTHER, is_large, mark, begin);
    if (out->count == begin)
        put_none(out, printer->options);
    print_text(out, ")");
}

static void put_class(struct printed *out, const struct code_range *ranges, uint64_t count)
{
    print_text(out, "[");
    for (uint64_t i = 0; i < count; i++)
        put_range(out, ranges[i].first, ranges[i].last);
    print_text(out, "]");
}

/* Writes a set for PCRE2, as ranges, because PCRE2's own classes contain different characters, and
 * its own cases are not those of the locale. */
static void put_beyond(const struct printer *printer, const struct syntax_node *node)
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

static void put_set(struct printer *printer, const struct syntax_node *node)
{
    const struct regex_options *options = printer->options;
    const bool is_high = (uint8_t)node->bytes[0] >= 0x80, is_set = node->kind == SYNTAX_SET;
    struct printed *out = printer->out;

    TRAWL_ASSERT(node->set_count == 0 || node->set != NULL);
    if (printer->alternates && (is_pair(printer, node) ||
                                (options->bytes && (is_high || (is_set && node->bytes_count > 2)))))
        print_text(out, "(?:)");
    if (options->marks != REGEX_UNMARKED)
        put_marked(printer, node);
    else if (node->set_count == 0)
        put_none(out, options);
    else if (node->set_count == 1 && node->set[0].first == node->set[0].last)
        put_code(out, node->set[0].first);
    else
        put_class(out, node->set, node->set_count);
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

/* Writes an assertion. RE2's only word boundaries are \b and \B, and without marks, its \b only
 * recognizes ASCII words, so the expression may match too often; a program that reads copies of
 * lines with marks then decides (words.h). Such copies contain no line ends. PCRE2's \b is used,
 * unless the caller has its own classes of characters. */
static void put_edge(const struct printer *printer, const struct syntax_node *edge)
{
    static const char letters[] = "^$AzbBmMhH";
    static const char *const plain[] = {"^",   "$",   "\\A", "\\z",  "\\b",
                                        "\\B", "\\b", "\\b", "(?:)", "(?:)"};
    static const char *const marked[] = {
        "^", "$", "\\A", "\\z", "\\b", "\\B", "(?:\\b(?m:^))", "(?:\\b(?m:$))", "(?m:^)", "(?m:$)"};
    const struct regex_options *options = printer->options;
    const char letter = edge->letter;
    const bool is_marked = options->marks != REGEX_UNMARKED;
    const bool asks = printer->beyond && options->letters.class_ranges != NULL;
    const bool by_lines = (letter == '^' || letter == '$') && !printer->beyond &&
                          (edge->flags & SYNTAX_MANY_LINES) != 0 &&
                          (!is_marked || options->marks == REGEX_MARKED_LINES);

    if (printer->beyond && strchr(asks ? "bBmM" : "mM", letter) != NULL) {
        put_words(printer, letter == 'b'   ? PRINT_EDGE
                           : letter == 'B' ? PRINT_NO_EDGE
                           : letter == 'm' ? "(?<!@)(?=@)"
                                           : "(?<=@)(?!@)");
        return;
    }
    print_text(printer->out, by_lines ? "(?m:" : "");
    print_text(printer->out, (is_marked ? marked : plain)[strchr(letters, letter) - letters]);
    print_text(printer->out, by_lines ? ")" : "");
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

/* Writes the item, repeated. */
static void put_repeated(struct printer *printer, const struct syntax_node *repeat, uint32_t least,
                         uint32_t most)
{
    /* RE2 would reject "a**", and read "a*?" as a single operator */
    const bool groups = repeat->items[0]->kind == SYNTAX_REPEAT;

    print_text(printer->out, groups ? "(?:" : "");
    put_node(printer, repeat->items[0]);
    print_text(printer->out, groups ? ")" : "");
    put_counts(printer->out, least, most);
    print_text(printer->out, repeat->is_lazy ? "?" : "");
}

/* Writes a repetition; where RE2 would not allow its numbers, as several repetitions: a{2500} as
 * a{1000}a{1000}a{500}. */
static void put_repeat(struct printer *printer, const struct syntax_node *repeat)
{
    const uint32_t product = (uint32_t)min_u64(repeat->items[0]->product, SYNTAX_REPEAT_MAX);
    const uint32_t each = printer->beyond ? UINT32_MAX - 1 : SYNTAX_REPEAT_MAX / product;
    const bool is_endless = repeat->most == SYNTAX_ENDLESS;
    uint32_t least = repeat->least, most = repeat->most;

    for (; least > each && printer->out->is_complete; least -= each, most -= is_endless ? 0 : each)
        put_repeated(printer, repeat, each, each);
    for (; !is_endless && most > each && printer->out->is_complete; least = 0, most -= each)
        put_repeated(printer, repeat, least, each);
    put_repeated(printer, repeat, least, most);
}

static void put_node(struct printer *printer, const struct syntax_node *node)
{
    struct printed *out = printer->out;

    switch (node->kind) {
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        if (printer->beyond)
            put_beyond(printer, node);
        else
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

enum trawl_status print_re2(const struct syntax_node *root, const struct regex_options *options,
                            uint64_t most, struct printed *out, struct trawl_error *error)
{
    const bool words = options->marks == REGEX_MARKED_WORD;
    struct printer printer = {.options = options, .out = out, .alternates = root->alternates};

    *out = (struct printed){.most = most, .is_complete = true};
    print_text(out, words ? "(?m:^)(?:" : "");
    put_lists(&printer, root);
    print_text(out, words ? ")(?m:$)" : "");
    return status_of(out, error);
}

enum trawl_status print_pcre2(const struct syntax_node *root, const struct regex_options *options,
                              bool words, struct printed *out, struct trawl_error *error)
{
    struct printer printer = {.options = options, .out = out, .beyond = true};

    *out = (struct printed){.is_complete = true};
    put_words(&printer, words ? "(?<!@)" : "");
    (words ? put_node : put_lists)(&printer, root);
    put_words(&printer, words ? "(?!@)" : "");
    return status_of(out, error);
}
