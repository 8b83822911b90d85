/* fold: writes letters and classes of an expression as classes of all equal letters.
 *
 * By Unicode's rule RE2 ignores case, and fold writes only the letters beyond ASCII, because RE2's
 * version of Unicode may be older, and classes, if \w means ASCII. By another rule, such as grep's,
 * (?i:k) becomes (?-i:[kK]).
 */
#include "regex/fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/plan.h"
#include "regex/class_text.h"

#define DEPTH_MAX 1000u   /* RE2 refuses deeper groups */
#define CASE_END 0x20000u /* all letters with case lie below */

struct writer {
    const struct fold_rule *rule;
    const uint8_t *bytes;
    uint64_t count, at;
    char *out;
    uint64_t out_count, out_capacity;
    bool is_bytes; /* each byte is a character */
    bool no_memory;
    bool folds;         /* case is ignored at `at` */
    bool exact;         /* RE2's own rule must not apply */
    bool exact_classes; /* nor to classes; to \p{...}, RE2's rule always applies */
    uint64_t depth;
    bool outside[DEPTH_MAX]; /* `folds` around each open group */
};

struct fold_rule fold_rule_of(const struct trawl_plan *plan)
{
    struct fold_rule rule = {.ascii = (plan->flags & TRAWL_UNICODE) == 0};
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], count;

    if (plan->utf8_is_set &&
        (plan->expressions.characters || (plan->flags & TRAWL_SINGLE_BYTE) != 0))
        rule.letters = plan->utf8;
    else if (plan->expressions.characters)
        rule.letters.variants = trawl_unicode()->variants;
    count = fold_variants(&rule, 'i', variants);
    rule.splits_i = true;
    for (uint32_t i = 0; i < count; i++)
        rule.splits_i &= variants[i] != 'I';
    return rule;
}

uint32_t fold_variants(const struct fold_rule *rule, uint32_t letter,
                       uint32_t variants[TRAWL_UTF8_VARIANTS_MAX])
{
    if (rule->letters.variants != NULL)
        return rule->letters.variants(rule->letters.context, letter, variants);
    variants[0] = letter;
    variants[1] = letter ^ 0x20;
    return (letter | 0x20) >= 'a' && (letter | 0x20) <= 'z' ? 2 : 1;
}

static void put(struct writer *writer, const void *bytes, uint64_t count)
{
    const uint64_t capacity = 2 * writer->out_capacity + count;

    if (count == 0 || writer->no_memory)
        return;
    if (writer->out_capacity - writer->out_count < count) {
        writer->no_memory =
            MEMORY_GROW(writer->out, writer->out_capacity, capacity, NULL) != TRAWL_OK;
        if (writer->no_memory)
            return;
        writer->out_capacity = capacity;
    }
    memcpy(writer->out + writer->out_count, bytes, (size_t)count);
    writer->out_count += count;
}

static void put_range(struct writer *writer, uint32_t first, uint32_t last)
{
    char text[32];

    put(writer, text,
        (uint64_t)snprintf(text, sizeof text, first == last ? "\\x{%x}" : "\\x{%x}-\\x{%x}", first,
                           last));
}

static void copy(struct writer *writer, uint64_t count)
{
    count = count < writer->count - writer->at ? count : writer->count - writer->at;
    put(writer, writer->bytes + writer->at, count);
    writer->at += count;
}

/* Returns the number of bytes up to the end of the next `what`; without that, of all bytes. */
static uint64_t bytes_to(const struct writer *writer, const char *what)
{
    const uint8_t *begin = writer->bytes + writer->at;
    const uint64_t left = writer->count - writer->at;
    const uint8_t *found = (const uint8_t *)memmem(begin, (size_t)left, what, strlen(what));

    return found == NULL ? left : (uint64_t)(found - begin) + strlen(what);
}

static bool stands(const struct writer *writer, const char *what)
{
    return writer->count - writer->at >= strlen(what) &&
           memcmp(writer->bytes + writer->at, what, strlen(what)) == 0;
}

/* Reads x{HEX}, xHEX or an octal number, which stand behind a '\\'. Returns the number of bytes. */
static uint64_t read_code(const uint8_t *bytes, uint64_t count, uint32_t *letter)
{
    const bool hex = bytes[0] == 'x', braces = hex && count > 1 && bytes[1] == '{';
    const uint64_t begin = (uint64_t)hex + braces, most = braces ? count : hex ? 2 : 3;
    uint64_t at = begin;

    *letter = 0;
    for (; at < count && at - begin < most; at++) {
        const uint8_t byte = bytes[at];
        const uint32_t digit = byte <= '9' ? byte - (uint32_t)'0' : (byte | 0x20u) - 'a' + 10;

        if (digit >= (hex ? 16u : 8u) || *letter > 0x10ffff)
            break;
        *letter = *letter * (hex ? 16 : 8) + digit;
    }
    if (braces && (at == count || bytes[at] != '}'))
        *letter = 0; /* RE2 reports the mistake */
    return at + braces;
}

/* Returns the number of bytes of the character, or of the escape for a character, that stands
 * there. 0: an escape for several characters or for none. */
static uint64_t read_character(const struct writer *writer, uint32_t *letter)
{
    static const char names[] = "aftnrv", controls[] = "\a\f\t\n\r\v";
    const uint64_t escaped = stands(writer, "\\") && writer->at + 1 < writer->count;
    const uint8_t *bytes = writer->bytes + writer->at + escaped;
    const uint64_t left = writer->count - writer->at - escaped;
    const bool hex = bytes[0] == 'x';
    const char *found = bytes[0] != 0 ? strchr(names, bytes[0]) : NULL;
    uint64_t taken = 1;

    *letter = bytes[0];
    if (bytes[0] >= 0x80 && !writer->is_bytes)
        *letter = (taken = plan_utf8_decode(bytes, left, letter)) == 0 ? 0 : *letter;
    else if (escaped && found != NULL)
        *letter = (uint32_t)controls[found - names];
    else if (escaped && bytes[0] != 0 && strchr("pPdDsSwWbBAzCQ", bytes[0]) != NULL)
        return 0;
    else if (escaped && (hex || (bytes[0] >= '0' && bytes[0] <= '7')))
        taken = read_code(bytes, left, letter);
    return escaped + (taken > 0 ? taken : 1);
}

/* Copies a character of so many bytes, or writes the class of all equal letters. */
static void put_letter(struct writer *writer, uint32_t letter, uint64_t count)
{
    const struct fold_rule *rule = writer->rule;
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX];
    const uint32_t usual = trawl_unicode()->variants(NULL, letter, variants);
    const uint32_t found = fold_variants(rule, letter, variants);
    /* Does RE2's rule say the same? */
    const bool same = !writer->exact ? letter < 0x80 || found == 1
                      : letter < 0x80
                          ? found == usual && usual < 3 && (usual == 1 || !rule->splits_i)
                          : found == 1 && usual == 1;

    if (!writer->folds || same) {
        copy(writer, count);
        return;
    }
    put(writer, "(?-i:[", 6);
    for (uint32_t i = 0; i < found; i++)
        put_range(writer, variants[i], variants[i]);
    put(writer, "])", 2);
    writer->at += count;
}

/* Writes, into a class, the letters outside of [first, last] that equal letters in this range. */
static void put_variants(struct writer *writer, uint32_t first, uint32_t last)
{
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], from = 1, to = 0;

    for (uint32_t letter = first; letter <= last && letter < CASE_END; letter++) {
        const uint32_t count = fold_variants(writer->rule, letter, variants);

        for (uint32_t i = 0; i < count; i++) {
            if (variants[i] >= first && variants[i] <= last)
                continue;
            if (from <= to && variants[i] != to + 1)
                put_range(writer, from, to);
            if (from > to || variants[i] != to + 1)
                from = variants[i];
            to = variants[i];
        }
    }
    if (from <= to)
        put_range(writer, from, to);
}

/* Copies a part that stands for several characters. */
static void put_named(struct writer *writer)
{
    const bool negated = stands(writer, "[:^");

    if (writer->folds && writer->exact_classes &&
        (stands(writer, "[:upper:]") || stands(writer, "[:lower:]") ||
         stands(writer, "[:^upper:]") || stands(writer, "[:^lower:]"))) {
        put(writer, negated ? "[:^alpha:]" : "[:alpha:]", 9 + negated);
        writer->at += 9 + negated;
    } else if (stands(writer, "[:")) {
        copy(writer, bytes_to(writer, ":]"));
    } else {
        copy(writer, stands(writer, "\\p{") || stands(writer, "\\P{") ? bytes_to(writer, "}") : 2);
    }
}

/* Copies a class, and adds the letters that equal its letters. */
static void put_class(struct writer *writer)
{
    /* Of \p{...}, RE2 alone knows the letters. */
    bool exact;
    const char *class = (const char *)writer->bytes + writer->at;
    const uint64_t length = class_length(class, writer->count - writer->at, false, &exact);

    exact = writer->folds && writer->exact_classes &&
            memmem(class, (size_t)length, "\\p", 2) == NULL &&
            memmem(class, (size_t)length, "\\P", 2) == NULL;
    put(writer, "(?-i:", exact ? 5 : 0);
    copy(writer, stands(writer, "[^") ? 2 : 1);
    for (bool first = true; writer->at < writer->count && (first || !stands(writer, "]"));
         first = false) {
        uint32_t from, to;
        uint64_t taken = read_character(writer, &from);

        if (stands(writer, "[:") && bytes_to(writer, ":]") < writer->count - writer->at)
            taken = 0;
        if (taken == 0) {
            put_named(writer);
            continue;
        }
        copy(writer, taken);
        to = from;
        if (stands(writer, "-") && !stands(writer, "-]") && writer->at + 1 < writer->count) {
            copy(writer, 1);
            taken = read_character(writer, &to);
            copy(writer, taken == 0 ? 2 : taken);
        }
        if (writer->folds && (exact || to >= 0x80))
            put_variants(writer, from, to);
    }
    copy(writer, 1);
    put(writer, ")", exact);
}

/* Copies "(" with its flags or its name. */
static void put_open(struct writer *writer)
{
    const bool outside = writer->folds;
    bool off = false;

    copy(writer, 1);
    if (stands(writer, "?P") || stands(writer, "?<"))
        copy(writer, bytes_to(writer, ">"));
    else if (stands(writer, "?"))
        for (; writer->at < writer->count && !stands(writer, ":"); copy(writer, 1)) {
            off |= stands(writer, "-");
            writer->folds = stands(writer, "i") ? !off : writer->folds;
            if (stands(writer, ")")) {
                copy(writer, 1);
                return; /* the flags hold for the rest of the group around */
            }
        }
    if (writer->depth < DEPTH_MAX)
        writer->outside[writer->depth] = outside;
    writer->depth++;
}

/* Copies \Q...\E, with a '\' before each character instead. */
static void put_quoted(struct writer *writer)
{
    writer->at += 2;
    while (writer->at < writer->count && !stands(writer, "\\E")) {
        uint32_t letter = writer->bytes[writer->at];
        uint64_t taken = stands(writer, "\\") ? 1 : read_character(writer, &letter);

        if (letter >= 0x80 || (letter | 0x20) - 'a' < 26) {
            put_letter(writer, letter, taken);
        } else {
            put_range(writer, letter, letter);
            writer->at += taken;
        }
    }
    writer->at += stands(writer, "\\E") ? 2 : 0;
}

static void put_part(struct writer *writer)
{
    uint32_t letter;
    uint64_t taken;

    if (stands(writer, "(")) {
        put_open(writer);
    } else if (stands(writer, "[")) {
        put_class(writer);
    } else if (stands(writer, "\\Q")) {
        put_quoted(writer);
    } else if (writer->folds && writer->rule->ascii &&
               (stands(writer, "\\w") || stands(writer, "\\W"))) {
        put(writer, "(?-i:", 5);
        copy(writer, 2);
        put(writer, ")", 1);
    } else if ((taken = read_character(writer, &letter)) == 0) {
        put_named(writer);
    } else {
        if (stands(writer, ")") && writer->depth > 0 && --writer->depth < DEPTH_MAX)
            writer->folds = writer->outside[writer->depth];
        put_letter(writer, letter, taken);
    }
}

enum regex_status fold_compile(const struct regex_ops *ops, const struct fold_rule *rule,
                               const char *bytes, uint64_t count,
                               const struct regex_options *options, struct regex **regex,
                               struct regex_fault *fault)
{
    const bool exact = rule->letters.variants != trawl_unicode()->variants;
    struct writer writer = {.rule = rule,
                            .bytes = (const uint8_t *)bytes,
                            .count = count,
                            .is_bytes = options->bytes,
                            .folds = options->fold,
                            .exact = exact,
                            .exact_classes = exact || rule->ascii};
    enum regex_status status;

    if (!options->fold && memmem(bytes, (size_t)count, "(?", 2) == NULL)
        return ops->compile(bytes, count, options, regex, fault);
    while (writer.at < count && !writer.no_memory)
        put_part(&writer);
    status = writer.no_memory ? REGEX_MEMORY
                              : ops->compile(writer.out_count > 0 ? writer.out : "",
                                             writer.out_count, options, regex, fault);
    memory_release(writer.out, writer.out_capacity, 1);
    if (status == REGEX_SYNTAX) { /* for a message about what was given */
        status = ops->compile(bytes, count, options, regex, fault);
        if (status == REGEX_OK) { /* only the groups that were added are nested too deeply */
            ops->release(*regex);
            *regex = NULL;
            status = REGEX_LARGE;
        }
    }
    return status;
}
