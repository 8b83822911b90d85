/* sets: reads classes like [a-z&&[^aeiou]] as sets of characters. ripgrep's classes may be nested,
 * and combined by the operators && (in both), -- (in the first but not the second) and ~~ (in
 * exactly one).
 */
#include "regex/syntax/sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/unicode.h"
#include "plan/dna.h"
#include "plan/plan.h"
#include "regex/syntax/parse.h"

#define CASE_END 0x20000u /* letters with case are below this code point */
#define DEPTH_MAX 50u     /* maximum nesting of classes */
#define INSERTED_MAX 16u  /* more ranges out of order are sorted by qsort */

/* ---- Sets --------------------------------------------------------------------------------- */

void sets_release(struct set *set)
{
    memory_release(set->ranges, set->capacity, sizeof *set->ranges);
    *set = (struct set){.is_cut = set->is_cut};
}

static void add(struct set *set, uint32_t first, uint32_t last)
{
    set->is_cut |= MEMORY_ROOM(set->ranges, set->capacity, set->count + 1, NULL) != TRAWL_OK;
    if (!set->is_cut)
        set->ranges[set->count++] = (struct code_range){first, last};
}

static void add_all(struct set *set, const struct code_range *ranges, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        add(set, ranges[i].first, ranges[i].last);
}

static int compare(const void *a, const void *b)
{
    const struct code_range *first = (const struct code_range *)a;
    const struct code_range *second = (const struct code_range *)b;

    return first->first < second->first ? -1 : first->first > second->first;
}

/* Sorts the ranges, and joins those that overlap or adjoin. A few at the end that are not in order,
 * such as the dot in [\w.], are inserted instead of sorting all. */
static void settle(struct set *set)
{
    uint64_t count = 0, sorted = min_u64(set->count, 1);

    while (sorted < set->count && set->ranges[sorted - 1].last < set->ranges[sorted].first &&
           set->ranges[sorted].first - set->ranges[sorted - 1].last > 1)
        sorted++;
    if (sorted == set->count)
        return;
    if (set->count - sorted > INSERTED_MAX)
        qsort(set->ranges, (size_t)set->count, sizeof *set->ranges, compare);
    for (; sorted < set->count && set->count - sorted <= INSERTED_MAX; sorted++) {
        const struct code_range range = set->ranges[sorted];
        uint64_t to = sorted;

        for (; to > 0 && set->ranges[to - 1].first > range.first; to--)
            set->ranges[to] = set->ranges[to - 1];
        set->ranges[to] = range;
    }
    for (uint64_t i = 0; i < set->count; i++) {
        const struct code_range range = set->ranges[i];

        if (count > 0 && range.first <= (uint64_t)set->ranges[count - 1].last + 1)
            set->ranges[count - 1].last =
                (uint32_t)max_u64(set->ranges[count - 1].last, range.last);
        else
            set->ranges[count++] = range;
    }
    set->count = count;
}

/* Replaces the set with its complement: all other characters up to `last`. */
static void negate(struct set *set, uint32_t last)
{
    struct set made = {.is_cut = set->is_cut};
    uint64_t from = 0;

    settle(set);
    for (uint64_t i = 0; i < set->count && from <= last; i++) {
        if (set->ranges[i].first > from)
            add(&made, (uint32_t)from, (uint32_t)min_u64(last, set->ranges[i].first - 1u));
        from = (uint64_t)set->ranges[i].last + 1;
    }
    if (from <= last)
        add(&made, (uint32_t)from, last);
    sets_release(set);
    *set = made;
}

static void add_set(struct set *set, const struct set *other)
{
    add_all(set, other->ranges, other->count);
    set->is_cut |= other->is_cut;
}

/* Removes the characters of `other` from the set. */
static void subtract(struct set *set, const struct set *other, uint32_t last)
{
    negate(set, last);
    add_set(set, other);
    negate(set, last);
}

uint32_t sets_cases(const struct regex_options *options, uint32_t code, uint32_t *cases)
{
    const struct trawl_letters *letters = &options->letters;

    if (letters->variants != NULL)
        return letters->variants(letters->context, code, cases);
    cases[0] = code ^ 0x20;
    return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
}

/* Adds every letter that differs only in case from a letter of the set. */
static void add_cases(const struct regex_options *options, struct set *set)
{
    const uint64_t count = set->count;
    uint32_t equal[TRAWL_UTF8_VARIANTS_MAX];

    for (uint64_t i = 0; i < count; i++) {
        const struct code_range range = set->ranges[i];

        for (uint32_t code = range.first; code <= range.last && code < CASE_END; code++) {
            const uint32_t equals = sets_cases(options, code, equal);

            for (uint32_t k = 0; k < equals; k++)
                if (equal[k] < range.first || equal[k] > range.last)
                    add(set, equal[k], equal[k]);
        }
    }
    settle(set);
}

void sets_add(struct set *set, const struct syntax_node *node)
{
    add_all(set, node->set, node->set_count);
    settle(set);
}

bool sets_hold(const struct syntax_node *node, uint32_t code)
{
    return unicode_holds(node->set, node->set_count, code);
}

/* ---- Reading ------------------------------------------------------------------------------ */

static uint32_t last_of(const struct syntax_reader *reader)
{
    return reader->rules->bytes ? 0xff : SETS_LAST;
}

/* Reports a mistake in the text from `at` to reader->at. */
static enum trawl_status fail(const struct syntax_reader *reader, uint64_t at, const char *what,
                              struct trawl_error *error)
{
    return reader->at > at ? syntax_refuse_part(reader, at, reader->at - at, what, error)
                           : syntax_refuse(at, error, "%s", what);
}

/* Refuses a class in ripgrep's syntax that means something else to PCRE2, if PCRE2 may be used. */
static enum trawl_status leave_to_pcre2(const struct syntax_reader *reader, uint64_t at,
                                        struct trawl_error *error)
{
    return reader->rules->ripgrep && reader->rules->pcre ? syntax_refuse(at, error, LEFT_TO_PCRE2)
                                                         : TRAWL_OK;
}

static bool stands(const struct syntax_reader *reader, const char *what)
{
    return syntax_stands(reader, reader->at, what);
}

/* Returns the length of a name like [:alpha:]; 0 if there is none at reader->at. */
static uint64_t name_length(const struct syntax_reader *reader)
{
    uint64_t end = reader->at + 2;

    if (!stands(reader, "[:")) /* asked first: the whole class may be letters */
        return 0;
    while (syntax_byte(reader, end) == '^' ||
           (syntax_byte(reader, end) >= 'a' && syntax_byte(reader, end) <= 'z'))
        end++;
    return syntax_stands(reader, end, ":]") ? end + 2 - reader->at : 0;
}

/* Reads an octal number of up to `max` digits, or a hexadecimal one of exactly as many, or any
 * number of them in braces. */
static enum trawl_status read_number(struct syntax_reader *reader, uint64_t max, uint32_t base,
                                     uint32_t *number, struct trawl_error *error)
{
    const bool braces = base == 16 && stands(reader, "{");
    const uint64_t from = reader->at += braces;

    for (*number = 0; reader->at < reader->bytes_count && (braces || reader->at - from < max);
         reader->at++) {
        const uint8_t byte = (uint8_t)reader->bytes[reader->at];
        const uint32_t digit = byte <= '9' ? byte - '0' + 0u : (byte | 0x20u) - 'a' + 10u;

        if (digit >= base || *number > SETS_LAST)
            break;
        *number = *number * base + digit;
    }
    if (reader->at - from < (braces || base == 8 ? 1 : max) || (braces && !stands(reader, "}")) ||
        *number > last_of(reader))
        return fail(reader, from, "no character has this number", error);
    reader->at += braces;
    return TRAWL_OK;
}

/* Reads a character, alone or as one end of a range. */
static enum trawl_status read_character(struct syntax_reader *reader, bool in_class, uint32_t *code,
                                        struct trawl_error *error)
{
    static const char names[] = "aftnrv", controls[] = "\a\f\t\n\r\v";
    const uint64_t begin = reader->at;
    const bool escapes = reader->bytes[begin] == '\\' && begin + 1 < reader->bytes_count &&
                         !(reader->syntax != TRAWL_PERL && in_class);
    const char letter = reader->bytes[reader->at += escapes];
    const char *control = letter != '\0' ? strchr(names, letter) : NULL;
    uint64_t length;

    *code = (uint8_t)letter;
    reader->at++;
    if (escapes && letter == 'x')
        return read_number(reader, 2, 16, code, error);
    if (escapes && reader->rules->ripgrep && (letter == 'u' || letter == 'U')) {
        TRAWL_TRY(leave_to_pcre2(reader, begin, error));
        return read_number(reader, letter == 'u' ? 4 : 8, 16, code, error);
    }
    if (escapes && letter >= '0' && letter <= '7') {
        reader->at--;
        TRAWL_TRY(read_number(reader, 3, 8, code, error));
        if (letter == '0' || reader->at > begin + 2)
            return TRAWL_OK;
    }
    if (escapes && letter >= '1' && letter <= '9')
        return syntax_refuse(begin, error, "backreference \\%c: " NO_BACKTRACKING, letter);
    if (escapes && !in_class && syntax_is_in("gGhHkKNRVX", letter))
        return syntax_refuse(begin, error, "\\%c: trawl has no such escape; " PCRE2_HAS, letter);
    if (escapes && control != NULL) {
        *code = (uint8_t)controls[control - names];
        return TRAWL_OK;
    }
    if (escapes && (letter < 0 || (letter != '_' && class_is_word_byte(letter)))) {
        while (letter < 0 && reader->at < reader->bytes_count &&
               (reader->bytes[reader->at] & 0xc0) == 0x80)
            reader->at++;
        return fail(reader, begin,
                    in_class && reader->rules->ripgrep
                        ? "no character ends the range, or \\ has no meaning"
                    : letter == 'Z' ? "invalid escape sequence; the end of the text is \\z"
                                    : "invalid escape sequence",
                    error);
    }
    if (letter < 0 && reader->rules->bytes && reader->rules->ripgrep && in_class)
        return syntax_refuse(begin, error, "with --no-unicode, a class holds bytes: write \\xff");
    if (letter >= 0 || reader->rules->bytes)
        return TRAWL_OK;
    length = plan_utf8_decode((const uint8_t *)reader->bytes + reader->at - 1,
                              reader->bytes_count - reader->at + 1, code);
    if (length == 0)
        return fail(reader, begin, "no character of UTF-8", error);
    reader->at += length - 1;
    return TRAWL_OK;
}

/* Adds the characters of the class with this name, according to the caller's rules, or in ASCII.
 * Adds nothing if there is no such class. */
static void add_named(const struct regex_options *rules, const char *name, struct set *set)
{
    static const struct {
        const char *name;
        const char *ranges; /* the two ends of each range */
    } classes[] = {{"alnum", "09AZaz"},   {"alpha", "AZaz"},
                   {"blank", "\t\t  "},   {"cntrl", "\x01\x1f\x7f\x7f"},
                   {"digit", "09"},       {"graph", "!~"},
                   {"lower", "az"},       {"print", " ~"},
                   {"punct", "!/:@[`{~"}, {"space", "\t\r  "},
                   {"upper", "AZ"},       {"word", "09AZ__az"},
                   {"xdigit", "09AFaf"},  {"ascii", "\x01\x7f"}};
    const struct trawl_letters *letters = &rules->letters;
    const bool is_word = strcmp(name, "word") == 0;
    const uint32_t *listed;
    uint64_t count;

    if (letters->class_ranges != NULL && strcmp(name, "ascii") != 0) {
        count = letters->class_ranges(letters->context, is_word ? "alnum" : name, &listed);
        for (uint64_t i = 0; i < count; i++)
            add(set, listed[2 * i], listed[2 * i + 1]);
        if (is_word)
            add(set, '_', '_');
        return;
    }
    for (uint32_t i = 0; i < sizeof classes / sizeof *classes; i++)
        for (const char *range = classes[i].ranges;
             strcmp(classes[i].name, name) == 0 && *range != '\0'; range += 2)
            add(set, *range == '\x01' ? 0 : (uint8_t)range[0], (uint8_t)range[1]);
}

/* Reads a name such as [:alpha:]. */
static enum trawl_status read_name(struct syntax_reader *reader, uint64_t length, struct set *set,
                                   struct trawl_error *error)
{
    const struct regex_options *options = reader->rules;
    const uint64_t begin = reader->at;
    const bool folds = (reader->flags & SYNTAX_FOLDS) != 0;
    const bool is_other = reader->bytes[begin + 2] == '^' && !options->longest;
    const uint64_t count = min_u64(length - 4 - is_other, 7);
    char name[8] = "";
    bool is_perl, is_case;

    memcpy(name, reader->bytes + begin + 2 + is_other, (size_t)count);
    is_case = strcmp(name, "upper") == 0 || strcmp(name, "lower") == 0;
    is_perl = strcmp(name, "word") == 0 || strcmp(name, "ascii") == 0;
    if (options->unicode)
        TRAWL_TRY(leave_to_pcre2(reader, begin, error));
    reader->at += length;
    if (!options->longest || !is_perl) /* only Perl's syntax has these names */
        add_named(options, is_case && folds && !options->unicode ? "alpha" : name, set);
    if (set->count == 0 && !set->is_cut)
        return fail(reader, begin, "unknown class or property", error);
    if (folds && options->unicode)
        add_cases(options, set);
    if (is_other)
        negate(set, last_of(reader));
    return TRAWL_OK;
}

/* Reads a property: \p{...}, \P{...} or \pL. As in ripgrep, the name may be preceded by its kind,
 * as in \p{script=Greek}. For PCRE2, \p{Greek} also means the characters of Script_Extensions, and
 * properties do not ignore case (since 10.43: only Lu, Ll and Lt do). */
static enum trawl_status read_property(struct syntax_reader *reader, struct set *set,
                                       struct trawl_error *error)
{
    const uint64_t begin = reader->at - 2;
    const char *name = reader->bytes + reader->at, *end, *from;
    const uint64_t left = reader->bytes_count - reader->at;
    const char *close = left > 0 && *name == '{' ? memchr(name, '}', (size_t)left) : NULL;
    bool is_other = reader->bytes[begin + 1] == 'P';
    enum unicode_kind kind = UNICODE_ANY;
    struct unicode_runs runs;
    uint32_t first, last;
    uint64_t count = 0;
    char plain[32];

    reader->at = close != NULL ? (uint64_t)(close + 1 - reader->bytes)
                               : min_u64(reader->at + 1, reader->bytes_count);
    end = close != NULL ? close : reader->bytes + reader->at;
    name += close != NULL;
    for (from = name; from < end && count < sizeof plain; from++) {
        if (*from == '=' || *from == ':') {
            kind = (*name | 0x20) == 's' ? UNICODE_SCRIPT : UNICODE_CATEGORY;
            if (!(count == 2 && (memcmp(plain, "sc", 2) == 0 || memcmp(plain, "gc", 2) == 0)) &&
                !(count == 6 && memcmp(plain, "script", 6) == 0) &&
                !(count == 15 && memcmp(plain, "generalcategory", 15) == 0))
                return fail(reader, begin, "unknown class or property", error);
            count = 0;
        } else if ((*from == '^' && from == name) || (*from == '!' && kind == UNICODE_ANY)) {
            is_other = !is_other;
        } else if (strchr(" _-", *from) == NULL) {
            plain[count++] = (char)(*from | (*from >= 'A' && *from <= 'Z' ? 0x20 : 0));
        }
    }
    if (count == 3 && memcmp(plain, "any", 3) == 0 && kind == UNICODE_ANY) {
        add(set, 0, SETS_LAST);
    } else {
        if (reader->rules->pcre && (reader->flags & SYNTAX_FOLDS) != 0)
            return syntax_refuse(begin, error, LEFT_TO_PCRE2);
        if (reader->rules->pcre && kind == UNICODE_ANY)
            kind = UNICODE_CATEGORY;
        if (from < end || !unicode_property(plain, count, kind, &runs))
            return fail(reader, begin, "unknown class or property", error);
        while (unicode_next(&runs, &first, &last))
            add(set, first, last);
    }
    if ((reader->flags & SYNTAX_FOLDS) != 0)
        add_cases(reader->rules, set);
    if (is_other)
        negate(set, last_of(reader));
    return TRAWL_OK;
}

/* Adds what \d, \w, \s or \v stands for. */
static void add_kind(const struct regex_options *options, char kind, struct set *set)
{
    static const struct code_range spaces[] = {/* Unicode's property White_Space, non-ASCII */
                                               {0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680},
                                               {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
                                               {0x205f, 0x205f}, {0x3000, 0x3000}};
    static const struct code_range ends[] = {{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}};
    static const struct code_range blanks[] = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    const bool unicode = options->unicode;

    if (kind == 'v') {
        add_all(set, ends, 3);
    } else if (kind == 'd') {
        add(set, '0', '9');
        add_all(set, unicode_digits()->of, unicode ? unicode_digits()->count : 0);
    } else if (kind == 'w') {
        add_named(options, "word", set);
        add_all(set, unicode_words()->of, unicode ? unicode_words()->count : 0);
    } else if (!unicode && (options->ripgrep || options->longest || options->pcre)) {
        add_named(options, "space", set);
    } else {
        add_all(set, blanks, 3);
        if (unicode)
            add(set, '\v', '\v');
        add_all(set, spaces, unicode ? sizeof spaces / sizeof *spaces : 0);
        if (unicode && options->pcre)
            add(set, 0x180e, 0x180e);
    }
}

void sets_words(const struct regex_options *options, struct set *set)
{
    *set = (struct set){.count = 0};
    add_kind(options, 'w', set);
    settle(set);
}

static void skip_blanks(struct syntax_reader *reader)
{
    reader->at = syntax_skip_blanks(reader, reader->at, reader->skips);
}

/* Adds the characters that equal those of the set, by case and as codes for bases. */
static void add_equals(const struct syntax_reader *reader, struct set *set)
{
    const bool any = reader->rules->dna == REGEX_DNA_ANY;
    const uint64_t count = set->count;

    for (uint64_t i = 0; reader->rules->dna != REGEX_NO_DNA && i < count; i++)
        for (uint32_t code = set->ranges[i].first; code <= set->ranges[i].last && code < 128;
             code++)
            for (uint32_t other = 'A'; other <= 'z' && dna_bases((uint8_t)code) != 0; other++) {
                const uint32_t bases = dna_bases((uint8_t)other), of = dna_bases((uint8_t)code);

                if (any ? (bases & of) != 0 : bases != 0 && (bases & ~of) == 0)
                    add(set, other, other);
            }
    if ((reader->flags & SYNTAX_FOLDS) != 0)
        add_cases(reader->rules, set);
}

/* Fails if a class inside a class, such as \w, is followed by a hyphen as if it began a range.
 * ripgrep and PCRE2 reject this. */
static enum trawl_status end_class(struct syntax_reader *reader, uint64_t begin,
                                   struct trawl_error *error)
{
    const struct regex_options *rules = reader->rules;

    if (stands(reader, "-") && !stands(reader, "-]") &&
        (rules->ripgrep ? !stands(reader, "--") : rules->pcre))
        return fail(reader, begin, "a class begins no range", error);
    return TRAWL_OK;
}

/* Reads one item of a class: a named class, a character or a range. */
static enum trawl_status read_item(struct syntax_reader *reader, bool in_class, struct set *set,
                                   struct trawl_error *error)
{
    const uint64_t begin = reader->at;
    const uint64_t length = in_class ? name_length(reader) : 0;
    const bool escapes = stands(reader, "\\") && begin + 1 < reader->bytes_count &&
                         !(reader->syntax != TRAWL_PERL && in_class);
    const char letter = escapes ? reader->bytes[begin + 1] : '\0', kind = (char)(letter | 0x20);
    uint32_t first, last;

    if (length > 0) {
        TRAWL_TRY(read_name(reader, length, set, error));
        return reader->rules->pcre ? end_class(reader, begin, error) : TRAWL_OK;
    }
    if (in_class && reader->syntax != TRAWL_PERL && (stands(reader, "[=") || stands(reader, "[.")))
        return syntax_refuse(
            begin, error, "[= =] and [. .] depend on a locale's order, which trawl does not know");
    if (in_class && stands(reader, "[:") && !reader->rules->ripgrep) {
        const char *end =
            memmem(reader->bytes + begin + 2, (size_t)(reader->bytes_count - begin - 2), ":]", 2);

        reader->at = end != NULL ? (uint64_t)(end + 2 - reader->bytes) : begin;
        if (end != NULL || reader->syntax != TRAWL_PERL)
            return fail(reader, begin,
                        end != NULL ? "unknown class or property"
                                    : "the class's name is not closed",
                        error);
    }
    if (syntax_is_in(reader->rules->pcre ? "dDwWsSpPv" : "dDwWsSpP", letter)) {
        reader->at += 2;
        if (kind == 'p')
            TRAWL_TRY(read_property(reader, set, error));
        else
            add_kind(reader->rules, kind, set);
        if ((letter & 0x20) == 0 && kind != 'p') /* \D, \W or \S */
            negate(set, last_of(reader));
        return in_class ? end_class(reader, begin, error) : TRAWL_OK;
    }
    TRAWL_TRY(read_character(reader, in_class, &first, error));
    sets_report_letter(reader->told, first);
    last = first;
    skip_blanks(reader);
    if (in_class && stands(reader, "-") && !stands(reader, "-]") &&
        (!reader->rules->ripgrep || !stands(reader, "--")) &&
        reader->at + 1 < reader->bytes_count) {
        reader->at++;
        skip_blanks(reader);
        if (reader->rules->ripgrep && stands(reader, "["))
            return syntax_refuse(reader->at, error, "a [ ends a range: write \\[");
        TRAWL_TRY(read_character(reader, true, &last, error));
        sets_report_letter(reader->told, last);
    }
    if (last < first)
        return fail(reader, begin, "the range's ends are in the wrong order", error);
    add(set, first, last);
    add_equals(reader, set);
    return TRAWL_OK;
}

/* Applies the operator `by` to *set and the second set, and stores the result in *set: the union if
 * `by` is '\0'. Empties the second set. */
static void combine(const struct syntax_reader *reader, char by, struct set *set,
                    struct set *second)
{
    const uint32_t last = last_of(reader);
    struct set rest = {.count = 0}; /* for '~': what the first set lacks of the second */

    if (by == '&')
        negate(second, last);
    if (by == '~') {
        add_set(&rest, second);
        subtract(&rest, set, last);
    }
    if (by != '\0')
        subtract(set, second, last);
    add_set(set, by == '\0' ? second : &rest);
    sets_release(&rest);
    second->count = 0;
}

/* Reads the class that begins at reader->at and is nested in `depth` other classes. */
static enum trawl_status read_class(struct syntax_reader *reader, uint32_t depth, struct set *set,
                                    struct trawl_error *error)
{
    const uint64_t begin = reader->at;
    bool is_other;
    struct set now = {.count = 0}, inner = {.count = 0};
    enum trawl_status status = TRAWL_OK;
    char by = '\0';

    if (depth == DEPTH_MAX)
        return fail(reader, begin, "classes are nested too deeply", error);
    reader->at++;
    skip_blanks(reader);
    is_other = stands(reader, "^");
    reader->at += is_other;
    skip_blanks(reader);
    if (depth > 0 || reader->skips || stands(reader, "]-") || stands(reader, "--"))
        TRAWL_TRY(leave_to_pcre2(reader, begin, error));
    if (reader->rules->ripgrep && (stands(reader, "]") || stands(reader, "-")))
        do {
            add(&now, (uint8_t)reader->bytes[reader->at], (uint8_t)reader->bytes[reader->at]);
            sets_report_letter(reader->told, (uint8_t)reader->bytes[reader->at]);
        } while (reader->bytes[reader->at++] == '-' && stands(reader, "-"));
    for (bool first = !reader->rules->ripgrep;; first = false) {
        skip_blanks(reader);
        if (stands(reader, "]") && !first)
            break;
        if (reader->at >= reader->bytes_count)
            TRAWL_TRY_DONE(syntax_refuse(begin, error,
                                         reader->rules->ripgrep || reader->syntax != TRAWL_PERL
                                             ? "the bracket is not closed"
                                             : "missing ]"));
        if (reader->skips && stands(reader, "#"))
            TRAWL_TRY_DONE(syntax_refuse(begin, error,
                                         "with (?x), a # begins a comment also within brackets"));
        if (reader->rules->ripgrep &&
            (stands(reader, "&&") || stands(reader, "--") || stands(reader, "~~"))) {
            TRAWL_TRY_DONE(leave_to_pcre2(reader, begin, error));
            combine(reader, by, set, &now);
            by = reader->bytes[reader->at];
            reader->at += 2;
            continue;
        }
        if (reader->rules->ripgrep && stands(reader, "[") && name_length(reader) == 0)
            TRAWL_TRY_DONE(read_class(reader, depth + 1, &inner, error));
        else
            TRAWL_TRY_DONE(read_item(reader, true, &inner, error));
        add_set(&now, &inner);
        inner.count = 0;
    }
    if (reader->at > begin + 3 + is_other && reader->bytes[reader->at - 1] == ':' &&
        reader->bytes[begin + 1 + is_other] == ':')
        TRAWL_TRY_DONE(
            reader->rules->ripgrep
                ? leave_to_pcre2(reader, begin, error)
                : syntax_refuse(begin, error,
                                "a named class stands within a class: [[:space:]], not [:space:]"));
    reader->at++;
    combine(reader, by, set, &now);
    settle(set);
    if (is_other)
        negate(set, last_of(reader));
done:
    sets_release(&now);
    sets_release(&inner);
    return status;
}

enum trawl_status sets_read(struct syntax_reader *reader, const struct syntax_node *node,
                            struct set *set, struct trawl_error *error)
{
    struct code_range gap = {SETS_GAP, SETS_GAP_END - 1};
    const struct set none = {&gap, 1, 1, false};
    const uint8_t *text = (const uint8_t *)node->bytes;
    const uint32_t last = last_of(reader);
    enum trawl_status status = TRAWL_OK;
    uint32_t code = *text, max;
    bool has_gap = false;

    *set = (struct set){.count = 0};
    if (node->kind == SYNTAX_CHAR) {
        if (!reader->rules->bytes &&
            plan_utf8_decode(text, node->bytes_count, &code) != node->bytes_count)
            TRAWL_TRY_DONE(syntax_refuse(node->from, error, "no character of UTF-8"));
        sets_report_letter(reader->told, code);
        add(set, code, code);
        add_equals(reader, set);
    } else if (*text == '.') {
        if ((reader->flags & SYNTAX_DOT_ALL) == 0)
            add(set, '\n', '\n');
        negate(set, last);
    } else {
        TRAWL_TRY_DONE(*text == '[' ? read_class(reader, 0, set, error)
                                    : read_item(reader, false, set, error));
    }
    settle(set);
    max = set->count > 0 ? set->ranges[set->count - 1].last : 0;
    for (uint64_t i = 0; i < set->count; i++)
        has_gap |= set->ranges[i].first < SETS_GAP_END && set->ranges[i].last >= SETS_GAP;
    if (max > last || (has_gap && (set->count > 1 || set->ranges[0].first < max || *text == '[')))
        subtract(set, &none, last);
    if (set->is_cut)
        status = TRAWL_FAIL(error, MEMORY, "out of memory: a class");
done:
    if (status != TRAWL_OK)
        sets_release(set);
    return status;
}
