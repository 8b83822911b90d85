/* value: the setters that flags.def names.
 *
 * The parser calls a setter with the option's value and the settings. If a value is wrong, the
 * setter writes an error that names the option. settings.c checks what options mean together.
 */
#include "trawl/options/flag_table.h"
#include "trawl/options/settings.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/options/colors.h"
#include "trawl/options/encoding.h"
#include "trawl/options/hyperlink.h"

/* Returns the index of `value` in a list of names such as "a, b, c". -1: the error is set. */
static int choose(struct settings *settings, const char *option, const char *value,
                  const char *names)
{
    size_t bytes = strlen(value);
    const char *name = names;

    for (int place = 0; *name != '\0'; place++) {
        size_t name_bytes = strcspn(name, ",");

        if (bytes == name_bytes && memcmp(value, name, bytes) == 0)
            return place;
        name += name_bytes;
        name += strspn(name, ", ");
    }
    value_refuse(settings, "%s: '%s' is not one of %s", option, value, names);
    return -1;
}

enum number_state { NUMBER_GOOD, NUMBER_BAD, NUMBER_HUGE };

/* Reads decimal digits after blanks and an optional sign, as strtol does. */
static enum number_state parse_number(const char *text, bool *negative, uint64_t *number)
{
    bool huge = false;

    *number = 0;
    while (isspace((unsigned char)*text))
        text++;
    *negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    if (*text == '\0')
        return NUMBER_BAD;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return NUMBER_BAD;
        huge = huge || __builtin_mul_overflow(*number, (uint64_t)10, number) ||
               __builtin_add_overflow(*number, (uint64_t)(*text - '0'), number);
    }
    return huge ? NUMBER_HUGE : NUMBER_GOOD;
}

bool value_number(struct settings *settings, const char *option, const char *value, uint64_t min,
                  uint64_t max, uint64_t *number)
{
    bool negative;
    uint64_t parsed;
    enum number_state state = parse_number(value, &negative, &parsed);

    if (state == NUMBER_BAD)
        return value_refuse(settings, "%s: '%s' is not a number", option, value);
    if (state == NUMBER_HUGE || (negative && parsed != 0) || parsed < min || parsed > max)
        return value_refuse(settings, "%s: '%s' is not from %" PRIu64 " to %" PRIu64, option, value,
                            min, max);
    *number = parsed;
    return true;
}

bool value_context(struct settings *settings, const char *option, const char *value, int64_t *count)
{
    bool negative;
    uint64_t parsed;
    enum number_state state = parse_number(value, &negative, &parsed);

    if (state == NUMBER_BAD || (negative && (state == NUMBER_HUGE || parsed != 0)))
        return value_refuse(settings, "%s: '%s' is not a number", option, value);
    *count = state == NUMBER_HUGE || parsed > INT64_MAX ? INT64_MAX : (int64_t)parsed;
    if (settings->is_tg)
        settings->passthru = false;
    return true;
}

bool value_around(struct settings *settings, const char *value)
{
    const size_t digits = strspn(value, "0123456789"), from = digits + (value[digits] == ',');
    const char *after = value[digits] == ',' ? value + from : value;

    errno = 0;
    settings->style.around_before = strtoull(value, NULL, 10);
    settings->style.around_after = strtoull(after, NULL, 10);
    settings->style.excerpts = true;
    if (digits == 0 || *after == '\0' || after[strspn(after, "0123456789")] != '\0' || errno != 0)
        return value_refuse(settings, "--around: '%s' is not a number, or two as in 80,20", value);
    return true;
}

bool value_max_count(struct settings *settings, const char *value)
{
    bool negative;
    uint64_t parsed;
    enum number_state state = parse_number(value, &negative, &parsed);

    negative = negative && (parsed != 0 || state == NUMBER_HUGE);
    if (state == NUMBER_BAD || (negative && settings->is_tg)) /* for grep, no limit */
        return value_refuse(settings, "-m (--max-count): '%s' is not a number", value);
    if (negative)
        settings->asked.max_count_given = -1;
    else
        settings->asked.max_count_given =
            state == NUMBER_HUGE || parsed > INT64_MAX ? MAX_COUNT_NONE : (int64_t)parsed;
    return true;
}

bool value_binary_files(struct settings *settings, const char *value)
{
    int place = choose(settings, "--binary-files", value, "binary, text, without-match");

    settings->binary_files = (enum binary_files)place;
    return place >= 0;
}

/* As in grep, unambiguous abbreviations of the words are allowed. */
bool value_directories(struct settings *settings, const char *value)
{
    size_t bytes = strlen(value);

    if (bytes >= 1 && strncmp("skip", value, bytes) == 0)
        settings->files.directories = DIRECTORIES_SKIP;
    else if (bytes >= 3 && strncmp("read", value, bytes) == 0)
        settings->files.directories = DIRECTORIES_READ;
    else if (bytes >= 3 && strncmp("recurse", value, bytes) == 0)
        settings->files.directories = DIRECTORIES_RECURSE;
    else
        return value_refuse(
            settings,
            "-d (--directories): '%s': unknown directories method, use read, recurse or skip",
            value);
    return true;
}

bool value_special_files(struct settings *settings, const char *value)
{
    int place = choose(settings, "-D (--devices)", value, "read, skip");

    settings->files.special_files = place == 0 ? SPECIAL_FILES_READ : SPECIAL_FILES_SKIP;
    return place >= 0;
}

static bool one_of(const char *value, const char *a, const char *b, const char *c)
{
    return strcmp(value, a) == 0 || strcmp(value, b) == 0 || strcmp(value, c) == 0;
}

bool value_color(struct settings *settings, const char *value)
{
    settings->asked.color_given = true;
    if (value == NULL || one_of(value, "auto", "tty", "if-tty"))
        settings->asked.color = COLOR_AUTO;
    else if (one_of(value, "always", "yes", "force") || strcmp(value, "ansi") == 0) /* as ripgrep */
        settings->asked.color = COLOR_ALWAYS;
    else if (one_of(value, "never", "no", "none"))
        settings->asked.color = COLOR_NEVER;
    else
        return value_refuse(settings, "--color: '%s' is not one of always, never, auto", value);
    return true;
}

bool value_engine(struct settings *settings, const char *value)
{
    int place = choose(settings, "--engine", value, "auto, cpu, cuda, default, pcre2");

    settings->search.engine = place < 3 ? value : "auto";
    if (place == 4 || (settings->is_tg && (place == 0 || place == 3)))
        settings->pcre = place == 0 ? PCRE_LAST : place == 3 ? PCRE_NEVER : PCRE_ASKED;
    if (place == 4 && (!settings->is_tg || settings->syntax != TRAWL_LITERAL))
        settings->syntax = TRAWL_PERL;
    return place >= 0;
}

/* Reads digits with an optional suffix K, M or G. */
bool value_size(struct settings *settings, const char *option, const char *value, uint64_t *bytes)
{
    size_t digits = strspn(value, "0123456789");
    const char *unit = value + digits;
    unsigned shift = *unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0;
    uint64_t number = 0;
    bool huge = false;

    if (digits == 0 || unit[shift != 0] != '\0')
        return value_refuse(settings,
                            "%s: '%s' is not a number, with or without a suffix K, M or G", option,
                            value);
    for (size_t i = 0; i < digits; i++)
        huge = huge || __builtin_mul_overflow(number, (uint64_t)10, &number) ||
               __builtin_add_overflow(number, (uint64_t)(value[i] - '0'), &number);
    if (huge || number > UINT64_MAX >> shift)
        return value_refuse(settings, "%s: '%s' is out of range", option, value);
    *bytes = number << shift;
    return true;
}

bool value_sort(struct settings *settings, const char *option, const char *value, bool backwards)
{
    int place = choose(settings, option, value, "none, path, modified, accessed, created");

    settings->files.sort_backwards = backwards;
    settings->files.sort = (enum sort_by)place;
    return place >= 0;
}

bool value_xor(struct settings *settings, const char *value)
{
    const char *text = value != NULL ? value : "1-255";
    unsigned long from, to;
    char *end;

    from = to = strtoul(text, &end, 0);
    if (end > text && *end == '-' && end[1] >= '0' && end[1] <= '9')
        to = strtoul(end + 1, &end, 0);
    if (*text < '0' || *text > '9' || *end != '\0' || from > to || to > 255 || to == 0)
        return value_refuse(settings, "--xor: '%s' is not a range of 1 to 255, as in 1-255", text);
    settings->xor_from = from == 0 ? 1 : (unsigned)from;
    settings->xor_to = (unsigned)to;
    return true;
}

bool value_alphabet(struct settings *settings, const char *value)
{
    int place = choose(settings, "--alphabet", value, "bytes, utf8, dna");

    settings->errors.alphabet_given = true;
    settings->errors.alphabet = (enum trawl_alphabet)place;
    return place >= 0;
}

/* Reads FROM-TO, or FROM alone. False: these are no numbers from 1 on, in order. */
static bool read_range(const char *value, struct trawl_range *range)
{
    const size_t digits = strspn(value, "0123456789");
    const char *to = value[digits] == '-' ? value + digits + 1 : value;

    errno = 0;
    range->begin = strtoull(value, NULL, 10) - 1;
    range->end = strtoull(to, NULL, 10);
    return digits > 0 && *to != '\0' && to[strspn(to, "0123456789")] == '\0' && errno == 0 &&
           range->begin < range->end;
}

bool value_exact(struct settings *settings, const char *value)
{
    size_t count = settings->errors.exact_count;
    struct trawl_range *exact = realloc(settings->errors.exact, (count + 1) * sizeof *exact);

    if (exact == NULL)
        return false;
    settings->errors.exact = exact;
    if (!read_range(value, &exact[count]))
        return value_refuse(settings, "--exact: '%s' is not a range FROM-TO of numbers from 1 on",
                            value);
    settings->errors.exact_count++;
    return true;
}

bool value_amplicon(struct settings *settings, const char *value)
{
    settings->errors.reverse_complement = true;
    return read_range(value, &settings->amplicon) ||
           value_refuse(settings, "--amplicon: '%s' is not a range MIN-MAX of numbers from 1 on",
                        value);
}

void value_unrestricted(struct settings *settings)
{
    unsigned count = ++settings->files.unrestricted_count;

    if (count == 1)
        value_ignore(settings, false);
    else if (count == 2)
        settings->files.hidden = 1;
    else
        settings->binary_files = BINARY_FILES_BINARY;
}

void value_ignore(struct settings *settings, bool ignore)
{
    struct file_settings *files = &settings->files;

    files->no_ignore = !ignore;
    if (!settings->is_tg)
        return;
    files->no_ignore_dot = files->no_ignore_exclude = files->no_ignore_global = !ignore;
    files->no_ignore_parent = files->no_ignore_vcs = !ignore;
}

void value_report(struct settings *settings, enum flag_id report)
{
    bool *asked = settings->asked.reports;

    if (report == FLAG_NO_JSON) {
        settings->json = false;
        return;
    }
    if (settings->is_tg)
        settings->json = false;
    if (settings->is_tg || report == FLAG_COUNT || report == FLAG_COUNT_MATCHES)
        asked[REPORT_COUNT] = asked[REPORT_COUNT_MATCHES] = false;
    if (settings->is_tg || report == FLAG_FILES_WITH_MATCHES || report == FLAG_FILES_WITHOUT_MATCH)
        settings->list = LIST_NONE;
    settings->json |= report == FLAG_JSON;
    asked[REPORT_COUNT] |= report == FLAG_COUNT;
    asked[REPORT_COUNT_MATCHES] |= report == FLAG_COUNT_MATCHES;
    if (report == FLAG_FILES_WITH_MATCHES || report == FLAG_FILES_WITHOUT_MATCH)
        settings->list = report == FLAG_FILES_WITH_MATCHES ? LIST_WITH_MATCHES : LIST_WITHOUT_MATCH;
}

void value_pretty(struct settings *settings)
{
    settings->asked.color = COLOR_ALWAYS;
    settings->style.heading = settings->heads.line_number = true;
    settings->asked.heading_given = settings->asked.color_given = true;
    settings->asked.no_line_number = false;
}

/* ---- How results look ------------------------------------------------------------------------ */

bool value_check_colors(struct settings *settings, const char *spec)
{
    struct color_spec specs[COLOR_TYPE_COUNT];
    const char *wrong;

    memset(specs, 0, sizeof specs);
    wrong = color_spec_read(specs, spec);
    return wrong == NULL || value_refuse(settings, "--colors: '%s': %s", spec, wrong);
}

int value_hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if ((digit >= 'a' && digit <= 'f') || (digit >= 'A' && digit <= 'F'))
        return (digit | 0x20) - 'a' + 10;
    return -1;
}

/* Replaces the known escapes \n, \r, \t, \\, \0 and \xHH with the bytes they name. Adds a NUL.
 * Returns the length. */
static size_t unescape(char *bytes, const char *text)
{
    size_t used = 0;

    while (*text != '\0') {
        static const char letters[] = "nrt\\0", meanings[] = "\n\r\t\\";
        const char *letter = text[0] == '\\' && text[1] != '\0' ? strchr(letters, text[1]) : NULL;

        if (letter != NULL) {
            bytes[used++] = meanings[letter - letters];
            text += 2;
        } else if (text[0] == '\\' && text[1] == 'x' && value_hex_digit(text[2]) >= 0 &&
                   value_hex_digit(text[3]) >= 0) {
            bytes[used++] = (char)(value_hex_digit(text[2]) * 16 + value_hex_digit(text[3]));
            text += 4;
        } else {
            bytes[used++] = *text++;
        }
    }
    bytes[used] = '\0';
    return used;
}

char *value_keep(struct settings *settings, const char *value)
{
    char **storage = realloc(settings->arguments.storage,
                             (settings->arguments.storage_count + 1) * sizeof *storage);
    char *copy;

    if (storage == NULL)
        return NULL;
    settings->arguments.storage = storage;
    copy = strdup(value);
    if (copy != NULL)
        storage[settings->arguments.storage_count++] = copy;
    return copy;
}

bool value_separator(struct settings *settings, const char *value, const char **bytes,
                     size_t *bytes_count)
{
    char *copy = value_keep(settings, value);

    if (copy == NULL)
        return false;
    *bytes_count = unescape(copy, value);
    *bytes = copy;
    return true;
}

bool value_encoding(struct settings *settings, const char *value)
{
    if (!encoding_is_known(value))
        return value_refuse(
            settings,
            strcmp(value, "guess") == 0
                ? "--encoding=%s needs the library uchardet (libuchardet.so.0), which is not here"
            : settings->is_tg
                ? "-E (--encoding): '%s' is not auto, guess, none, or an encoding that this system "
                  "knows"
                : "--encoding: '%s' is not auto, guess, none, or an encoding that this system "
                  "knows",
            value);
    settings->encoding = strcmp(value, "none") == 0 ? NULL : value;
    return true;
}

bool value_hyperlink(struct settings *settings, const char *value)
{
    const char *format = hyperlink_format(value), *wrong = hyperlink_check(format);

    settings->style.hyperlink = format;
    return wrong == NULL || value_refuse(settings, "--hyperlink-format: '%s': %s", value, wrong);
}

bool value_path_separator(struct settings *settings, const char *value)
{
    const char *bytes = NULL;
    size_t bytes_count = 0;

    if (!value_separator(settings, value, &bytes, &bytes_count))
        return false;
    if (bytes_count > 1)
        return value_refuse(settings, "--path-separator: '%s' is not one byte", value);
    settings->style.path_separator = bytes_count == 0 ? NULL : bytes;
    return true;
}
