/* request: reads a request's JSON into settings.
 *
 * A table has a row for each member of the JSON object, with the function that reads it. Options go
 * to the parser of the command trawl, so they mean the same as on its command line.
 */
#include "serve/request.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trawl/text/base64.h"
#include "trawl/text/message.h"
#include "trawl/options/flag_table.h"

#define DEPTH_MAX 8u /* nesting of arrays and objects */
#define PATHS_MAX 65536u
#define OPTIONS_MAX 4096u
#define REQUIRED_MAX 64u /* each of these strings requires a separate search */
/* Limit for JSON values that are not strings to be searched for. */
#define VALUES_SPARED (PATHS_MAX + OPTIONS_MAX)
/* Upper bounds of a request's memory in bytes, including the plan: for each JSON value, for each
 * string to search for, and for each byte of these strings. */
#define VALUE_COST 160u
#define PATTERN_COST 512u
#define PATTERN_BYTE_COST 16u
/* Expanding a glob's braces keeps a copy of the glob for each pair of braces, at most 64
 * (BRACES_MAX of glob.c). */
#define GLOB_BYTE_COST 64u
#define GLOB_BYTES_MAX 65536u
#define SHOWN_BYTES_MAX 60 /* a message shows at most this many bytes of a client's text */

struct reading {
    struct request *request;
    const struct request_limits *limits;
    int *http_status;
    char *message;
    uint64_t pattern_count, file_count;
};

/* A member of a JSON object. The members are read in the order of their table. */
struct request_member {
    const char *name;
    bool (*take)(struct reading *reading, const char *name, json_t *value, void *to);
    size_t offset; /* offset in struct request of the variable that `take` gets as `to` */
    /* MEMBER_LIST: `take` is called for each element. MEMBER_ALWAYS: `take` is called with NULL if
     * the member is absent. */
    enum { MEMBER_VALUE, MEMBER_LIST, MEMBER_ALWAYS } kind;
    uint64_t count_max; /* maximum length of a list; 0: only other limits apply */
};

/* Says why the request is rejected. The expression's value is false. */
#define REFUSE(reading, status, ...) \
    (*(reading)->http_status = (status), message_fail((reading)->message, __VA_ARGS__))

static bool exhausted(struct reading *reading)
{
    return REFUSE(reading, 503, "memory exhausted");
}

const char *request_refusal(const struct guard *guard, int *http_status)
{
    *http_status = guard->refusal == GUARD_OWN ? 413 : 503;
    if (guard->refusal == GUARD_OWN)
        return REQUEST_TOO_LARGE;
    if (guard->refusal == GUARD_ALL)
        return REQUEST_MEMORY_TAKEN;
    return guard_is_over(guard) ? "the search took longer than the server or the request allows"
                                : NULL;
}

static bool take_memory(struct reading *reading, uint64_t bytes)
{
    const char *why;
    int http_status;

    if (guard_take(&reading->request->guard, bytes))
        return true;
    why = request_refusal(&reading->request->guard, &http_status);
    return REFUSE(reading, http_status, "%s", why);
}

/* Copies a text so that it lasts as long as the request. NULL: out of memory. */
static const char *keep_text(struct reading *reading, const char *text, size_t bytes_count)
{
    json_t *string = json_stringn_nocheck(text, bytes_count);

    return json_array_append_new(reading->request->texts, string) == 0 ? json_string_value(string)
                                                                       : NULL;
}

/* Reads a JSON string into *text, which ends with a NUL byte and lasts as long as the request.
 * is_base64: the string is decoded. Returns false if the request is rejected. */
static bool string_of(struct reading *reading, const char *name, json_t *string, bool is_base64,
                      const char **text, size_t *bytes_count)
{
    char *bytes;

    if (!json_is_string(string))
        return REFUSE(reading, 400, "%s: a string or {\"bytes\": BASE64} is expected", name);
    *text = json_string_value(string);
    *bytes_count = json_string_length(string);
    if (!is_base64)
        return true;
    bytes = malloc(*bytes_count + 1);
    if (bytes == NULL)
        return exhausted(reading);
    if (!base64_decode(bytes, bytes_count, *text, *bytes_count)) {
        free(bytes);
        return REFUSE(reading, 400, "%s: \"bytes\" is not base64", name);
    }
    *text = keep_text(reading, bytes, *bytes_count);
    free(bytes);
    return *text != NULL || exhausted(reading);
}

/* Reads a string, or {"bytes": BASE64}. Returns false if the request is rejected. */
static bool text_of(struct reading *reading, const char *name, json_t *value, const char **text,
                    size_t *bytes_count)
{
    json_t *encoded = json_object_size(value) == 1 ? json_object_get(value, "bytes") : NULL;

    return string_of(reading, name, encoded != NULL ? encoded : value, encoded != NULL, text,
                     bytes_count);
}

/* Reads a text, as text_of does, into the const char * at `to`. Rejects NUL bytes. */
static bool take_line(struct reading *reading, const char *name, json_t *value, void *to)
{
    const char **text = to;
    size_t bytes_count = 0;

    if (!text_of(reading, name, value, text, &bytes_count))
        return false;
    return strlen(*text) == bytes_count ||
           REFUSE(reading, 400, "%s: a NUL byte is not allowed here", name);
}

static bool take_flag(struct reading *reading, const char *name, json_t *value, void *to)
{
    *(bool *)to = json_is_true(value);
    return json_is_boolean(value) || REFUSE(reading, 400, "%s: true or false is expected", name);
}

/* Sets a limit, the uint64_t at `to`, to the client's value if that is below the server's. */
static bool take_limit(struct reading *reading, const char *name, json_t *value, void *to)
{
    uint64_t *limit = to;

    if (!json_is_integer(value) || json_integer_value(value) < 1)
        return REFUSE(reading, 400, "%s: a whole number of at least 1 is expected", name);
    if ((uint64_t)json_integer_value(value) < *limit)
        *limit = (uint64_t)json_integer_value(value);
    return true;
}

static bool is_list(struct reading *reading, const char *name, json_t *value, uint64_t count_max)
{
    if (!json_is_array(value))
        return REFUSE(reading, 400, "%s: an array is expected", name);
    return json_array_size(value) <= count_max ||
           REFUSE(reading, 413, "%s: there are more than %llu", name,
                  (unsigned long long)count_max);
}

/* Reads the members of a JSON object using the table `members`. In messages, `where` comes before a
 * member's name. Returns false if the request is rejected. */
static bool take_members(struct reading *reading, const char *where, json_t *object,
                         const struct request_member *members, size_t count)
{
    const char *name;
    json_t *value;
    size_t at;

    json_object_foreach(object, name, value)
    {
        for (at = 0; at < count && strcmp(members[at].name, name) != 0;)
            at++;
        if (at == count)
            return REFUSE(reading, 400, "%sthe member '%.*s' is not known", where, SHOWN_BYTES_MAX,
                          name);
    }
    for (const struct request_member *member = members; member < members + count; member++) {
        json_t *given = json_object_get(object, member->name);
        void *to = (char *)reading->request + member->offset;

        if (given != NULL && member->kind == MEMBER_LIST) {
            if (!is_list(reading, member->name, given,
                         member->count_max != 0 ? member->count_max : UINT64_MAX))
                return false;
            json_array_foreach(given, at, value)
            {
                if (!member->take(reading, member->name, value, to))
                    return false;
            }
        } else if ((given != NULL || member->kind == MEMBER_ALWAYS) &&
                   !member->take(reading, member->name, given, to)) {
            return false;
        }
    }
    return true;
}

/* Adds the strings of a text to the request's totals, and checks these and the memory for the
 * strings against the limits. Returns false if the request is rejected. */
static bool count_patterns(struct reading *reading, const char *text, size_t bytes_count)
{
    const char *end = text + bytes_count;
    uint64_t count = 1;

    while (bytes_count > 0 && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        count++;
        text++;
    }
    reading->pattern_count += count;
    if (reading->pattern_count > reading->limits->patterns_max)
        return REFUSE(reading, 413, "there are more than %llu strings to be searched for",
                      (unsigned long long)reading->limits->patterns_max);
    return take_memory(reading, count * PATTERN_COST + bytes_count * PATTERN_BYTE_COST);
}

/* Makes a file in memory with these bytes. Returns its path, which lasts as long as the request, or
 * NULL if it is rejected. */
static const char *make_file(struct reading *reading, const char *bytes, size_t bytes_count)
{
    struct request *request = reading->request;
    int descriptor = memfd_create("patterns", MFD_CLOEXEC);
    char path[32];
    const char *kept;

    if (descriptor >= 0)
        request->descriptors[request->descriptor_count++] = descriptor;
    for (size_t at = 0; descriptor >= 0 && at < bytes_count;) {
        ssize_t written = write(descriptor, bytes + at, bytes_count - at);

        if (written <= 0)
            descriptor = -1;
        else
            at += (size_t)written;
    }
    (void)snprintf(path, sizeof path, "/dev/fd/%d", descriptor);
    kept = descriptor < 0 ? NULL : keep_text(reading, path, strlen(path));
    if (kept == NULL)
        (void)exhausted(reading);
    return kept;
}

/* Reads a file, an object with a name and contents. Sets *shown to the name. Returns false if the
 * request is rejected. */
static bool file_of(struct reading *reading, const char *name, json_t *value, const char **shown,
                    const char **text, size_t *bytes_count)
{
    json_t *given = json_object_get(value, "name"), *contents = json_object_get(value, "text");

    if (json_object_size(value) != 2)
        return REFUSE(reading, 400, "%s: a file needs a name and contents, and nothing else", name);
    if (!take_line(reading, name, given, shown))
        return false;
    return contents != NULL
               ? text_of(reading, name, contents, text, bytes_count)
               : string_of(reading, name, json_object_get(value, "bytes"), true, text, bytes_count);
}

static bool take_pattern_file(struct reading *reading, const char *name, json_t *value, void *to)
{
    struct value_list *patterns = to;
    const char *shown, *text, *path;
    size_t bytes_count;

    if (reading->file_count++ == REQUEST_FILES_MAX)
        return REFUSE(reading, 413, "%s: there are more than %u files", name, REQUEST_FILES_MAX);
    if (!file_of(reading, name, value, &shown, &text, &bytes_count) ||
        !count_patterns(reading, text, bytes_count))
        return false;
    path = make_file(reading, text, bytes_count);
    if (path == NULL)
        return false;
    if (!value_add(patterns, VALUE_FILE, path))
        return exhausted(reading);
    patterns->items[patterns->count - 1].shown = shown;
    return true;
}

static bool take_pattern(struct reading *reading, const char *name, json_t *value, void *to)
{
    const char *text;
    size_t bytes_count;

    if (json_object_get(value, "name") != NULL)
        return take_pattern_file(reading, name, value, to);
    if (!text_of(reading, name, value, &text, &bytes_count))
        return false;
    if (strlen(text) != bytes_count)
        return REFUSE(reading, 400,
                      "%s: send a string with a NUL byte as a file: an object with a name", name);
    return count_patterns(reading, text, bytes_count) &&
           (value_add(to, VALUE_STRING, text) || exhausted(reading));
}

static bool take_path(struct reading *reading, const char *name, json_t *value, void *to)
{
    const char *path = NULL;

    if (!take_line(reading, name, value, &path))
        return false;
    if (strcmp(path, "-") == 0)
        return REFUSE(reading, 422,
                      "paths: '-' is the client's standard input, which a server cannot read");
    return value_add(to, VALUE_OPERAND, path) || exhausted(reading);
}

/* Returns true if the option's long name is complete. Abbreviations are rejected, because options
 * of later versions may make abbreviations ambiguous. */
static bool is_whole_name(const char *option)
{
    size_t bytes_count = strcspn(option, "=");

    for (size_t i = 0; i < FLAG_COUNT_ALL; i++)
        if (flag_table[i].name != NULL && strlen(flag_table[i].name) == bytes_count &&
            memcmp(flag_table[i].name, option, bytes_count) == 0)
            return true;
    return false;
}

/* Rejects the request with the parser's reason. The caller has set errno to 0 before parsing, so
 * ENOMEM means that the parser ran out of memory. */
static bool refuse_options(struct reading *reading, const char *why)
{
    return REFUSE(reading, errno == ENOMEM ? 503 : 400, "options: %s", why);
}

/* Checks that the string is a single option, with a value if it requires one, and that the server
 * supports it. `alone` is the result of parsing the string by itself. Returns false if the request
 * is rejected. */
static bool check_option(struct reading *reading, const char *option, const struct settings *alone)
{
    enum request_format format = reading->request->format;
    const struct flag *flag =
        alone->arguments.given_count > 0 ? alone->arguments.given[0].flag : NULL;
    const char *why = flag != NULL ? flag_refusal(flag) : NULL;
    int name_bytes = (int)strcspn(option, "=");

    if (alone->arguments.given_count > 1)
        return REFUSE(reading, 400, "options: '%.*s' is more than one option", SHOWN_BYTES_MAX,
                      option);
    if (*alone->error != '\0' && why == NULL)
        return refuse_options(reading, alone->error);
    if (flag == NULL || (strncmp(option, "--", 2) == 0 && !is_whole_name(option + 2)))
        return REFUSE(reading, 400, "options: '%.*s' is not an option; write long names in full",
                      SHOWN_BYTES_MAX, option);
    if (why != NULL)
        return REFUSE(reading, 422, "%.*s is not served: %s", name_bytes, option, why);
    if (format >= REQUEST_COLUMNS &&
        (flag->served == SERVED_LINES || flag->served == SERVED_START_LINES))
        return REFUSE(reading, 422, "%.*s changes lines or layout, and this format has neither",
                      name_bytes, option);
    if (format == REQUEST_JSON && flag->id == FLAG_LIST_FILES)
        return REFUSE(reading, 422, "--files prints no JSON: see /v1/files");
    if (flag->category != CATEGORY_FILES)
        return true;
    return strlen(option) > GLOB_BYTES_MAX ? REFUSE(reading, 413, "%.*s has more than %u bytes",
                                                    name_bytes, option, GLOB_BYTES_MAX)
                                           : take_memory(reading, strlen(option) * GLOB_BYTE_COST);
}

static bool take_name(struct reading *reading, const char *name, json_t *value, void *to)
{
    const char *text = NULL;

    return take_line(reading, name, value, &text) &&
           take_memory(reading, strlen(text) * GLOB_BYTE_COST) &&
           (value_add(to, VALUE_GLOB, text) || exhausted(reading));
}

/* Adds an argument to the command line, whose array has room. The text is borrowed. */
static void add_argument(struct request *request, const char *text)
{
    request->arguments[request->argument_count++] = (char *)(uintptr_t)text;
}

/* Checks the options, and parses them into the settings `to`, whose table `name` names in messages.
 * `values` is NULL if the request has no options. Returns false if the request is rejected. */
static bool take_options(struct reading *reading, const char *name, json_t *values, void *to)
{
    struct request *request = reading->request;
    json_t *value;
    size_t i;

    if (values != NULL && !is_list(reading, name, values, OPTIONS_MAX))
        return false;
    request->arguments = calloc(json_array_size(values) + 3, sizeof *request->arguments);
    if (request->arguments == NULL)
        return exhausted(reading);
    add_argument(request, request->is_tg ? "tg" : "trawl");
    json_array_foreach(values, i, value)
    {
        struct settings alone;
        const char *option;
        bool good;

        if (!take_line(reading, name, value, &option))
            return false;
        add_argument(request, option);
        errno = 0;
        (void)flags_parse(&alone, NULL, 2,
                          (char *[]){request->arguments[0], request->arguments[i + 1]}, false);
        good = check_option(reading, option, &alone);
        settings_free(&alone);
        if (!good)
            return false;
    }
    if (request->format == REQUEST_JSON)
        add_argument(request, "--json");
    errno = 0;
    if (!flags_parse(to, NULL, request->argument_count, request->arguments, false))
        return refuse_options(reading, request->settings.error);
    request->lacks_pcre = request->settings.pcre && !reading->limits->allow_pcre;
    request->settings.pcre &= reading->limits->allow_pcre;
    return true;
}

static enum charset server_charset = CHARSET_BYTES;

/* malloc has failed since this variable was set to false */
static _Thread_local bool json_is_short;

static void *allocate(size_t bytes_count)
{
    void *memory = malloc(bytes_count);

    json_is_short |= memory == NULL;
    return memory;
}

/* Prepares what all requests share. pthread_once runs this before the first request is read,
 * because the locale belongs to the process. `allocate` notes failures of malloc, because Jansson
 * would report them as syntax errors or drop bytes. */
static void prepare(void)
{
    json_set_alloc_funcs(allocate, free);
    server_charset = charset_open(true);
    charset_prepare(true);
}

/* Reads the client's charset. Clients with a single-byte charset are served in any locale, UTF-8
 * clients only if the server's own charset is UTF-8. */
static bool take_charset(struct reading *reading, const char *name, json_t *value, void *to)
{
    const char *charset = json_string_value(value), *own = charset_name(server_charset);
    struct surroundings *surroundings = to;

    surroundings->unicode_case = false;
    if (charset == NULL)
        return REFUSE(reading, 400, "environment: %s: a string is expected", name);
    if (strcmp(charset, charset_name(CHARSET_BYTES)) == 0)
        surroundings->charset = CHARSET_BYTES;
    else if (strcmp(charset, own) != 0 || strcmp(charset, "utf-8") != 0)
        return REFUSE(reading, 422, "the charset '%.*s' is not served: the server's is '%s'",
                      SHOWN_BYTES_MAX, charset, own);
    return true;
}

static bool take_output_file(struct reading *reading, const char *name, json_t *value, void *to)
{
    struct surroundings *surroundings = to;

    if (json_array_size(value) != 2 || !json_is_integer(json_array_get(value, 0)) ||
        !json_is_integer(json_array_get(value, 1)))
        return REFUSE(reading, 400, "environment: %s: [DEVICE, INODE] is expected", name);
    surroundings->output_is_regular = true;
    surroundings->output_device = (uint64_t)json_integer_value(json_array_get(value, 0));
    surroundings->output_inode = (uint64_t)json_integer_value(json_array_get(value, 1));
    return true;
}

static bool take_environment(struct reading *reading, const char *name, json_t *value, void *to)
{
    static const struct request_member members[] = {
#define AT(member) offsetof(struct request, settings.surroundings.member)
        {"terminal", take_flag, AT(output_is_terminal), MEMBER_VALUE, 0},
        {"null", take_flag, AT(output_is_null), MEMBER_VALUE, 0},
        {"color", take_flag, AT(colors_suit), MEMBER_VALUE, 0},
        {"grep_colors", take_line, AT(grep_colors), MEMBER_VALUE, 0},
        {"grep_color", take_line, AT(grep_color), MEMBER_VALUE, 0},
        {"charset", take_charset, offsetof(struct request, settings.surroundings), MEMBER_VALUE, 0},
        {"file", take_output_file, offsetof(struct request, settings.surroundings), MEMBER_VALUE,
         0},
#undef AT
    };

    ((struct surroundings *)to)->charset = server_charset;
    /* ignoring case follows Unicode, unless the client (such as the command) sends a charset */
    ((struct surroundings *)to)->unicode_case = true;
    if (value != NULL && !json_is_object(value))
        return REFUSE(reading, 400, "%s: an object is expected", name);
    return take_members(reading, "environment: ", value, members, sizeof members / sizeof *members);
}

/* Checks the number of values in the body, and the depth of nesting, before Jansson allocates
 * memory. Returns false if the request is rejected. */
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
            return REFUSE(reading, 400, "the body is nested more than %u levels deep", DEPTH_MAX);
    }
    if (value_count > values_max)
        return REFUSE(reading, 413, "the body has more than %llu values",
                      (unsigned long long)values_max);
    return take_memory(reading, body_bytes * REQUEST_BODY_COST + value_count * VALUE_COST);
}

static bool take_format(struct reading *reading, const char *name, json_t *value, void *to)
{
    static const char *const names[] = {"json", "frames", "columns"};
    const char *given = json_string_value(value);
    enum request_format *format = to;

    if (*format == REQUEST_COUNT)
        return REFUSE(reading, 400, "the member '%s' is not known", name);
    for (int i = REQUEST_JSON; given != NULL && i <= REQUEST_COLUMNS; i++)
        if (strcmp(given, names[i]) == 0) {
            *format = (enum request_format)i;
            return true;
        }
    return REFUSE(reading, 400, "%s: \"json\", \"frames\" or \"columns\" is expected", name);
}

static bool take_directory(struct reading *reading, const char *name, json_t *value, void *to)
{
    return take_line(reading, name, value, to) &&
           (**(const char **)to == '/' ||
            REFUSE(reading, 400, "%s: an absolute path is expected", name));
}

static const struct request_member members[] = {
#define AT(member) offsetof(struct request, member)
    {"collection", take_line, AT(collection), MEMBER_VALUE, 0},
    {"directory", take_directory, AT(directory), MEMBER_VALUE, 0},
    {"format", take_format, AT(format), MEMBER_VALUE, 0},
    {"continued", take_flag, AT(is_continued), MEMBER_VALUE, 0},
    {"part", take_flag, AT(is_part), MEMBER_VALUE, 0},
    {"tg", take_flag, AT(is_tg), MEMBER_VALUE, 0},
    {"max_results", take_limit, AT(results_max), MEMBER_VALUE, 0},
    {"max_seconds", take_limit, AT(seconds_max), MEMBER_VALUE, 0},
    {"options", take_options, AT(settings), MEMBER_ALWAYS, 0},
    {"patterns", take_pattern, AT(settings.patterns), MEMBER_LIST, 0},
    {"requires", take_pattern, AT(required), MEMBER_LIST, REQUIRED_MAX},
    {"names", take_name, AT(names), MEMBER_LIST, REQUIRED_MAX},
    {"paths", take_path, AT(settings.operands), MEMBER_LIST, PATHS_MAX},
    {"environment", take_environment, AT(settings.surroundings), MEMBER_ALWAYS, 0},
#undef AT
};

/* Completes the settings when all members are read. Without operands the directory is searched,
 * because a server has no standard input. With REQUEST_FRAMES, the format for the command, an
 * operand that is a directory may just be reported; in other formats the directory is searched. */
static bool finish(struct reading *reading)
{
    struct request *request = reading->request;
    struct settings *settings = &request->settings;

    if (settings->patterns.count == 0 && !settings->files.names_only)
        return REFUSE(reading, 400, "patterns: there is no string to search for");
    if (settings->files.sort > SORT_PATH)
        return REFUSE(reading, 422,
                      "--sort is served with 'path' alone: a server lists files by path");
    if (settings->operands.count == 0 ||
        (request->format != REQUEST_FRAMES && settings->files.directories == DIRECTORIES_READ))
        settings->files.directories = DIRECTORIES_RECURSE;
    if (settings->files.special_files == SPECIAL_FILES_READ &&
        settings->files.directories == DIRECTORIES_RECURSE)
        return REFUSE(reading, 422,
                      "--devices=read is not served with directories: the server reads "
                      "only regular files");
    if (request->is_part && settings_report(settings)->joined == JOINED_NONE)
        return REFUSE(reading, 422, "%s: a cluster does not serve this report",
                      settings_report(settings)->options);
    settings->surroundings.is_counted = request->format >= REQUEST_COLUMNS;
    /* Nothing is converted, because offsets must count the bytes of the file itself. */
    if (request->format >= REQUEST_COLUMNS)
        settings->encoding = NULL;
    return true;
}

bool request_read(struct request *request, const char *body, size_t body_bytes,
                  enum request_format format, const struct request_limits *limits, int *http_status,
                  char *message)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct reading reading = {
        .request = request, .limits = limits, .http_status = http_status, .message = message};
    json_error_t error;

    (void)pthread_once(&once, prepare);
    memset(request, 0, sizeof *request);
    request->format = format;
    request->results_max = limits->results_max;
    request->seconds_max = limits->seconds_max;
    request->guard = (struct guard){.all = limits->all, .bytes_max = limits->memory_max};
    if (!is_bounded(&reading, body, body_bytes))
        return false;
    json_is_short = false;
    request->texts = json_array();
    request->body = json_loadb(body, body_bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (request->texts == NULL || json_is_short)
        return exhausted(&reading);
    if (request->body == NULL)
        return REFUSE(&reading, 400, "the body is not valid JSON: %s at byte %d", error.text,
                      error.position);
    return (json_is_object(request->body) ||
            REFUSE(&reading, 400, "the body is not a JSON object")) &&
           take_members(&reading, "", request->body, members, sizeof members / sizeof *members) &&
           finish(&reading);
}

void request_files(struct request *request, const char *collection,
                   const struct request_limits *limits)
{
    memset(request, 0, sizeof *request);
    request->format = REQUEST_FILES;
    request->collection = collection;
    request->guard = (struct guard){.all = limits->all, .bytes_max = limits->memory_max};
    request->seconds_max = limits->seconds_max;
}

void request_free(struct request *request)
{
    settings_free(&request->settings);
    for (size_t i = 0; i < request->descriptor_count; i++)
        close(request->descriptors[i]);
    free(request->arguments);
    free(request->required.items);
    free(request->names.items);
    json_decref(request->texts);
    json_decref(request->body);
    guard_end(&request->guard);
    memset(request, 0, sizeof *request);
}
