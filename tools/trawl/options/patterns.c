/* patterns: the strings to search for, and the plan for them.
 *
 * run.c collects the strings before the first file is opened. Files given with -f are split into
 * lines here, duplicates and the empty string are removed, and the checks for characters of the
 * locale are chosen. The strings then stay unchanged until the job's end, while all workers read
 * them. Reports that number the strings have a column for each string as given, duplicates
 * included.
 */
#include "trawl/options/patterns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "trawl/options/approximate.h"
#include "trawl/text/charset.h"
#include "trawl/options/expressions.h"
#include "trawl/text/grow.h"
#include "trawl/text/whole.h"
#include "trawl/text/message.h"
#include "trawl/options/settings.h"
#include "trawl/text/guard.h"

struct entry {
    struct trawl_pattern pattern;
    uint64_t index; /* in the order in which the strings were given */
    int (*compare)(const void *left, const void *right, size_t bytes_count);
};

/* Compares as memcmp does, but ignores the case of ASCII letters. */
static int compare_folded(const void *left, const void *right, size_t bytes_count)
{
    const uint8_t *a = left, *b = right;

    for (size_t i = 0; i < bytes_count; i++) {
        const int x = a[i] >= 'A' && a[i] <= 'Z' ? a[i] + ('a' - 'A') : a[i];
        const int y = b[i] >= 'A' && b[i] <= 'Z' ? b[i] + ('a' - 'A') : b[i];

        if (x != y)
            return x - y;
    }
    return 0;
}

/* Orders strings by their bytes, so a string comes after its prefixes. */
static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    const uint64_t a_bytes = a->pattern.bytes_count, b_bytes = b->pattern.bytes_count;
    const int order = a->compare(a->pattern.bytes, b->pattern.bytes,
                                 (size_t)(a_bytes < b_bytes ? a_bytes : b_bytes));

    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static bool is_prefix(const struct entry *prefix, const struct entry *entry)
{
    return prefix->pattern.bytes_count <= entry->pattern.bytes_count &&
           entry->compare(prefix->pattern.bytes, entry->pattern.bytes,
                          (size_t)prefix->pattern.bytes_count) == 0;
}

/* Removes each string that has a prefix which was given earlier: wherever the string occurs, the
 * prefix wins. Of the remaining strings that begin at the same byte, the longest was given first,
 * so the leftmost-first match is the leftmost-longest. False: out of memory. */
static bool prefixes_remove(struct patterns *patterns, bool ignore_ascii_case)
{
    const uint64_t count = patterns->count;
    struct entry *entries = malloc((size_t)count * sizeof *entries);
    uint64_t depth = 0, kept = 0;

    if (entries == NULL)
        return false;
    for (uint64_t i = 0; i < count; i++)
        entries[i] =
            (struct entry){patterns->items[i], i, ignore_ascii_case ? compare_folded : memcmp};
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    /* entries[0 .. depth) are the previous string's prefixes, each given before the shorter ones */
    for (uint64_t i = 0; i < count; i++) {
        const struct entry entry = entries[i];

        while (depth > 0 && !is_prefix(&entries[depth - 1], &entry))
            depth--;
        if (depth > 0 && entries[depth - 1].index < entry.index)
            patterns->items[entry.index].bytes = NULL;
        else
            entries[depth++] = entry;
    }
    for (uint64_t i = 0; i < count; i++)
        if (patterns->items[i].bytes != NULL)
            patterns->items[kept++] = patterns->items[i];
    patterns->count = kept;
    free(entries);
    return true;
}

/* Appends a pattern for the plan. The bytes are borrowed. False: no memory. */
static bool add_pattern(struct patterns *patterns, const void *bytes, size_t bytes_count)
{
    if (!GROW(patterns->items, patterns->capacity, 4, patterns->count + 1))
        return false;
    patterns->items[patterns->count++] = (struct trawl_pattern){bytes, bytes_count};
    patterns->given_count++;
    return true;
}

/* Returns true if the last pattern has the same bytes. */
static bool repeats_last(const struct patterns *patterns, const void *bytes, size_t bytes_count)
{
    const struct trawl_pattern *last =
        patterns->count > 0 ? &patterns->items[patterns->count - 1] : NULL;

    return last != NULL && last->bytes_count == bytes_count &&
           memcmp(last->bytes, bytes, bytes_count) == 0;
}

/* Makes room for more columns, and for their strings if the report prints strings. False: no
 * memory. */
static bool grow_columns(struct patterns *patterns, const struct settings *settings)
{
    uint64_t capacity = patterns->column_capacity == 0 ? 64 : patterns->column_capacity * 2;
    uint64_t *columns = realloc(patterns->columns, (size_t)capacity * sizeof *columns);
    struct trawl_pattern *strings;

    if (columns == NULL)
        return false;
    patterns->columns = columns;
    if (settings->report->prints == PRINTS_TABLE) {
        strings = realloc(patterns->strings, (size_t)capacity * sizeof *strings);
        if (strings == NULL)
            return false;
        patterns->strings = strings;
    }
    patterns->column_capacity = capacity;
    return true;
}

/* Adds a column for the string that was just read, for settings->numbers_wanted. */
static bool add_column(struct patterns *patterns, const struct settings *settings, uint64_t column,
                       const void *bytes, size_t bytes_count)
{
    if (patterns->column_count == patterns->column_capacity && !grow_columns(patterns, settings))
        return false;
    if (settings->report->prints == PRINTS_TABLE) {
        patterns->strings[patterns->column_count].bytes = bytes;
        patterns->strings[patterns->column_count].bytes_count = bytes_count;
    }
    patterns->columns[patterns->column_count++] = column;
    return true;
}

/* --crlf with -x: the line may be the string followed by '\r'. Adds that pattern. */
static bool add_with_return(struct patterns *patterns, const void *bytes, size_t bytes_count)
{
    char *copy = patterns_keep(patterns, malloc(bytes_count + 1));

    if (copy == NULL)
        return false;
    memcpy(copy, bytes, bytes_count);
    copy[bytes_count] = '\r';
    return add_pattern(patterns, copy, bytes_count + 1);
}

/* Adds a string that is not empty. A string with a NUL that no line can contain does not become a
 * pattern, but may become a column. */
static bool add_string(struct patterns *patterns, const struct settings *settings,
                       const void *bytes, size_t bytes_count)
{
    const bool null_ends = settings->nuls.end_line || settings->line_end == '\0';
    const bool never = !settings->hex && null_ends && memchr(bytes, '\0', bytes_count) != NULL;

    if (settings->numbers_wanted &&
        !add_column(patterns, settings, never ? PATTERN_NEVER : patterns->count, bytes,
                    bytes_count))
        return false;
    patterns->has_never |= never;
    patterns->never_has_capital |=
        never && charset_has_capital(settings->surroundings.charset, bytes, bytes_count);
    if (!never && !settings->numbers_wanted && repeats_last(patterns, bytes, bytes_count)) {
        patterns->given_count++; /* reads a list of equal lines in half the time */
        return true;
    }
    return never ||
           (add_pattern(patterns, bytes, bytes_count) &&
            (!settings->crlf || !settings->whole_lines || settings->syntax != TRAWL_LITERAL ||
             add_with_return(patterns, bytes, bytes_count)));
}

static bool add_empty(struct patterns *patterns, const struct settings *settings, const char *at)
{
    if (!patterns->has_empty) {
        patterns->empty = at;
        patterns->empty_index = patterns->count;
    }
    patterns->has_empty = true;
    return !settings->numbers_wanted || add_column(patterns, settings, PATTERN_EMPTY, "", 0);
}

/* Adds a string; with --xor, what each key makes of it. */
static bool add_keyed(struct patterns *patterns, const struct settings *settings, const void *bytes,
                      size_t bytes_count)
{
    bool good = true;

    if (settings->xor_from == 0)
        return add_string(patterns, settings, bytes, bytes_count);
    for (unsigned key = settings->xor_from; good && key <= settings->xor_to; key++) {
        uint8_t *made = (uint8_t *)patterns_keep(patterns, malloc(bytes_count));

        for (size_t i = 0; made != NULL && i < bytes_count; i++)
            made[i] = (uint8_t)(((const uint8_t *)bytes)[i] ^ key);
        good = made != NULL && add_string(patterns, settings, made, bytes_count);
    }
    return good;
}

#define SHOWN_BYTES_MAX 60 /* maximum number of a string's bytes that a message shows */

/* Adds the string or, with wildcards, the expression that a string of --hex means. */
static bool add_hex(struct patterns *patterns, const struct settings *settings, const char *text,
                    size_t bytes_count, char *message)
{
    const int shown = (int)(bytes_count < SHOWN_BYTES_MAX ? bytes_count : SHOWN_BYTES_MAX);
    const char *wrong;
    size_t count;
    char *made = settings->wild ? hex_expression(text, bytes_count, &count, &wrong)
                                : hex_bytes(text, bytes_count, &count, &wrong);

    if (patterns_keep(patterns, made) == NULL)
        return message_exhausted(message);
    if (wrong != NULL) {
        count = patterns_place(patterns, "string", text, UINT64_MAX, message, SETTINGS_ERROR_BYTES);
        snprintf(message + count, SETTINGS_ERROR_BYTES - count, "--hex: '%.*s' has %s", shown, text,
                 wrong);
        return false;
    }
    if (settings->wild && hex_reach(text, bytes_count) > patterns->reach)
        patterns->reach = hex_reach(text, bytes_count);
    if (!(count == 0 ? add_empty(patterns, settings, text)
                     : add_keyed(patterns, settings, made, count)))
        return message_exhausted(message);
    if (settings->wild && settings->report->prints == PRINTS_TABLE) /* not the expression */
        patterns->strings[patterns->column_count - 1] = (struct trawl_pattern){text, bytes_count};
    return true;
}

/* Adds the strings of a text, one for each line; for tg without --hex, an argument is a single
 * string, as in ripgrep. `list`: the text is from a file given with -f, in which a newline at the
 * end begins no string. */
static bool add_lines(struct patterns *patterns, const struct settings *settings, bool list,
                      const char *text, size_t bytes_count, char *message)
{
    const char *end = text + bytes_count, *newline;
    const bool hex = settings->wild || (settings->hex && !settings->hex_text);
    const bool whole = !list && settings->is_tg && !hex;

    do {
        size_t length;

        newline = text == end || whole ? NULL : memchr(text, '\n', (size_t)(end - text));
        length = (size_t)((newline != NULL ? newline : end) - text);
        if (list && newline > text && newline[-1] == '\r' && patterns_drop_returns(settings))
            length--;
        if (settings->guard != NULL && guard_is_over(settings->guard))
            return message_fail(message, "the search ended before its strings were read");
        if (hex) {
            if (!add_hex(patterns, settings, text, length, message))
                return false;
        } else if (length == 0) {
            if (!add_empty(patterns, settings, text))
                return message_exhausted(message);
        } else if (!add_keyed(patterns, settings, text, length)) {
            return message_exhausted(message);
        }
        text = newline != NULL ? newline + 1 : end;
    } while (newline != NULL && (!list || text < end));
    return true;
}

/* Reads a whole file; *bytes is kept with the patterns. */
static bool read_file(struct patterns *patterns, const char *name, char **bytes,
                      size_t *bytes_count, char *message)
{
    return whole_read(name, bytes, bytes_count, message) &&
           (patterns_keep(patterns, *bytes) != NULL || message_exhausted(message));
}

/* Which strings count as equal: only identical ones, those that differ in the case of ASCII
 * letters, or those that grep in this locale, or Unicode, treats as equal. */
enum folding { FOLD_NONE, FOLD_ASCII, FOLD_LOCALE, FOLD_UNICODE };

/* Reads a character and returns a value that equal characters share; an invalid byte has its own
 * value. Of ASCII letters only i and I are looked up in the locale: looking up each letter made the
 * whole search of 100,000 words take 1.1 times as long. */
static uint32_t next_folded(const uint8_t **at, const uint8_t *end, enum folding folding)
{
    uint8_t byte = **at;
    uint32_t letter;
    size_t length;

    if (folding == FOLD_NONE)
        return *(*at)++;
    if (folding >= FOLD_LOCALE && (byte >= 0x80 || (byte | 0x20) == 'i') &&
        charset_decode(*at, (size_t)(end - *at), &letter, &length)) {
        *at += length;
        return charset_folded(letter, folding == FOLD_UNICODE);
    }
    ++*at;
    if (byte >= 0x80)
        return byte | UINT32_C(1) << 31;
    return byte >= 'a' && byte <= 'z' ? byte - ('a' - 'A') : byte;
}

static uint64_t hash_pattern(const struct trawl_pattern *pattern, enum folding folding)
{
    const uint8_t *at = pattern->bytes, *end = at + pattern->bytes_count;
    /* without bit 5, letters that differ in case are equal; some other characters are, too */
    const uint64_t mask = folding == FOLD_ASCII ? UINT64_C(0xdfdfdfdfdfdfdfdf) : UINT64_MAX;
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15), word;

    while (folding <= FOLD_ASCII && at < end) {
        size_t count = end - at < (ptrdiff_t)sizeof word ? (size_t)(end - at) : sizeof word;

        word = 0;
        memcpy(&word, at, count);
        hash = (hash ^ (word & mask)) * UINT64_C(0x9fb21c651e98df25);
        hash ^= hash >> 32;
        at += count;
    }
    while (at < end)
        hash = (hash ^ next_folded(&at, end, folding)) * UINT64_C(0x100000001b3);
    return hash ^ (hash >> 29);
}

static bool same_pattern(const struct trawl_pattern *a, const struct trawl_pattern *b,
                         enum folding folding)
{
    const uint8_t *first = a->bytes, *second = b->bytes;
    const uint8_t *first_end = first + a->bytes_count, *second_end = second + b->bytes_count;

    if (a->bytes_count == b->bytes_count && memcmp(first, second, (size_t)a->bytes_count) == 0)
        return true;
    while (first < first_end && second < second_end)
        if (next_folded(&first, first_end, folding) != next_folded(&second, second_end, folding))
            return false;
    return first == first_end && second == second_end;
}

/* Removes each string that equals an earlier one, and updates the columns. Finds equal strings
 * using a hash table with open addressing, at most half full. */
static bool remove_duplicates(struct patterns *patterns, enum folding folding)
{
    const bool columns = patterns->column_count > 0;
    uint64_t slots = 8, kept = 0, empty_index = patterns->empty_index;
    /* A hash table whose slots have the index + 1 of a kept pattern, or 0. With columns, the array
     * continues after the table: for each pattern i, the index + 1 of the kept pattern that equals
     * it. */
    uint64_t *table;

    while (slots < patterns->count * 2)
        slots *= 2;
    table = calloc((size_t)(slots + (columns ? patterns->count : 0)), sizeof *table);
    if (table == NULL)
        return false;
    for (uint64_t i = 0; i < patterns->count; i++) {
        struct trawl_pattern pattern = patterns->items[i];
        uint64_t slot = hash_pattern(&pattern, folding) & (slots - 1);

        while (table[slot] != 0 &&
               !same_pattern(&patterns->items[table[slot] - 1], &pattern, folding))
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == 0) {
            patterns->items[kept++] = pattern;
            table[slot] = kept;
        }
        if (columns)
            table[slots + i] = table[slot];
        if (i + 1 == empty_index)
            patterns->empty_index = kept;
    }
    for (uint64_t i = 0; i < patterns->column_count; i++)
        if (patterns->columns[i] < PATTERN_NEVER)
            patterns->columns[i] = table[slots + patterns->columns[i]] - 1;
    patterns->count = kept;
    free(table);
    return true;
}

static bool has_beyond_ascii(const struct patterns *patterns)
{
    for (uint64_t i = 0; i < patterns->count; i++)
        for (uint64_t j = 0; j < patterns->items[i].bytes_count; j++)
            if (((const uint8_t *)patterns->items[i].bytes)[j] >= 0x80)
                return true;
    return false;
}

/* Returns true if an ASCII letter of the strings also equals a character beyond ASCII. All strings
 * are ASCII. Each letter is looked up once, because a lookup queries the locale about many
 * characters. */
static bool have_foreign_variants(const struct patterns *patterns, const struct trawl_letters *utf8)
{
    bool held[128] = {false};

    for (uint64_t i = 0; i < patterns->count; i++)
        for (uint64_t j = 0; j < patterns->items[i].bytes_count; j++)
            held[((const uint8_t *)patterns->items[i].bytes)[j] & 0x7f] = true;
    for (uint32_t letter = 0; letter < 128; letter++) {
        uint32_t variants[TRAWL_UTF8_VARIANTS_MAX];
        uint32_t count = held[letter] ? utf8->variants(utf8->context, letter, variants) : 0;

        for (uint32_t i = 0; i < count; i++)
            if (variants[i] >= 0x80)
                return true;
    }
    return false;
}

/* Returns true if ignoring case, finding words, or the classes of expressions need more than
 * ASCII. If not, the library compares bytes, which is faster. */
static bool needs_utf8(const struct patterns *patterns, const struct settings *settings)
{
    const struct trawl_letters utf8 = words_utf8(settings);
    bool beyond_ascii = has_beyond_ascii(patterns);

    if (settings->no_unicode)
        return false;
    if (settings->ignore_case && !folds_by_unicode(settings))
        charset_prepare(beyond_ascii || settings->expressions);
    if (settings->expressions) /* in Perl's syntax, classes and \b mean ASCII even in UTF-8 */
        return settings->words || settings->ignore_case || settings->is_tg ||
               settings->syntax != TRAWL_PERL || settings->surroundings.charset == CHARSET_SINGLE;
    if (settings->words || !settings->ignore_case || beyond_ascii)
        return settings->words || (settings->ignore_case && beyond_ascii);
    return have_foreign_variants(patterns, &utf8);
}

/* Returns true if a string contains i, I, or a byte beyond ASCII that may belong to a letter equal
 * to i or I. */
static bool has_i(const struct patterns *patterns)
{
    for (uint64_t i = 0; i < patterns->count; i++)
        for (uint64_t j = 0; j < patterns->items[i].bytes_count; j++) {
            uint8_t byte = ((const uint8_t *)patterns->items[i].bytes)[j];

            if (byte >= 0x80 || byte == 'i' || byte == 'I')
                return true;
        }
    return false;
}

static bool are_valid(const struct patterns *patterns)
{
    for (uint64_t i = 0; i < patterns->count; i++)
        if (!charset_is_valid(patterns->items[i].bytes, (size_t)patterns->items[i].bytes_count))
            return false;
    return true;
}

/* Returns which of the library's matches must be checked under -i or -w: those of strings that are
 * invalid text, and those with i under -i in a locale where i and I are different letters. With -x
 * a match begins at a line's start, which needs no check. */
static struct pattern_check choose_check(const struct patterns *patterns,
                                         const struct settings *settings)
{
    bool words = settings->words && !settings->whole_lines;
    bool broken = settings->surroundings.charset == CHARSET_UTF8 &&
                  (settings->ignore_case || words) && has_beyond_ascii(patterns) &&
                  !are_valid(patterns);
    struct pattern_check check = {0};

    check.begins = !settings->whole_lines && broken && settings->ignore_case;
    check.words = words && broken;
    check.cases = settings->ignore_case && !folds_by_unicode(settings) && !charset_folds_ascii() &&
                  has_i(patterns);
    check.any = check.begins || check.words || check.cases;
    return check;
}

static uint32_t plan_flags(const struct settings *settings, bool whole_line)
{
    return (settings->ignore_case ? TRAWL_IGNORE_CASE : 0u) |
           (settings->words && !settings->whole_lines ? TRAWL_WHOLE_WORD : 0u) |
           (settings->is_tg && !settings->no_unicode ? TRAWL_STRICT_WORD : 0u) |
           (whole_line ? TRAWL_WHOLE_LINE : 0u);
}

/* For approximate search: returns true if -i or -w needs the locale's letters, and prepares them
 * for -i. */
static bool prepare_approximate(const struct settings *settings)
{
    bool needs = settings->surroundings.charset == CHARSET_UTF8 &&
                 (settings->ignore_case || settings->words);

    if (needs && settings->ignore_case)
        charset_prepare(true);
    return needs;
}

static bool add_rules(struct patterns *patterns, const struct settings *settings,
                      const struct pattern_file *file, char *message)
{
    struct rules rules = {.file = file,
                          .next = file->bytes,
                          .is_pair = settings->amplicon.end > 0 && file->has_names};
    bool good;

    while ((good = rules_next(patterns, &rules, message)) && rules.name.bytes != NULL)
        for (int i = 0; i <= rules.is_pair; i++) {
            const struct trawl_pattern *string = i == 0 ? &rules.string : &rules.mate;

            if (settings->numbers_wanted && !rules_name(patterns, &rules.name))
                return message_exhausted(message);
            if (!add_lines(patterns, settings, true, string->bytes, (size_t)string->bytes_count,
                           message))
                return false;
            patterns->none_given = false;
        }
    return good;
}

/* Adds the strings in a file given with -f or --rules. False: `message` says why. */
static bool add_file(struct patterns *patterns, const struct settings *settings,
                     const struct value_item *item, char *message)
{
    struct pattern_file *files =
        realloc(patterns->files, (patterns->file_count + 1) * sizeof *files);
    char *bytes;
    size_t bytes_count;

    if (files == NULL)
        return message_exhausted(message);
    patterns->files = files;
    if (!read_file(patterns, item->text, &bytes, &bytes_count, message))
        return false;
    files[patterns->file_count++] =
        (struct pattern_file){item->shown, item->kind == VALUE_RULES, bytes, bytes_count};
    if (item->kind == VALUE_RULES || (settings->fasta && bytes_count > 0 && *bytes == '>'))
        return add_rules(patterns, settings, &files[patterns->file_count - 1], message);
    if (bytes_count == 0)
        return true; /* an empty file has no string, not an empty string */
    patterns->none_given = false;
    return add_lines(patterns, settings, true, bytes, bytes_count, message);
}

static void expression_options(const struct settings *settings, struct trawl_plan_options *options)
{
    bool characters = settings->surroundings.charset == CHARSET_UTF8 || settings->is_tg;

    options->syntax =
        settings->is_tg && settings->syntax == TRAWL_PERL ? TRAWL_RIPGREP : settings->syntax;
    approximate_expressions(settings, characters && !settings->no_unicode, options);
    options->flags |= settings->crlf ? TRAWL_CRLF : 0u;
    options->flags |= settings->pcre == PCRE_ASKED ? TRAWL_PCRE : 0u;
    options->line_ends =
        (struct trawl_line_ends){settings->nuls.end_line ? 2 : 1, {settings->line_end}};
    if (!settings->multiline)
        return;
    options->flags |= TRAWL_MULTILINE | (settings->dot_all ? TRAWL_DOT_ALL : 0u);
    options->flags &= ~(uint32_t)TRAWL_WHOLE_LINE; /* expressions_join writes ^ and $ */
}

/* Returns true if --smart-case ignores case. */
static bool smart_folds(const struct patterns *patterns, const struct settings *settings)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;

    if (settings->expressions) {
        expression_options(settings, &options);
        options.alphabet =
            settings->surroundings.charset == CHARSET_UTF8 ? TRAWL_CHARACTERS : TRAWL_BYTES;
        return expressions_fold(patterns, settings, &options);
    }
    for (uint64_t i = 0; i < patterns->count; i++)
        if (charset_has_capital(settings->surroundings.charset, patterns->items[i].bytes,
                                (size_t)patterns->items[i].bytes_count))
            return false;
    return !patterns->never_has_capital;
}

/* Completes the strings after the last one was read. Under -i, strings (not expressions) that
 * differ only in case become a single pattern, so that each occurrence is found once. */
static bool finish(struct patterns *patterns, struct settings *settings, char *message)
{
    enum folding folding = FOLD_NONE;
    size_t used;

    /* as in grep, where -v with an empty list means the same as a search for the empty string */
    settings->colors.reverse &= patterns->count > 0 || patterns->has_empty;
    if ((settings->syntax != TRAWL_LITERAL || settings->multiline || settings->is_tg) &&
        !expressions_take(patterns, settings))
        return message_exhausted(message);
    if (settings->expressions && settings->multiline && settings->whole_lines &&
        settings->numbers_wanted)
        return message_fail(message,
                            "--multiline: -x cannot be combined with numbers of expressions");
    if (settings->asked.smart_case)
        settings->ignore_case = smart_folds(patterns, settings);
    if (settings->crlf && settings->whole_lines && settings->numbers_wanted &&
        settings->syntax == TRAWL_LITERAL)
        return message_fail(message, "--crlf with -x cannot be combined with numbers of strings");
    if (patterns->has_empty && (settings->approximate || settings->fasta)) {
        used = patterns_place(patterns, "string", patterns->empty, UINT64_MAX, message,
                              SETTINGS_ERROR_BYTES);
        snprintf(message + used, SETTINGS_ERROR_BYTES - used,
                 "the empty string cannot be searched for with errors, nor with --fasta");
        return false;
    }
    if (settings->approximate)
        patterns->needs_utf8 = prepare_approximate(settings);
    else
        patterns->needs_utf8 =
            (settings->surroundings.charset != CHARSET_BYTES || settings->is_tg) &&
            needs_utf8(patterns, settings);
    if (settings->surroundings.charset != CHARSET_BYTES && !settings->approximate &&
        !settings->expressions)
        patterns->check = choose_check(patterns, settings);
    if (settings->wide)
        patterns->check = (struct pattern_check){settings->words, .wide = settings->words};
    if (settings->ignore_case && !settings->expressions)
        folding = !patterns->needs_utf8        ? FOLD_ASCII
                  : folds_by_unicode(settings) ? FOLD_UNICODE
                                               : FOLD_LOCALE;
    patterns->in_order = settings->is_tg && !settings->expressions && !settings->approximate &&
                         !settings->numbers_wanted && settings_show_matches(settings);
    patterns->finds_empty = patterns->in_order && patterns->has_empty;
    patterns->many_may_match =
        settings->approximate || settings->expressions || folding >= FOLD_LOCALE;
    if (patterns->count > 1 && !remove_duplicates(patterns, folding))
        return message_exhausted(message);
    if (patterns->in_order && patterns->count > 1 && folding <= FOLD_ASCII &&
        !patterns->has_empty && !settings->words && !settings->whole_lines &&
        !settings->overlapping && !patterns->check.any) {
        if (!prefixes_remove(patterns, folding == FOLD_ASCII))
            return message_exhausted(message);
        patterns->in_order = false;
    }
    return ((!settings->expressions || expressions_join(patterns, settings)) &&
            (!settings->numbers_wanted || numbers_build(&patterns->numbers, patterns))) ||
           message_exhausted(message);
}

bool patterns_drop_returns(const struct settings *settings)
{
    return settings->is_tg || settings->crlf;
}

bool patterns_gather(struct patterns *patterns, struct settings *settings,
                     const char *first_operand, char *message)
{
    const struct value_list *list = &settings->patterns;

    if (first_operand != NULL)
        return add_lines(patterns, settings, false, first_operand, strlen(first_operand),
                         message) &&
               finish(patterns, settings, message);
    patterns->none_given = true;
    for (size_t i = 0; i < list->count; i++) {
        const char *text = list->items[i].text;

        if (settings->amplicon.end > 0 && settings->asked.rules &&
            list->items[i].kind != VALUE_RULES)
            return message_fail(message, "--amplicon: --rules has all primers");
        if (list->items[i].kind == VALUE_FILE || list->items[i].kind == VALUE_RULES) {
            if (!add_file(patterns, settings, &list->items[i], message))
                return false;
            continue;
        }
        if (!add_lines(patterns, settings, false, text, strlen(text), message))
            return false;
        patterns->none_given = false;
    }
    return finish(patterns, settings, message);
}

static enum trawl_method method_named(const char *name, bool *known)
{
#define METHOD_NAMED(id, number, text) \
    if (strcmp(name, text) == 0)       \
        return TRAWL_METHOD_##id;
    TRAWL_METHOD_LIST(METHOD_NAMED)
#undef METHOD_NAMED
    *known = false;
    return TRAWL_METHOD_AUTO;
}

/* Sets `crosses` and `sees_lines`. */
static void look_at(struct patterns *patterns, const struct trawl_plan *plan)
{
    struct trawl_plan_told told = {.size = sizeof told};

    if (trawl_plan_tell(plan, &told, NULL) != TRAWL_OK)
        return;
    patterns->crosses = (told.flags & TRAWL_MULTILINE) != 0;
    patterns->sees_lines = told.pcre > 0;
}

/* Of the ways to enable PCRE2 that a message lists, keeps the option -P alone, since the others are
 * not for the command's user. Returns the error. */
static const struct trawl_error *name_option(const struct settings *settings,
                                             struct trawl_error *error)
{
    static const char others[] = ", TRAWL_PCRE, trawl-serve --allow-pcre";
    char *at = settings->guard == NULL ? strstr(error->message, others) : NULL;

    if (at != NULL)
        memmove(at, at + strlen(others), strlen(at + strlen(others)) + 1);
    return error;
}

bool patterns_plan(struct patterns *patterns, const struct settings *settings, bool whole_line,
                   struct trawl_plan **plan, char *message)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    enum trawl_status status;
    struct trawl_error error;
    uint64_t spare = 0;
    size_t used = 0;
    bool known = true;

    options.flags = settings->wide ? TRAWL_WIDE : plan_flags(settings, whole_line);
    /* the second is NUL */
    options.line_ends =
        (struct trawl_line_ends){settings->nuls.end_count ? 2 : 1, {settings->line_end}};
    patterns->letters = words_letters(settings, patterns->needs_utf8);
    if (patterns->needs_utf8 || !settings->expressions)
        options.letters = &patterns->letters;
    if (patterns->needs_utf8 && settings->surroundings.charset == CHARSET_SINGLE)
        options.flags |= TRAWL_SINGLE_BYTE;
    if (settings->approximate)
        approximate_options(patterns, settings, &options);
    if (settings->expressions)
        expression_options(settings, &options);
    if (settings->search.method != NULL)
        options.method = method_named(settings->search.method, &known);
    if (!known)
        return message_fail(message, "--method: '%s' is not one of" METHOD_WORDS,
                            settings->search.method);
    options.algorithm = settings->search.algorithm;
    if (settings->expressions && settings->guard != NULL &&
        !expressions_bound(patterns, settings, &options, &spare))
        return message_exhausted(message);
    if (settings->is_tg && expressions_ask_ender(patterns, settings, &options, message))
        return false;
    status = settings->expressions
                 ? expressions_plan(patterns, settings, &options, plan, &error)
                 : trawl_plan_build(patterns->items, patterns->count, &options, plan, &error);
    patterns->options = options;
    if (status != TRAWL_OK && settings->expressions)
        expressions_fault(patterns, name_option(settings, &error), message);
    if (status == TRAWL_OK && settings->expressions)
        look_at(patterns, *plan);
    if (patterns->crosses)
        patterns->finds_empty = false; /* here the library itself delivers empty matches */
    else if (status == TRAWL_OK && settings->expressions && settings->is_tg &&
             !settings->numbers_wanted && settings_show_matches(settings))
        patterns_find_empty(patterns, *plan);
    if (status == TRAWL_LIMIT || status == TRAWL_MEMORY)
        guard_refuse(settings->guard, status == TRAWL_LIMIT ? GUARD_PLAN : GUARD_SHORT);
    if (spare > 0)
        guard_give(settings->guard, spare);
    if (status == TRAWL_OK || settings->expressions)
        return status == TRAWL_OK;
    if (error.pattern_index < patterns->count)
        used = patterns_place(patterns, "string", patterns->items[error.pattern_index].bytes,
                              error.pattern_index, message, SETTINGS_ERROR_BYTES);
    approximate_string(patterns, &error);
    snprintf(message + used, SETTINGS_ERROR_BYTES - used, "%s%s",
             strncmp(error.message, "exact: ", 7) == 0 ? "--"
             : settings->search.algorithm != NULL      ? "--algorithm: "
             : settings->search.method != NULL         ? "--method: "
             : settings->errors.mismatches_max > 0     ? "--mismatches: "
             : settings->errors.edits_max > 0          ? "--edits: "
             : settings->approximate                   ? "--alphabet=dna: "
                                                       : "",
             error.message);
    return false;
}

void patterns_free(struct patterns *patterns)
{
    trawl_plan_free(patterns->plan);
    trawl_plan_free(patterns->plan_any_position);
    trawl_plan_free(patterns->headings);
    for (size_t i = 0; i < patterns->block_count; i++)
        free(patterns->blocks[i]);
    free(patterns->blocks);
    free(patterns->files);
    free(patterns->items);
    free(patterns->columns);
    free(patterns->strings);
    free(patterns->names);
    free(patterns->numbers.begin);
    free(patterns->numbers.list);
    free(patterns->numbers.empty);
    memset(patterns, 0, sizeof *patterns);
}
