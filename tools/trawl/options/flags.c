/* flags: the table of options, and the parser of arguments and of the file of options.
 *
 * main.c parses the command line with it; the server parses its own command line and the options of
 * requests. flags.def has the rows. A row's setter (value.c) stores the value.
 */
#include "trawl/options/flag_table.h"
#include "trawl/options/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl/text/grow.h"
#include "trawl/text/whole.h"

#define CONFIG_BYTES_MAX (1u << 20)
#define BLANKS " \t\r\v\f"

const struct flag flag_table[FLAG_COUNT_ALL] = {
#define FLAG(id_, letter_, name_, argument_, argument_name_, category_, served_, summary_, ...) \
    {FLAG_##id_,                                                                                \
     FLAG_##id_,                                                                                \
     letter_,                                                                                   \
     ARGUMENT_##argument_,                                                                      \
     CATEGORY_##category_,                                                                      \
     SERVED_##served_,                                                                          \
     name_,                                                                                     \
     argument_name_,                                                                            \
     summary_},
#define ALIAS(id_, letter_, name_, target_)                                              \
    {FLAG_##id_, FLAG_##target_, letter_, ARGUMENT_NONE, CATEGORY_REFUSED, SERVED_LINES, \
     name_,      NULL,           ""},
#include "trawl/options/flags.def"
#undef FLAG
#undef ALIAS
};

const char *flag_refusal(const struct flag *flag)
{
    static const char chooses[] = "the server chooses how it searches";
    static const char *const reasons[] = {
        [SERVED_STARTS] = chooses,
        [SERVED_READS] = "it reads a file of the client",
        [SERVED_CHOOSES] = chooses,
        [SERVED_TEXT] = "the request's member patterns has the strings",
        [SERVED_WALKS] = "a server walks no directory for a request",
        [SERVED_LINKS] = "the server follows no links",
        [SERVED_ASKS] = "a server does not ask another server",
        [SERVED_REPORTS] = "it tells about a search of the command itself",
        [SERVED_ALONE] = "only the command itself can do that",
        [SERVED_PRINTS] = "it prints a document and searches nothing",
    };

    return reasons[flag_table[flag->target].served];
}

/* grep rejects -NUM with more digits, and shows "..." for the rest. */
#define DIGITS_MAX 21u

/* The position of the parser in the arguments. */
struct reader {
    char *const *arguments;
    int count;
    int next;                               /* index of the next argument */
    int at;                                 /* index of the option that is being read */
    char digits[DIGITS_MAX + sizeof "..."]; /* the digits of -NUM read so far */
    size_t digit_count;
    bool digit_last; /* the preceding letter in the same argument was a digit */
};

bool flags_refuse(const struct option_pair *pairs, size_t count, const char *verb, char *error)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].wrong) {
            snprintf(error, SETTINGS_ERROR_BYTES, "%s %s %s", pairs[i].what, verb, pairs[i].other);
            return true;
        }
    return false;
}

bool value_add(struct value_list *list, enum value_kind kind, const char *text)
{
    if (!GROW(list->items, list->capacity, 8, list->count + 1))
        return false;
    list->items[list->count++] =
        (struct value_item){kind, text, strcmp(text, "-") == 0 ? "(standard input)" : text};
    return true;
}

/* Carries out an option, and records it for a request to a server. False: settings->error
 * is set, or empty if out of memory. */
static bool take_option(struct settings *settings, const struct flag *flag, const char *value)
{
    struct arguments *read = &settings->arguments;

    if (!GROW(read->given, read->given_capacity, 16, read->given_count + 1))
        return false;
    read->given[read->given_count++] = (struct given_option){&flag_table[flag->target], value};
    settings->asked.names_errors |= flag_table[flag->target].category == CATEGORY_ERRORS;
    switch (flag->target) {
#define FLAG(id_, letter_, name_, argument_, argument_name_, category_, served_, summary_, ...) \
    case FLAG_##id_:                                                                            \
        __VA_ARGS__;                                                                            \
        break;
#define ALIAS(id_, letter_, name_, target_)
#include "trawl/options/flags.def"
#include "trawl/text/message.h"
#undef FLAG
#undef ALIAS
    default: /* aliases have no case */
        break;
    }
    return true;
}

/* Returns true if grep has the option. grep's options are searched first, so that abbreviations
 * mean the same as in grep. */
static bool is_grep_row(const struct flag *flag)
{
    enum flag_category category = flag_table[flag->target].category;

    return category != CATEGORY_LAYOUT && category != CATEGORY_FILES &&
           category != CATEGORY_BEYOND && category != CATEGORY_ERRORS &&
           category != CATEGORY_EXPERT;
}

/* Writes the error for an abbreviation of several options, and lists them. */
static void ambiguous(struct settings *settings, const char *value_name, size_t bytes, bool of_grep)
{
    size_t used = (size_t)snprintf(settings->error, sizeof settings->error,
                                   "option '--%s' is ambiguous; possibilities:", value_name);

    for (size_t i = 0; i < FLAG_COUNT_ALL && used < sizeof settings->error; i++) {
        const struct flag *flag = &flag_table[i];

        if (flag->name != NULL && is_grep_row(flag) == of_grep &&
            strncmp(flag->name, value_name, bytes) == 0)
            used += (size_t)snprintf(settings->error + used, sizeof settings->error - used,
                                     " '--%s'", flag->name);
    }
}

#define NAME_BYTES_MAX 40

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns how many letters must be inserted, deleted, changed or swapped with a neighbour to turn a
 * into b (Damerau 1964). */
static size_t distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    size_t rows[3][NAME_BYTES_MAX + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];

    for (size_t j = 0; j <= b_bytes; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t *oldest = before;

        row[0] = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            row[j] = min(above[j], row[j - 1]) + 1;
            row[j] = min(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min(row[j], before[j - 2] + 1);
        }
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_bytes];
}

const char *const *flags_more_names;

/* Writes the error for an unknown option, with the nearest name if one is near enough. */
static void unrecognized(struct settings *settings, const char *text, size_t bytes)
{
    size_t nearest = bytes / 3 + 1 < 4 ? bytes / 3 + 1 : 4;
    const char *name = NULL;

    for (size_t i = 0; bytes <= NAME_BYTES_MAX; i++) {
        const char *candidate = i < FLAG_COUNT_ALL         ? flag_table[i].name
                                : flags_more_names == NULL ? NULL
                                                           : flags_more_names[i - FLAG_COUNT_ALL];
        size_t candidate_bytes = candidate == NULL ? 0 : strlen(candidate), away;

        if (candidate == NULL && i >= FLAG_COUNT_ALL)
            break;
        if (candidate == NULL || candidate_bytes > NAME_BYTES_MAX)
            continue;
        away = distance(text, bytes, candidate, candidate_bytes);
        if (away < nearest) {
            nearest = away;
            name = candidate;
        }
    }
    if (name != NULL)
        value_refuse(settings, "unrecognized option '--%s'; did you mean '--%s'?", text, name);
    else
        value_refuse(settings, "unrecognized option '--%s'", text);
}

/* Finds the row of a long option, whole or abbreviated. NULL: settings->error is set. */
static const struct flag *find_long(struct settings *settings, const char *text, size_t bytes)
{
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++)
        if (flag_table[i].name != NULL && strlen(flag_table[i].name) == bytes &&
            memcmp(flag_table[i].name, text, bytes) == 0)
            return &flag_table[i];
    for (int of_grep = 1; of_grep >= 0; of_grep--) {
        const struct flag *found = NULL;

        for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
            const struct flag *flag = &flag_table[i];

            if (flag->name == NULL || is_grep_row(flag) != (of_grep == 1) ||
                strncmp(flag->name, text, bytes) != 0)
                continue;
            if (found != NULL && found->target != flag->target) {
                ambiguous(settings, text, bytes, of_grep == 1);
                return NULL;
            }
            found = flag;
        }
        if (found != NULL)
            return found;
    }
    unrecognized(settings, text, bytes);
    return NULL;
}

/* Carries out a long option, given without its "--". The value follows '=' or is the next argument.
 * False: settings->error is set, or empty if out of memory. */
static bool read_long(struct settings *settings, struct reader *reader, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t bytes = equals != NULL ? (size_t)(equals - text) : strlen(text);
    const struct flag *flag = find_long(settings, text, bytes);
    const char *value = equals != NULL ? equals + 1 : NULL;
    enum flag_argument argument;

    if (flag == NULL)
        return false;
    argument = flag_takes(flag, settings->is_tg);
    if (argument == ARGUMENT_NONE && value != NULL)
        return value_refuse(settings, "option '--%s' doesn't allow an argument: '%s'", flag->name,
                            value);
    if (argument == ARGUMENT_REQUIRED && value == NULL) {
        if (reader->next >= reader->count)
            return value_refuse(settings, "option '--%s' requires an argument", flag->name);
        value = reader->arguments[reader->next++];
    }
    return take_option(settings, flag, value);
}

/* letters that mean different options in ripgrep and grep. -d is from ripgrep 14. */
static const struct {
    char letter;
    enum flag_id id;
} tg_letters[] = {
    {'0', FLAG_NULL_NAME},      {'E', FLAG_ENCODING},     {'I', FLAG_NO_FILENAME},
    {'L', FLAG_FOLLOW},         {'T', FLAG_TYPE_NOT},     {'U', FLAG_MULTILINE},
    {'d', FLAG_DEPTH_MAX},      {'h', FLAG_HELP},         {'r', FLAG_REPLACE},
    {'s', FLAG_CASE_SENSITIVE}, {'u', FLAG_UNRESTRICTED}, {'z', FLAG_SEARCH_ZIP},
};

enum flag_argument flag_takes(const struct flag *flag, bool tg)
{
    return tg && flag->target == FLAG_COLOR ? ARGUMENT_REQUIRED : flag_table[flag->target].argument;
}

const struct flag *flag_of_letter(char letter, bool tg)
{
    for (size_t i = 0; tg && i < sizeof tg_letters / sizeof *tg_letters; i++)
        if (tg_letters[i].letter == letter)
            return &flag_table[tg_letters[i].id];
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++)
        if (flag_table[i].letter == letter)
            return &flag_table[i];
    return NULL;
}

/* Adds a digit to -NUM. Adjacent digits form a number; a later number replaces an earlier
 * number. */
static void read_digit(struct reader *reader, char digit)
{
    if (reader->digits[DIGITS_MAX] == '.')
        return; /* rejected, whatever follows */
    if (!reader->digit_last)
        reader->digit_count = 0;
    else if (reader->digit_count == 1 && reader->digits[0] == '0')
        reader->digit_count = 0;
    if (reader->digit_count < DIGITS_MAX) {
        reader->digits[reader->digit_count++] = digit;
        reader->digits[reader->digit_count] = '\0';
    } else {
        memcpy(reader->digits + DIGITS_MAX, "...", sizeof "...");
    }
    reader->digit_last = true;
}

/* Ends -NUM, before another option or at the end of the options. */
static bool end_digits(struct settings *settings, struct reader *reader)
{
    const char *value = value_keep(settings, reader->digits);

    reader->digit_count = 0;
    reader->digit_last = false;
    if (value == NULL)
        return false;
    return take_option(settings, &flag_table[FLAG_AROUND], value);
}

/* Returns true if the digit is tg's -0, not a part of -NUM. */
static bool is_tg_null(const struct settings *settings, const struct reader *reader,
                       const char *text)
{
    return settings->is_tg && text[0] == '0' && !reader->digit_last &&
           (text[1] < '0' || text[1] > '9');
}

/* Carries out a cluster of short options, given without its '-'. False: settings->error is set, or
 * empty if out of memory. */
static bool read_short(struct settings *settings, struct reader *reader, const char *text)
{
    reader->digit_last = false;
    for (; *text != '\0'; text++) {
        const struct flag *flag;
        const char *value = NULL;

        if (*text >= '0' && *text <= '9' && !is_tg_null(settings, reader, text)) {
            read_digit(reader, *text);
            continue;
        }
        if (reader->digit_count > 0 && !end_digits(settings, reader))
            return false;
        flag = flag_of_letter(*text, settings->is_tg);
        if (flag == NULL)
            return value_refuse(settings, "invalid option -- '%c'", *text);
        if (flag_takes(flag, settings->is_tg) == ARGUMENT_REQUIRED) {
            value = text + 1;
            if (settings->is_tg && *value == '=') { /* ripgrep's -r=new is -r new */
                value++;
            } else if (*value == '\0') {
                if (reader->next >= reader->count)
                    return value_refuse(settings, "option requires an argument -- '%c'", *text);
                value = reader->arguments[reader->next++];
            }
        }
        if (!take_option(settings, flag, value))
            return false;
        if (value != NULL)
            break;
    }
    return true;
}

bool flags_means_tg(const char *name)
{
    const char *slash = name == NULL ? NULL : strrchr(name, '/');

    return name != NULL && strcmp(slash == NULL ? name : slash + 1, "tg") == 0;
}

/* Reads all arguments of the reader. `file`: the arguments come from a file of options, where
 * operands are errors. */
static bool read_arguments(struct settings *settings, struct reader *reader,
                           bool operands_end_options, bool file)
{
    bool options = true;

    while (reader->next < reader->count) {
        const char *text;

        reader->at = reader->next;
        text = reader->arguments[reader->next++];
        if (file && (text[0] != '-' || text[1] == '\0' || strcmp(text, "--") == 0))
            return value_refuse(settings, "'%s' is not an option", text);
        if (!options || text[0] != '-' || text[1] == '\0') {
            if (!value_add(&settings->operands, VALUE_OPERAND, text))
                return false;
            options = options && !operands_end_options;
        } else if (strcmp(text, "--") == 0) {
            options = false;
        } else if (text[1] == '-') {
            if ((reader->digit_count > 0 && !end_digits(settings, reader)) ||
                !read_long(settings, reader, text + 2))
                return false;
        } else if (!read_short(settings, reader, text + 1)) {
            return false;
        }
    }
    return reader->digit_count == 0 || end_digits(settings, reader);
}

/* Reads the options of a file. False: settings->error names the line. */
static bool read_config(struct settings *settings, const struct config *config)
{
    struct reader reader = {config->arguments, config->count, 1, 0, {0}, 0, false};
    char error[SETTINGS_ERROR_BYTES];

    while (!read_arguments(settings, &reader, false, true)) {
        memcpy(error, settings->error, sizeof error);
        (void)value_refuse(settings, "%.200s:%u: %.280s", config->path, config->lines[reader.at],
                           *error == '\0' ? "memory exhausted" : error);
        if (!config->is_ripgreps || *error == '\0')
            return false;
        message_print("warning: %s", settings->error);
    }
    if (config->is_ripgreps)
        settings->pre = NULL;
    if (!settings->write && !settings->diff && settings->pre == NULL)
        return true;
    return value_refuse(settings, "%.200s: %s cannot stand in a file of options", config->path,
                        settings->pre != NULL ? "--pre" : "--write and --diff");
}

bool flags_parse(struct settings *settings, const struct config *config, int argument_count,
                 char *const *arguments, bool operands_end_options)
{
    struct reader reader = {arguments, argument_count, 1, 0, {0}, 0, false};

    memset(settings, 0, sizeof *settings);
    settings->before_count = settings->after_count = settings->asked.around_count =
        CONTEXT_NOT_GIVEN;
    settings->asked.max_count_given = MAX_COUNT_NONE;
    settings->max_total = settings->max_output = UINT64_MAX;
    settings->archive_depth = 3;
    settings->search.map = TRAWL_MAP_IF_FASTER;
    settings->separators.group = "--";
    settings->separators.group_bytes = 2;
    settings->files.depth_max = settings->files.bytes_max = UINT64_MAX;
    settings->is_tg = flags_means_tg(argument_count > 0 ? arguments[0] : NULL);
    if (settings->is_tg) {
        settings->files.directories = DIRECTORIES_RECURSE;
        settings->binary_files = BINARY_FILES_WITHOUT_MATCH;
        settings->files.filtering = true;
        settings->asked.color = COLOR_AUTO;
        settings->encoding = "auto";
        settings->syntax = TRAWL_PERL;
    }
    if (config != NULL && !read_config(settings, config))
        return false;
    if (read_arguments(settings, &reader, operands_end_options, false))
        return true;
    return settings->error[0] == '\0' ? value_refuse(settings, "memory exhausted") : false;
}

/* ---- The file of options -------------------------------------------------------------- */

/* Reads a file's text, ended by NUL. Returns NULL, or why the file cannot be used; errno is ENOMEM
 * only if out of memory. */
static const char *load_config(struct config *config, int descriptor)
{
    size_t bytes_count;
    struct stat status;

    errno = 0;
    if (fstat(descriptor, &status) != 0)
        return strerror(errno);
    if (S_ISFIFO(status.st_mode)) /* the writer of a pipe may be slow, or may never come */
        return "the file is a pipe";
    if (!whole_read_from(descriptor, CONFIG_BYTES_MAX, &config->text, &bytes_count))
        return strerror(errno);
    if (bytes_count > CONFIG_BYTES_MAX)
        return strerror(errno = EFBIG);
    config->text[bytes_count] = '\0'; /* whole_read_from left room for the NUL */
    return strlen(config->text) == bytes_count ? NULL : "the file contains a NUL byte";
}

/* Splits the text into arguments. False: no memory. */
static bool split_lines(struct config *config)
{
    size_t line_count = 2;
    char *line = config->text;

    for (const char *at = line; *at != '\0'; at++)
        line_count += *at == '\n';
    config->arguments = calloc(line_count, sizeof *config->arguments);
    config->lines = calloc(line_count, sizeof *config->lines);
    if (config->arguments == NULL || config->lines == NULL)
        return false;
    config->count = 1; /* as in argv, arguments[0] is not an argument */
    for (unsigned number = 1; line != NULL; number++) {
        char *end = strchr(line, '\n');
        char *next = end != NULL ? end + 1 : NULL;

        if (end == NULL)
            end = line + strlen(line);
        line += strspn(line, BLANKS);
        while (end > line && strchr(BLANKS, end[-1]) != NULL)
            end--;
        *end = '\0';
        if (*line != '\0' && *line != '#') {
            config->lines[config->count] = number;
            config->arguments[config->count++] = line;
        }
        line = next;
    }
    return true;
}

/* Opens the file of options. Sets config->path; NULL: there is none, or errno is ENOMEM. Sets
 * *named to the variable that names it; NULL: it is the user's own. */
static int open_config(struct config *config, bool is_tg, const char **named)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *own = getenv("TRAWL_CONFIG_PATH");
    /* the XDG specification says to ignore a path that is not absolute */
    const bool is_xdg = xdg != NULL && *xdg == '/';
    const struct {
        const char *variable, *folder, *rest;
    } places[] = {
        {"TRAWL_CONFIG_PATH", own, ""},
        {NULL, is_xdg ? xdg : getenv("HOME"), is_xdg ? "/trawl/config" : "/.config/trawl/config"},
        {"RIPGREP_CONFIG_PATH", is_tg ? getenv("RIPGREP_CONFIG_PATH") : NULL, ""}};
    const size_t first = own != NULL ? 0 : 1, count = own != NULL ? 1 : 3;
    int descriptor;

    for (size_t i = first; i < count; i++) {
        if (places[i].folder == NULL || *places[i].folder == '\0')
            continue;
        *named = places[i].variable;
        config->is_ripgreps = i == 2;
        if (asprintf(&config->path, "%s%s", places[i].folder, places[i].rest) < 0) {
            config->path = NULL;
            errno = ENOMEM;
            return -1;
        }
        descriptor = open(config->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (descriptor >= 0 || *named != NULL || (errno != ENOENT && errno != ENOTDIR))
            return descriptor;
        free(config->path);
        config->path = NULL;
    }
    errno = 0;
    return -1;
}

/* There is usually no file, and then this returns early. */
bool config_read(struct config *config, bool is_tg, char *message)
{
    const char *named, *why = NULL;
    int descriptor;

    memset(config, 0, sizeof *config);
    *message = '\0';
    descriptor = open_config(config, is_tg, &named);
    if (config->path == NULL)
        return errno != ENOMEM || message_exhausted(message);
    why = descriptor < 0 ? strerror(errno) : load_config(config, descriptor);
    if (descriptor >= 0)
        (void)close(descriptor);
    if (why != NULL && errno == ENOMEM)
        return message_exhausted(message);
    if (why == NULL)
        return split_lines(config) || message_exhausted(message);
    (void)snprintf(message, SETTINGS_ERROR_BYTES, "%s%s%s: %s",
                   config->is_ripgreps || named == NULL ? "warning: no options are taken from "
                                                        : named,
                   config->is_ripgreps || named == NULL ? "" : ": ", config->path, why);
    return config->is_ripgreps || named == NULL;
}

void config_free(struct config *config)
{
    free(config->path);
    free(config->text);
    free(config->arguments);
    free(config->lines);
    memset(config, 0, sizeof *config);
}
