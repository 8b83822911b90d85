/* request: a request's JSON, and the settings it means.
 *
 * The members become a command line, which the command's own parser reads: so an option means what
 * it means there. What only the client has (files, its terminal) comes in other members.
 */
#include "serve/request.h"

#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trawl/served.h"

#define DEPTH_MAX 8u        /* of arrays and objects */
#define VALUES_SPARED 4096u /* beside strings to be searched for */
#define SHOWN_BYTES_MAX 60  /* of a text in a message */

/* Those of a body. */
enum request_member {
    MEMBER_PATTERNS,
    MEMBER_PATTERN_FILES,
    MEMBER_REPLACEMENTS,
    MEMBER_COLLECTION,
    MEMBER_DIRECTORY,
    MEMBER_PATHS,
    MEMBER_OPTIONS,
    MEMBER_TG,
    MEMBER_ENVIRONMENT,
    MEMBER_FORMAT,
    MEMBER_MAX_RESULTS,
    MEMBER_MAX_SECONDS,
    MEMBER_COUNT
};

struct reading {
    struct request *request;
    const struct request_limits *limits;
    int *http_status;
    char *message;
    uint64_t pattern_count, pattern_bytes;
    const char
        *file_names[REQUEST_FILES_MAX]; /* of arguments of -f, in messages; NULL: none given */
    size_t file_count;
    const char *replacements_name;
    bool refused_by_table; /* an option that the command itself refuses */
};

static bool refuse(struct reading *reading, int http_status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse(struct reading *reading, int http_status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(reading->message, SETTINGS_ERROR_BYTES, format, arguments);
    va_end(arguments);
    *reading->http_status = http_status;
    return false;
}

static bool exhausted(struct reading *reading)
{
    return refuse(reading, 503, "memory exhausted");
}

/* There is room. The text is borrowed; NULL: out of memory. */
static bool add_argument(struct reading *reading, const char *text)
{
    struct request *request = reading->request;

    request->arguments[request->argument_count] = (char *)(uintptr_t)text;
    request->argument_count += text != NULL;
    return text != NULL || exhausted(reading);
}

/* Keep a string of our own as long as those of the body; NULL: out of memory. */
static const char *keep_text(struct reading *reading, const char *text, size_t bytes_count)
{
    json_t *string = json_stringn_nocheck(text, bytes_count);

    return json_array_append_new(reading->request->texts, string) == 0 ? json_string_value(string)
                                                                       : NULL;
}

/* ---- Values -----------------------------------------------------------------------------------
 */

static int base64_value(char digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9')
        return digit - '0' + 52;
    return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

/* False: it is no base64. */
static bool decode_base64(const char *text, size_t digits, char *bytes, size_t *bytes_count)
{
    size_t used = 0;
    uint32_t bits = 0;

    if (digits % 4 != 0)
        return false;
    for (int i = 0; i < 2 && digits > 0 && text[digits - 1] == '='; i++)
        digits--;
    for (size_t i = 0; i < digits; i++) {
        int value = base64_value(text[i]);

        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 != 0)
            bytes[used++] = (char)(bits >> (6 - 2 * (i % 4)));
    }
    *bytes_count = used;
    return true;
}

/* A string, or {"bytes": BASE64}; a NUL byte follows it. Lasts as long as the request. */
static bool text_of(struct reading *reading, const char *member, json_t *value, const char **text,
                    size_t *bytes_count)
{
    json_t *encoded = json_object_size(value) == 1 ? json_object_get(value, "bytes") : NULL;
    json_t *string = encoded != NULL ? encoded : value;
    char *bytes;

    if (!json_is_string(string))
        return refuse(reading, 400, "%s: a string or {\"bytes\": BASE64} is expected", member);
    *bytes_count = json_string_length(string);
    *text = json_string_value(string);
    if (encoded == NULL)
        return true;
    bytes = malloc(*bytes_count + 1);
    if (bytes == NULL)
        return exhausted(reading);
    if (!decode_base64(*text, *bytes_count, bytes, bytes_count)) {
        free(bytes);
        return refuse(reading, 400, "%s: \"bytes\" is not base64", member);
    }
    *text = keep_text(reading, bytes, *bytes_count);
    free(bytes);
    return *text != NULL || exhausted(reading);
}

/* The same, without NUL bytes. */
static bool line_of(struct reading *reading, const char *member, json_t *value, const char **text)
{
    size_t bytes_count = 0;

    if (!text_of(reading, member, value, text, &bytes_count))
        return false;
    return strlen(*text) == bytes_count ||
           refuse(reading, 400, "%s: a NUL byte cannot stand here", member);
}

static bool flag_of(struct reading *reading, const char *member, json_t *value, bool *flag)
{
    *flag = json_is_true(value);
    return json_is_boolean(value) || refuse(reading, 400, "%s: true or false is expected", member);
}

/* *number is the server's limit before. */
static bool number_of(struct reading *reading, const char *member, json_t *value, uint64_t *number)
{
    if (!json_is_integer(value) || json_integer_value(value) < 1)
        return refuse(reading, 400, "%s: a number from 1 on is expected", member);
    if ((uint64_t)json_integer_value(value) < *number)
        *number = (uint64_t)json_integer_value(value);
    return true;
}

/* ---- Strings to be searched for ---------------------------------------------------------------
 */

static bool count_patterns(struct reading *reading, const char *text, size_t bytes_count)
{
    const char *end = text + bytes_count;

    reading->pattern_bytes += bytes_count;
    reading->pattern_count++;
    while (bytes_count > 0 && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        reading->pattern_count++;
        text++;
    }
    if (reading->pattern_count > reading->limits->patterns_max)
        return refuse(reading, 413, "there are more than %llu strings to be searched for",
                      (unsigned long long)reading->limits->patterns_max);
    return reading->pattern_bytes <= reading->limits->pattern_bytes_max ||
           refuse(reading, 413, "the strings to be searched for have more than %llu bytes",
                  (unsigned long long)reading->limits->pattern_bytes_max);
}

/* A file in memory, and an option that names it. */
static bool add_file(struct reading *reading, const char *option, const char *bytes,
                     size_t bytes_count)
{
    struct request *request = reading->request;
    int descriptor = memfd_create("patterns", MFD_CLOEXEC);
    char argument[64];

    if (descriptor < 0)
        return exhausted(reading);
    request->descriptors[request->descriptor_count++] = descriptor;
    for (size_t at = 0; at < bytes_count;) {
        ssize_t written = write(descriptor, bytes + at, bytes_count - at);

        if (written <= 0)
            return exhausted(reading);
        at += (size_t)written;
    }
    (void)snprintf(argument, sizeof argument, "%s/dev/fd/%d", option, descriptor);
    return add_argument(reading, keep_text(reading, argument, strlen(argument)));
}

/* A file's contents, or an object that has its name, too. */
static bool file_of(struct reading *reading, const char *member, json_t *value, const char **name,
                    const char **text, size_t *bytes_count)
{
    json_t *given = json_object_get(value, "name");

    if (given == NULL)
        return text_of(reading, member, value, text, bytes_count);
    if (json_object_size(value) != 2)
        return refuse(reading, 400, "%s: of a file its name and contents are expected", member);
    if (!line_of(reading, member, given, name))
        return false;
    json_incref(given); /* which *name points to */
    (void)json_array_append_new(reading->request->texts, given);
    (void)json_object_del(value, "name"); /* what is left may be {"bytes": BASE64} */
    given = json_object_get(value, "text");
    return text_of(reading, member, given != NULL ? given : value, text, bytes_count);
}

static bool add_pattern_file(struct reading *reading, const char *member, json_t *value)
{
    const char *name = NULL;
    const char *text;
    size_t bytes_count;

    if (reading->file_count == REQUEST_FILES_MAX)
        return refuse(reading, 413, "%s: there are more than %u files", member, REQUEST_FILES_MAX);
    if (!file_of(reading, member, value, &name, &text, &bytes_count) ||
        !count_patterns(reading, text, bytes_count))
        return false;
    reading->file_names[reading->file_count++] = name;
    return add_file(reading, "-f", text, bytes_count);
}

static bool add_patterns(struct reading *reading, json_t *values)
{
    json_t *value;
    size_t i;

    json_array_foreach(values, i, value)
    {
        const char *text;
        size_t bytes_count;

        if (json_object_get(value, "name") != NULL) {
            if (!add_pattern_file(reading, "patterns", value))
                return false;
            continue;
        }
        if (!text_of(reading, "patterns", value, &text, &bytes_count))
            return false;
        if (strlen(text) != bytes_count)
            return refuse(reading, 400,
                          "patterns: a string with a NUL byte has to stand in pattern_files");
        if (!count_patterns(reading, text, bytes_count) || !add_argument(reading, "-e") ||
            !add_argument(reading, text))
            return false;
    }
    return true;
}

static bool add_pattern_files(struct reading *reading, json_t *values)
{
    json_t *value;
    size_t i;

    json_array_foreach(values, i, value)
    {
        if (!add_pattern_file(reading, "pattern_files", value))
            return false;
    }
    return true;
}

/* ---- Options ----------------------------------------------------------------------------------
 */

/* Has a count use for the option? It says which strings are searched for, and where. */
static bool is_for_counts(const struct flag *flag)
{
    switch (flag->target) {
    case FLAG_LIST_FILES:
    case FLAG_DEBUG:
        return false;
    case FLAG_NO_MESSAGES:
    case FLAG_TEXT:
    case FLAG_DIRECTORIES:
    case FLAG_DEVICES:
    case FLAG_RECURSIVE:
    case FLAG_INCLUDE:
    case FLAG_EXCLUDE:
    case FLAG_EXCLUDE_DIR:
    case FLAG_SMART_CASE:
    case FLAG_CASE_SENSITIVE:
    case FLAG_HEX:
    case FLAG_LENGTH_PREFIXED:
    case FLAG_MISMATCHES:
    case FLAG_EDITS:
    case FLAG_ALPHABET:
    case FLAG_REVERSE_COMPLEMENT:
    case FLAG_ANY_BASE:
    case FLAG_EXACT:
    case FLAG_EVERY_END:
        return true;
    default:
        return flag->category == CATEGORY_PATTERN || flag->category == CATEGORY_FILES;
    }
}

static const struct flag *flag_named(const char *name, size_t bytes_count)
{
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++)
        if (flag_table[i].name != NULL && strlen(flag_table[i].name) == bytes_count &&
            memcmp(flag_table[i].name, name, bytes_count) == 0)
            return &flag_table[i];
    return NULL;
}

/* The row that one option means, which is to be complete; NULL: refused. */
static const struct flag *flag_of_option(struct reading *reading, const char *option)
{
    bool is_tg = reading->request->is_tg, is_long = strncmp(option, "--", 2) == 0;
    size_t name_bytes = is_long ? strcspn(option + 2, "=") : 1;
    const struct flag *flag = NULL;
    const char *rest;

    if (is_long)
        flag = flag_named(option + 2, name_bytes);
    else if (option[0] == '-' && option[1] != '\0')
        flag = flag_of_letter(option[1], is_tg);
    if (flag == NULL) {
        (void)refuse(reading, 400, "options: '%.*s' is not an option; long names are to be whole",
                     SHOWN_BYTES_MAX, option);
        return NULL;
    }
    rest = option + (is_long ? 2 : 1) + name_bytes;
    if (flag_takes(flag, is_tg) == ARGUMENT_REQUIRED && *rest == '\0')
        (void)refuse(reading, 400, "options: '%s' requires an argument in the same string", option);
    else if (flag_takes(flag, is_tg) != ARGUMENT_REQUIRED && !is_long && *rest != '\0')
        (void)refuse(reading, 400, "options: '%.*s' is more than one option", SHOWN_BYTES_MAX,
                     option);
    else
        return flag;
    return NULL;
}

static bool is_context(const char *option)
{
    return option[0] == '-' && option[1] != '\0' &&
           option[1 + strspn(option + 1, "0123456789")] == '\0';
}

static bool add_option(struct reading *reading, const char *option)
{
    enum request_format format = reading->request->format;
    int name_bytes = (int)strcspn(option, "=");
    const struct flag *flag;
    const char *why;

    if (is_context(option)) {
        flag = &flag_table[FLAG_AROUND];
    } else {
        flag = flag_of_option(reading, option);
        if (flag == NULL)
            return false;
    }
    why = served_refusal(flag->id);
    if (why != NULL)
        return refuse(reading, 422, "%.*s is not served: %s", name_bytes, option, why);
    if (format >= REQUEST_COLUMNS && !is_for_counts(flag) && flag->category != CATEGORY_REFUSED)
        return refuse(reading, 422, "%.*s changes lines or layout, which this answer has none of",
                      name_bytes, option);
    if (format == REQUEST_JSON && flag->target == FLAG_LIST_FILES)
        return refuse(reading, 422, "--files prints no JSON: see /v1/files");
    reading->refused_by_table |= flag->category == CATEGORY_REFUSED;
    return add_argument(reading, option);
}

static bool add_options(struct reading *reading, json_t *values)
{
    json_t *value;
    size_t i;

    json_array_foreach(values, i, value)
    {
        const char *option;

        if (!line_of(reading, "options", value, &option) || !add_option(reading, option))
            return false;
    }
    return reading->request->format != REQUEST_JSON || add_argument(reading, "--json");
}

static bool add_paths(struct reading *reading, json_t *values)
{
    json_t *value;
    size_t i;

    if (!add_argument(reading, "--"))
        return false;
    json_array_foreach(values, i, value)
    {
        const char *path;

        if (!line_of(reading, "paths", value, &path))
            return false;
        if (strcmp(path, "-") == 0)
            return refuse(reading, 422,
                          "paths: '-' is the client's standard input, which a server cannot read");
        if (!add_argument(reading, path))
            return false;
    }
    return true;
}

/* ---- What the client knows --------------------------------------------------------------------
 */

static enum charset server_charset = CHARSET_BYTES;

/* The locale belongs to the process, and letters are looked through before there are threads that
 * ask for them. */
static void open_charset(void)
{
    server_charset = charset_open();
    charset_prepare(true);
}

/* Bytes are searched in any locale. */
static bool take_charset(struct reading *reading, json_t *value)
{
    const char *name = json_string_value(value), *own = charset_name(server_charset);

    if (name == NULL)
        return refuse(reading, 400, "environment: charset: a string is expected");
    if (strcmp(name, charset_name(CHARSET_BYTES)) == 0)
        reading->request->settings.surroundings.charset = CHARSET_BYTES;
    else if (strcmp(name, own) != 0 || strcmp(name, "utf-8") != 0)
        return refuse(reading, 422, "the charset '%.*s' is not served: the server's is '%s'",
                      SHOWN_BYTES_MAX, name, own);
    return true;
}

static bool take_output_file(struct reading *reading, json_t *value)
{
    struct surroundings *surroundings = &reading->request->settings.surroundings;

    if (json_array_size(value) != 2 || !json_is_integer(json_array_get(value, 0)) ||
        !json_is_integer(json_array_get(value, 1)))
        return refuse(reading, 400, "environment: file: [DEVICE, INODE] is expected");
    surroundings->output_is_regular = true;
    surroundings->output_device = (uint64_t)json_integer_value(json_array_get(value, 0));
    surroundings->output_inode = (uint64_t)json_integer_value(json_array_get(value, 1));
    return true;
}

static bool take_environment(struct reading *reading, json_t *values)
{
    struct surroundings *surroundings = &reading->request->settings.surroundings;
    const struct {
        const char *name;
        bool *flag;
        const char **text;
    } members[] = {
        {"terminal", &surroundings->output_is_terminal, NULL},
        {"null", &surroundings->output_is_null, NULL},
        {"messages", &surroundings->messages_to_terminal, NULL},
        {"color", &surroundings->colors_suit, NULL},
        {"grep_colors", NULL, &surroundings->grep_colors},
        {"grep_color", NULL, &surroundings->grep_color},
    };
    const char *name;
    json_t *value;

    json_object_foreach(values, name, value)
    {
        size_t i = 0;

        while (i < sizeof members / sizeof *members && strcmp(members[i].name, name) != 0)
            i++;
        if (i == sizeof members / sizeof *members) {
            if (strcmp(name, "charset") == 0 ? !take_charset(reading, value)
                : strcmp(name, "file") == 0
                    ? !take_output_file(reading, value)
                    : !refuse(reading, 400, "environment: the member '%.*s' is not known",
                              SHOWN_BYTES_MAX, name))
                return false;
        } else if (members[i].flag != NULL ? !flag_of(reading, name, value, members[i].flag)
                                           : !line_of(reading, name, value, members[i].text)) {
            return false;
        }
    }
    return true;
}

/* ---- All of it --------------------------------------------------------------------------------
 */

/* Before memory is taken for values: how many there are, and how deep. */
static bool is_bounded(struct reading *reading, const char *body, size_t body_bytes)
{
    uint64_t values_max = 3 * reading->limits->patterns_max + VALUES_SPARED, value_count = 0;
    unsigned depth = 0;
    bool in_string = false;

    for (size_t i = 0; i < body_bytes; i++) {
        char byte = body[i];

        if (byte == '"')
            in_string = !in_string;
        else if (in_string)
            i += byte == '\\';
        else if (byte == '[' || byte == '{')
            depth++;
        else if ((byte == ']' || byte == '}') && depth > 0)
            depth--;
        value_count += !in_string && (byte == ',' || byte == '[' || byte == '{');
        if (depth > DEPTH_MAX)
            return refuse(reading, 400, "the body is nested more than %u levels deep", DEPTH_MAX);
    }
    return value_count <= values_max || refuse(reading, 413, "the body has more than %llu values",
                                               (unsigned long long)values_max);
}

static bool take_format(struct reading *reading, json_t *value)
{
    static const char *const names[] = {"json", "frames", "columns"};
    const char *name = json_string_value(value);

    for (int i = REQUEST_JSON; name != NULL && i <= REQUEST_COLUMNS; i++)
        if (strcmp(name, names[i]) == 0) {
            reading->request->format = (enum request_format)i;
            return true;
        }
    return refuse(reading, 400, "format: \"json\", \"frames\" or \"columns\" is expected");
}

/* What is missing is NULL afterwards. */
static bool find_members(struct reading *reading, json_t *root, bool has_format,
                         json_t *members[MEMBER_COUNT])
{
    static const char *const names[MEMBER_COUNT] = {
        "patterns",    "pattern_files", "replacements", "collection",
        "directory",   "paths",         "options",      "tg",
        "environment", "format",        "max_results",  "max_seconds"};
    const char *name;
    json_t *value;

    json_object_foreach(root, name, value)
    {
        size_t i = 0;

        while (i < MEMBER_COUNT && strcmp(names[i], name) != 0)
            i++;
        if (i == MEMBER_COUNT || (i == MEMBER_FORMAT && !has_format))
            return refuse(reading, 400, "the member '%.*s' is not known", SHOWN_BYTES_MAX, name);
        if ((i <= MEMBER_PATTERN_FILES || i == MEMBER_PATHS || i == MEMBER_OPTIONS) &&
            !json_is_array(value))
            return refuse(reading, 400, "%s: an array is expected", name);
        if (i == MEMBER_ENVIRONMENT && !json_is_object(value))
            return refuse(reading, 400, "%s: an object is expected", name);
        members[i] = value;
    }
    return true;
}

static bool add_replacements(struct reading *reading, json_t *value)
{
    const char *text;
    size_t bytes_count;

    return file_of(reading, "replacements", value, &reading->replacements_name, &text,
                   &bytes_count) &&
           add_file(reading, "--replacements=", text, bytes_count);
}

/* The members become arguments. */
static bool take_members(struct reading *reading, json_t *members[MEMBER_COUNT])
{
    struct request *request = reading->request;
    size_t arguments_max = 8 + json_array_size(members[MEMBER_OPTIONS]) +
                           2 * json_array_size(members[MEMBER_PATTERNS]) +
                           json_array_size(members[MEMBER_PATTERN_FILES]) +
                           json_array_size(members[MEMBER_PATHS]);

    request->arguments = calloc(arguments_max, sizeof *request->arguments);
    request->texts = json_array();
    if (request->arguments == NULL || request->texts == NULL)
        return exhausted(reading);
    if ((members[MEMBER_COLLECTION] != NULL &&
         !line_of(reading, "collection", members[MEMBER_COLLECTION], &request->collection)) ||
        (members[MEMBER_DIRECTORY] != NULL &&
         !line_of(reading, "directory", members[MEMBER_DIRECTORY], &request->directory)))
        return false;
    if (request->directory != NULL && request->directory[0] != '/')
        return refuse(reading, 400, "directory: an absolute path is expected");
    return (members[MEMBER_FORMAT] == NULL || take_format(reading, members[MEMBER_FORMAT])) &&
           (members[MEMBER_TG] == NULL ||
            flag_of(reading, "tg", members[MEMBER_TG], &request->is_tg)) &&
           (members[MEMBER_MAX_RESULTS] == NULL ||
            number_of(reading, "max_results", members[MEMBER_MAX_RESULTS],
                      &request->results_max)) &&
           (members[MEMBER_MAX_SECONDS] == NULL ||
            number_of(reading, "max_seconds", members[MEMBER_MAX_SECONDS],
                      &request->seconds_max)) &&
           add_argument(reading, request->is_tg ? "tg" : "trawl") &&
           add_options(reading, members[MEMBER_OPTIONS]) &&
           add_patterns(reading, members[MEMBER_PATTERNS]) &&
           add_pattern_files(reading, members[MEMBER_PATTERN_FILES]) &&
           (members[MEMBER_REPLACEMENTS] == NULL ||
            add_replacements(reading, members[MEMBER_REPLACEMENTS])) &&
           add_paths(reading, members[MEMBER_PATHS]);
}

/* The arguments become settings. A server has no standard input, so without operands it searches
 * the directory; and only a command says that a directory is one instead of searching it. */
static bool parse(struct reading *reading)
{
    struct request *request = reading->request;
    struct settings *settings = &request->settings;
    size_t file = 0;

    if (!flags_parse(settings, NULL, request->argument_count, request->arguments, false))
        return refuse(reading, reading->refused_by_table ? 422 : 400, "%s", settings->error);
    if (settings->patterns.count == 0 && !settings->files.names_only)
        return refuse(reading, 400, "patterns: there are none");
    if (settings->operands.count == 0 ||
        (request->format != REQUEST_FRAMES && settings->directories == DIRECTORIES_READ))
        settings->directories = DIRECTORIES_RECURSE;
    for (size_t i = 0; i < settings->patterns.count; i++)
        if (settings->patterns.items[i].kind == VALUE_FILE)
            settings->patterns.items[i].shown = reading->file_names[file++];
    settings->replacements_shown = reading->replacements_name;
    settings->count_by_pattern |= request->format >= REQUEST_COLUMNS;
    if (request->format >= REQUEST_COLUMNS) /* offsets are those of the files' own bytes */
        settings->encoding = NULL;
    settings->surroundings.charset = server_charset;
    return true;
}

bool request_read(struct request *request, const char *body, size_t body_bytes,
                  enum request_format format, const struct request_limits *limits, int *http_status,
                  char *message)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct reading reading = {
        .request = request, .limits = limits, .http_status = http_status, .message = message};
    json_t *members[MEMBER_COUNT] = {NULL};
    json_error_t error;

    (void)pthread_once(&once, open_charset);
    memset(request, 0, sizeof *request);
    request->format = format;
    request->results_max = limits->results_max;
    request->seconds_max = limits->seconds_max;
    if (body_bytes > limits->body_bytes_max)
        return refuse(&reading, 413, "the body has more than %llu bytes",
                      (unsigned long long)limits->body_bytes_max);
    if (!is_bounded(&reading, body, body_bytes))
        return false;
    request->body = json_loadb(body, body_bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (request->body == NULL)
        return json_error_code(&error) == json_error_out_of_memory
                   ? exhausted(&reading)
                   : refuse(&reading, 400, "the body is no JSON: %s at byte %d", error.text,
                            error.position);
    return (json_is_object(request->body) || refuse(&reading, 400, "the body is no JSON object")) &&
           find_members(&reading, request->body, format != REQUEST_COUNT, members) &&
           take_members(&reading, members) && parse(&reading) &&
           (members[MEMBER_ENVIRONMENT] == NULL ||
            take_environment(&reading, members[MEMBER_ENVIRONMENT]));
}

void request_free(struct request *request)
{
    settings_free(&request->settings);
    for (size_t i = 0; i < request->descriptor_count; i++)
        close(request->descriptors[i]);
    free(request->arguments);
    json_decref(request->texts);
    json_decref(request->body);
    memset(request, 0, sizeof *request);
}
