/* serve_options: reads the server's own options, and those options of the command trawl that say
 * which files are served. */
#include "serve/serve_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "serve/head.h"
#include "trawl/options/flag_table.h"
#include "trawl/text/charset.h"
#include "trawl/options/help.h"
#include "trawl/text/message.h"

enum option_kind { OPTION_TEXT, OPTION_SIZE, OPTION_NUMBER, OPTION_SWITCH };

static const struct option_row {
    const char *name, *argument;
    enum option_kind kind;
    size_t offset;
    uint64_t normal; /* default of a number or a size */
    const char *summary;
} rows[] = {
#define AT(member) offsetof(struct serve_options, member)
    {"--listen", "unix:PATH|HOST:PORT", OPTION_TEXT, AT(listen), 0,
     "the address to listen at; default unix:$XDG_RUNTIME_DIR/trawl.sock. Only its owner can "
     "connect to a Unix socket. If HOST is not this machine's loopback, --token-file, "
     "--certificate and --key are needed. PORT 0 takes a free port."},
    {"--host", "NAME", OPTION_TEXT, AT(http.host), 0,
     "on loopback, also accept requests for the host NAME, because a reverse proxy passes on those "
     "that it gets by this name"},
    {"--token-file", "FILE", OPTION_TEXT, AT(secrets.token), 0,
     "requests must have the token in FILE, one line of printable ASCII, in a header: "
     "Authorization: Bearer TOKEN. Or FILE has a line for each client: a name, which --log shows, "
     "a tab and a token."},
    {"--certificate", "FILE", OPTION_TEXT, AT(secrets.certificate), 0,
     "serve by TLS 1.2 or newer with this certificate chain, in PEM"},
    {"--key", "FILE", OPTION_TEXT, AT(secrets.key), 0,
     "the private key of the certificate, in PEM"},
    {"--host-memory", "SIZE", OPTION_SIZE, AT(host_bytes), 0,
     "keep at most SIZE bytes of files in memory; default: half of the free memory. Each "
     "search reads the files that do not fit."},
    {"--no-filter", NULL, OPTION_SWITCH, AT(no_filter), 0,
     "make no filters of files in memory. A filter takes an eighth of the bytes, as part of "
     "--host-memory, and lets a search for rare strings skip almost all of them."},
    {"--device-memory", "SIZE", OPTION_SIZE, AT(device_bytes), 0,
     "use at most SIZE bytes of each device's memory"},
    {"--request-memory", "SIZE", OPTION_SIZE, AT(request_bytes), 0,
     "let all requests together take at most SIZE bytes of memory; default: a quarter of the "
     "free memory"},
    {"--max-memory", "SIZE", OPTION_SIZE, AT(limits.memory_max), UINT64_C(1) << 30,
     "reject a request that needs more than SIZE bytes of memory; default 1G"},
    {"--max-request", "SIZE", OPTION_SIZE, AT(limits.body_bytes_max), UINT64_C(16) << 20,
     "reject a request of more than SIZE bytes; default 16M"},
    {"--max-patterns", "NUM", OPTION_NUMBER, AT(limits.patterns_max), 1000000,
     "reject a request with more than NUM strings; default 1000000"},
    {"--max-results", "NUM", OPTION_NUMBER, AT(limits.results_max), 100000000,
     "end an answer after NUM lines with matches, lines of output or rows of columns; default "
     "100000000"},
    {"--max-seconds", "NUM", OPTION_NUMBER, AT(limits.seconds_max), 600,
     "end an answer after NUM seconds; default 600"},
    {"--max-queries", "NUM", OPTION_NUMBER, AT(http.queries_max), 256,
     "let one client have at most NUM queries at the same time, and reject more; default 256, or "
     "fewer if their answers could take more than half of --request-memory. A client is a process, "
     "or an address with TCP."},
    {"--allow-pcre", NULL, OPTION_SWITCH, AT(limits.allow_pcre), 0,
     "let PCRE2 search for expressions of -P that trawl lacks, such as look-around. Work on a line "
     "is limited, but is not linear."},
    {"--max-connections", "NUM", OPTION_NUMBER, AT(http.connections_max), 1024,
     "close connections beyond NUM; default 1024"},
    {"--idle-seconds", "NUM", OPTION_NUMBER, AT(http.idle_seconds), 60,
     "close a connection that neither takes nor sends bytes for NUM seconds; default 60"},
    {"--drain-seconds", "NUM", OPTION_NUMBER, AT(drain_seconds), 30,
     "when the server ends, wait at most NUM seconds for answers; then end the answers where they "
     "are; default 30"},
    {"--log=json", NULL, OPTION_SWITCH, AT(http.logs), 0,
     "write a line of JSON on standard error for each request, without the text of queries"},
    {"--link", "TEMPLATE", OPTION_TEXT, AT(link), 0,
     "link each file of the page to an editor or a forge; the server replaces {root}, "
     "{collection}, "
     "{path} and {line} in this URL, such as vscode://file{root}/{path}:{line}"},
    {"--from", "FILE", OPTION_TEXT, AT(from), 0,
     "serve only FILE and the files that follow FILE in the order of --sort=path. FILE is a path "
     "below each PATH. Another server has the files before it: this one reports no error about "
     "those files, nor about a directory."},
    {"--until", "FILE", OPTION_TEXT, AT(until), 0,
     "serve only the files before FILE in the order of --sort=path"},
    {"--help", NULL, OPTION_SWITCH, AT(help), 0, "print this help"},
    {"--version", NULL, OPTION_SWITCH, AT(version), 0, "print the version"},
    {"--generate=man", NULL, OPTION_SWITCH, AT(manual), 0, "print the manual page"},
    {"--generate=answers", NULL, OPTION_SWITCH, AT(answers), 0,
     "print the table of the members of answers"},
#undef AT
};

#define ROW_COUNT (sizeof rows / sizeof *rows)

/* The titles of groups of options, and the first option of each. */
static const struct {
    const char *first, *title;
} groups[] = {{"--listen", "Address and access"},
              {"--host-memory", "Memory"},
              {"--max-memory", "Limits of a request"},
              {"--max-connections", "Limits of connections"},
              {"--log=json", "Other"}};

/* Returns the title of the group that begins with the option, or NULL. */
static const char *title_before(const struct option_row *row)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strcmp(groups[i].first, row->name) == 0)
            return groups[i].title;
    return NULL;
}

static bool set(struct serve_options *options, const struct option_row *row, const char *value)
{
    void *member = (char *)options + row->offset;

    switch (row->kind) {
    case OPTION_SWITCH:
        *(bool *)member = true;
        return true;
    case OPTION_TEXT:
        *(const char **)member = value;
        return true;
    case OPTION_NUMBER:
        return value_number(&options->settings, row->name, value, 1, UINT32_MAX, member);
    case OPTION_SIZE:
        break;
    }
    if (!value_size(&options->settings, row->name, value, member))
        return false;
    if (*(uint64_t *)member > 0)
        return true;
    return value_refuse(&options->settings, "%s: '%s' is out of range", row->name, value);
}

/* Returns the row of the option that the argument names, or NULL. Sets *value to what follows '=';
 * NULL if there is no '='. */
static const struct option_row *find_row(const char *argument, const char **value)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        size_t bytes = strlen(rows[i].name);

        if (strncmp(argument, rows[i].name, bytes) != 0)
            continue;
        *value = argument[bytes] == '=' ? argument + bytes + 1 : NULL;
        if (argument[bytes] == '\0' || (*value != NULL && rows[i].kind != OPTION_SWITCH))
            return &rows[i];
    }
    return NULL;
}

/* Reads the server's own options, and collects all other arguments in options->arguments. Returns
 * how many arguments it collected, or -1 on an error, which settings.error describes. */
static int read_own(struct serve_options *options, int argument_count, char **arguments)
{
    int left = 0;

    /* The command's name: options mean what they mean for trawl, not for tg. */
    options->arguments[left++] = (char *)(uintptr_t) "trawl";
    for (int at = 1; at < argument_count; at++) {
        const char *value = NULL;
        const struct option_row *row = find_row(arguments[at], &value);

        if (strcmp(arguments[at], "--") == 0) {
            while (at < argument_count)
                options->arguments[left++] = arguments[at++];
            break;
        }
        if (row == NULL) {
            options->arguments[left++] = arguments[at];
            continue;
        }
        if (value == NULL && row->kind != OPTION_SWITCH)
            value = ++at < argument_count ? arguments[at] : NULL;
        if (value == NULL && row->kind != OPTION_SWITCH) {
            (void)value_refuse(&options->settings, "option '%s' requires an argument", row->name);
            return -1;
        }
        if (!set(options, row, value))
            return -1;
    }
    return left;
}

/* Rejects options that belong to a request, not to the server. Returns false if an option belongs
 * to a request; settings->error names that option. */
static bool check_options(struct settings *settings)
{
    for (size_t i = 0; i < settings->arguments.given_count; i++) {
        const struct flag *flag = settings->arguments.given[i].flag;
        const char letter[] = {flag->letter, '\0'};
        enum flag_served served = flag_table[flag->target].served;

        if (served >= SERVED_START_LINES && served <= SERVED_READS)
            continue;
        return value_refuse(
            settings, "option '%s%s' is not one of the server's: it belongs to a request",
            flag->name != NULL ? "--" : "-", flag->name != NULL ? flag->name : letter);
    }
    return true;
}

/* Reads an operand [NAME=]PATH; NAME has no slash. Without NAME, the name is the last part of PATH,
 * after links are resolved ("root" for /). Returns false on failure; message says why. */
static bool read_root(struct serve_options *options, const char *operand, char *message)
{
    const char *equals = strchr(operand, '='), *slash = strchr(operand, '/');
    bool is_named = equals != NULL && equals != operand && (slash == NULL || equals < slash);
    struct served_root *root = &options->roots[options->root_count];
    char *whole, *last;

    root->path = is_named ? equals + 1 : operand;
    whole = realpath(root->path, NULL);
    if (whole == NULL)
        return message_fail(message, "%s: %s", root->path, strerror(errno));
    last = strrchr(whole, '/');
    root->name = is_named          ? strndup(operand, (size_t)(equals - operand))
                 : last[1] != '\0' ? strdup(last + 1)
                                   : strdup("root");
    free(whole);
    if (root->name == NULL)
        return message_exhausted(message);
    options->root_count++;
    for (size_t i = 0; i + 1 < options->root_count; i++)
        if (strcmp(options->roots[i].name, root->name) == 0)
            return message_fail(
                message, "%s: there already is a collection '%s': choose another name by NAME=PATH",
                operand, root->name);
    return true;
}

static bool read_roots(struct serve_options *options, char *message)
{
    const struct value_list *operands = &options->settings.operands;

    if (operands->count == 0)
        return message_misuse(
            message, "there are no files to serve. Usage: trawl-serve [OPTION]... [NAME=]PATH...");
    options->roots = calloc(operands->count, sizeof *options->roots);
    if (options->roots == NULL)
        return message_exhausted(message);
    for (size_t i = 0; i < operands->count; i++)
        if (!read_root(options, operands->items[i].text, message))
            return false;
    return true;
}

/* Returns true if a Host header may have the name of --host, without a port. If not, settings.error
 * says so. */
static bool check_host(struct serve_options *options)
{
    const char *text = options->http.host != NULL ? options->http.host : "localhost";
    size_t bytes =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._");

    return (bytes > 0 && bytes < HEAD_HOST_BYTES_MAX && text[bytes] == '\0') ||
           value_refuse(&options->settings, "--host: '%.200s' is not the name of a host", text);
}

bool serve_options_read(struct serve_options *options, int argument_count, char **arguments,
                        char *message)
{
    static const char *names[ROW_COUNT + 1]; /* flags_more_names */
    struct settings *settings = &options->settings;
    int left;

    memset(options, 0, sizeof *options);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].normal > 0)
            *(uint64_t *)(void *)((char *)options + rows[i].offset) = rows[i].normal;
    options->arguments = calloc((size_t)argument_count + 2, sizeof *options->arguments);
    if (options->arguments == NULL)
        return message_exhausted(message);
    left = read_own(options, argument_count, arguments);
    if (left < 0 || !check_host(options))
        return message_misuse(message, settings->error);
    if (options->help || options->version || options->manual || options->answers)
        return true;
    for (size_t i = 0; i < ROW_COUNT; i++)
        names[i] = rows[i].name + 2;
    flags_more_names = names;
    if (!flags_parse(settings, NULL, left, options->arguments, false) || !check_options(settings))
        return message_misuse(message, settings->error);
    if (settings->files.directories == DIRECTORIES_READ)
        settings->files.directories = DIRECTORIES_RECURSE;
    settings->surroundings.charset = charset_open(true);
    return settings_build(settings, message) && read_roots(options, message);
}

void serve_options_free(struct serve_options *options)
{
    for (size_t i = 0; i < options->root_count; i++)
        free(options->roots[i].name);
    free(options->roots);
    settings_free(&options->settings);
    free(options->arguments);
}

static const char about[] =
    "trawl-serve serves files to clients: it keeps the files in memory, and on devices if there "
    "are devices, "
    "follows all changes of the files, and answers many clients at once. Each PATH, a file or a "
    "directory, is a collection, which is called NAME or else by the last part of PATH.";

static const char about_rest[] =
    "The command's options about files, such as --ignore, --hidden, -g, -t, --max-filesize and "
    "--search-zip, say which files are served; --engine and --threads say how the server searches.";

static const char about_signals[] =
    "On SIGHUP the server reads the token, certificate and "
    "key again, or keeps the old ones if one of the files is wrong, "
    "then loads all files again. On SIGTERM and "
    "SIGINT the server rejects new queries, answers the queries "
    "it has, and ends.";

void serve_options_print_help(struct output *output)
{
    output_text(output, "Usage: trawl-serve [OPTION]... [NAME=]PATH...\n");
    help_wrap(output, about, 0);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (title_before(&rows[i]) != NULL)
            output_format(output, "\n%s:\n", title_before(&rows[i]));
        output_format(output, "  %s%s%s\n        ", rows[i].name,
                      rows[i].argument != NULL ? "=" : "",
                      rows[i].argument != NULL ? rows[i].argument : "");
        help_wrap(output, rows[i].summary, 8);
    }
    output_text(output, "\n");
    help_wrap(output, about_rest, 0);
    help_wrap(output, about_signals, 0);
}

static void print_section(struct output *output, const char *head, const char *text)
{
    output_text(output, head);
    help_troff(output, text);
    output_text(output, "\n");
}

static void print_requests(struct output *output)
{
    static const struct {
        const char *head, *name, *text;
    } parts[] = {
#define PART(title, text) {".SH ", title, text},
#define ITEM(name, text) {".TP\n.B ", name, text},
#include "serve/manual.def"
#include "trawl/options/flag_table.h"
#undef PART
#undef ITEM
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        print_section(output, parts[i].head, parts[i].name);
        print_section(output, "", parts[i].text);
    }
}

void serve_options_print_manual(struct output *output)
{
    output_text(output, ".TH TRAWL\\-SERVE 1 \"\" \"trawl " TRAWL_VERSION "\" \"User Commands\"\n"
                        ".SH NAME\ntrawl\\-serve \\- serve files to searches, from memory\n"
                        ".SH SYNOPSIS\n.B trawl\\-serve\n[\\fIOPTION\\fR]... "
                        "[\\fINAME\\fR=]\\fIPATH\\fR...\n.SH DESCRIPTION\n");
    help_troff(output, about);
    print_section(output, "\n.PP\n", about_rest);
    output_text(output, ".SH OPTIONS\n");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (title_before(&rows[i]) != NULL)
            output_format(output, ".SS %s\n", title_before(&rows[i]));
        output_text(output, ".TP\n.BI ");
        help_troff(output, rows[i].name);
        print_section(output, rows[i].argument != NULL ? "= " : "",
                      rows[i].argument != NULL ? rows[i].argument : "");
        help_troff(output, rows[i].summary);
        output_text(output, "\n");
    }
    print_requests(output);
    print_section(output, ".SH SIGNALS\n", about_signals);
    output_text(output,
                ".SH EXIT STATUS\n0 after SIGTERM or SIGINT, 2 if the server cannot start.\n"
                ".SH ENVIRONMENT\n.B XDG_RUNTIME_DIR\nis the folder of the default socket.\n"
                ".B LISTEN_FDS, LISTEN_PID, NOTIFY_SOCKET\nare set by systemd; a socket that "
                "systemd passes is used instead of \\-\\-listen.\n.SH SEE ALSO\n.BR trawl (1)\n");
}
