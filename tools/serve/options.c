/* options: reads the server's own options, and the command's options that say which files are
 * served. */
#include "serve/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "trawl/charset.h"
#include "trawl/help.h"

enum option_kind { OPTION_TEXT, OPTION_SIZE, OPTION_NUMBER, OPTION_SWITCH };

static const struct option_row {
    const char *name, *argument;
    enum option_kind kind;
    size_t offset;
    uint64_t normal; /* default of numbers and sizes */
    const char *summary;
} rows[] = {
#define AT(member) offsetof(struct serve_options, member)
    {"--listen", "unix:PATH|HOST:PORT", OPTION_TEXT, AT(listen), 0,
     "listen there; without it at unix:$XDG_RUNTIME_DIR/trawl.sock. A Unix socket is its owner's "
     "alone. Where HOST is not this machine's loopback, --token-file, --certificate and --key are "
     "needed. PORT 0 is one that is free."},
    {"--token-file", "FILE", OPTION_TEXT, AT(token_file), 0,
     "requests must bear the token in FILE, one line: Authorization: Bearer TOKEN"},
    {"--certificate", "FILE", OPTION_TEXT, AT(certificate), 0, "serve by TLS: certificates in PEM"},
    {"--key", "FILE", OPTION_TEXT, AT(key), 0, "the key of the certificate, in PEM"},
    {"--host-memory", "SIZE", OPTION_SIZE, AT(host_bytes), 0,
     "hold at most so many bytes of files in memory; without it half of what is free. The rest is "
     "read at each search."},
    {"--device-memory", "SIZE", OPTION_SIZE, AT(device_bytes), 0,
     "use at most so much of each device's memory"},
    {"--request-memory", "SIZE", OPTION_SIZE, AT(request_bytes), 0,
     "all requests together take at most so much memory; without it a quarter of what is free"},
    {"--max-memory", "SIZE", OPTION_SIZE, AT(limits.memory_max), UINT64_C(1) << 30,
     "refuse a request that needs more memory (1G)"},
    {"--max-request", "SIZE", OPTION_SIZE, AT(limits.body_bytes_max), UINT64_C(16) << 20,
     "refuse larger requests (16M)"},
    {"--max-patterns", "NUM", OPTION_NUMBER, AT(limits.patterns_max), 1000000,
     "refuse requests with more strings (1000000)"},
    {"--max-results", "NUM", OPTION_NUMBER, AT(limits.results_max), 100000000,
     "end an answer after so many lines with matches, lines of output or columns' rows "
     "(100000000)"},
    {"--max-seconds", "NUM", OPTION_NUMBER, AT(limits.seconds_max), 600,
     "end an answer after that time (600)"},
    {"--max-queries", "NUM", OPTION_NUMBER, AT(http.queries_max), 256,
     "refuse more queries of one client at the same time (256). A client is a process, or for TCP "
     "an address."},
    {"--max-connections", "NUM", OPTION_NUMBER, AT(http.connections_max), 1024,
     "close connections beyond so many (1024)"},
    {"--idle-seconds", "NUM", OPTION_NUMBER, AT(http.idle_seconds), 60,
     "close a connection that takes and sends nothing for so long (60)"},
    {"--drain-seconds", "NUM", OPTION_NUMBER, AT(drain_seconds), 30,
     "when the server ends, wait so long for answers (30)"},
    {"--help", NULL, OPTION_SWITCH, AT(help), 0, "print this"},
    {"--version", NULL, OPTION_SWITCH, AT(version), 0, "print the version"},
    {"--generate=man", NULL, OPTION_SWITCH, AT(manual), 0, "print the manual page"},
#undef AT
};

#define ROW_COUNT (sizeof rows / sizeof *rows)

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
    (void)snprintf(options->settings.error, SETTINGS_ERROR_BYTES, "%s: '%s' is out of range",
                   row->name, value);
    return false;
}

/* Returns the row of the option that the argument names; NULL: none. *value is what follows '=';
 * NULL: no '='. */
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
 * how many other arguments there are. -1: settings.error says why. */
static int read_own(struct serve_options *options, int argument_count, char **arguments)
{
    int left = 0;

    /* Options mean what they mean to trawl, not to tg. */
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
            (void)snprintf(options->settings.error, SETTINGS_ERROR_BYTES,
                           "option '%s' requires an argument", row->name);
            return -1;
        }
        if (!set(options, row, value))
            return -1;
    }
    return left;
}

/* Refuses options of the command that belong to a request. False: settings->error names the
 * option. */
static bool check_options(struct settings *settings)
{
    for (size_t i = 0; i < settings->given_count; i++) {
        const struct flag *flag = settings->given[i].flag;
        const char letter[] = {flag->letter, '\0'};

        if (flag_starts_server(flag))
            continue;
        (void)snprintf(settings->error, sizeof settings->error,
                       "option '%s%s' is not one of the server's: it belongs to a request",
                       flag->name != NULL ? "--" : "-", flag->name != NULL ? flag->name : letter);
        return false;
    }
    return true;
}

static bool exhausted(char *message)
{
    strcpy(message, "memory exhausted");
    return false;
}

/* Reads an operand [NAME=]PATH, where NAME has no slash. Without NAME, the name is the last part of
 * PATH without links. False: message says why. */
static bool read_root(struct serve_options *options, const char *operand, char *message)
{
    const char *equals = strchr(operand, '='), *slash = strchr(operand, '/');
    bool is_named = equals != NULL && equals != operand && (slash == NULL || equals < slash);
    struct served_root *root = &options->roots[options->root_count];
    char *whole, *last;

    root->path = is_named ? equals + 1 : operand;
    whole = realpath(root->path, NULL);
    if (whole == NULL) {
        (void)snprintf(message, SETTINGS_ERROR_BYTES, "%s: %s", root->path, strerror(errno));
        return false;
    }
    last = strrchr(whole, '/');
    root->name = is_named          ? strndup(operand, (size_t)(equals - operand))
                 : last[1] != '\0' ? strdup(last + 1)
                                   : strdup("root");
    free(whole);
    if (root->name == NULL)
        return exhausted(message);
    options->root_count++;
    for (size_t i = 0; i + 1 < options->root_count; i++)
        if (strcmp(options->roots[i].name, root->name) == 0) {
            (void)snprintf(message, SETTINGS_ERROR_BYTES,
                           "%s: there is a collection '%s' already: name it, as NAME=PATH", operand,
                           root->name);
            return false;
        }
    return true;
}

static bool read_roots(struct serve_options *options, char *message)
{
    const struct value_list *operands = &options->settings.operands;

    if (operands->count == 0) {
        strcpy(message, "which files? Usage: trawl serve [OPTION]... [NAME=]PATH...");
        return false;
    }
    options->roots = calloc(operands->count, sizeof *options->roots);
    if (options->roots == NULL)
        return exhausted(message);
    for (size_t i = 0; i < operands->count; i++)
        if (!read_root(options, operands->items[i].text, message))
            return false;
    return true;
}

bool serve_options_read(struct serve_options *options, int argument_count, char **arguments,
                        char *message)
{
    struct settings *settings = &options->settings;
    int left;

    memset(options, 0, sizeof *options);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].normal > 0)
            *(uint64_t *)(void *)((char *)options + rows[i].offset) = rows[i].normal;
    options->arguments = calloc((size_t)argument_count + 2, sizeof *options->arguments);
    if (options->arguments == NULL)
        return exhausted(message);
    left = read_own(options, argument_count, arguments);
    if (left < 0) {
        strcpy(message, settings->error);
        return false;
    }
    if (options->help || options->version || options->manual)
        return true;
    if (!flags_parse(settings, NULL, left, options->arguments, false) || !check_options(settings)) {
        strcpy(message, settings->error);
        return false;
    }
    if (settings->directories == DIRECTORIES_READ)
        settings->directories = DIRECTORIES_RECURSE;
    options->limits.pattern_bytes_max = options->limits.body_bytes_max;
    settings->surroundings.charset = charset_open();
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

/* ---- Documents ------------------------------------------------------------------------------- */

static const char about[] =
    "serves files to clients: it holds them in memory, and on devices where there are any, follows "
    "what happens to them, and answers many clients at once. Each PATH, a file or a directory, is "
    "a collection of its name, or of NAME.";

static const char about_rest[] =
    "The command's options about files say which files are served, as --ignore, --hidden, -g, -t, "
    "--max-filesize, --search-zip; --engine and --threads say how they are searched.";

static const char about_signals[] = "SIGHUP loads all files anew. SIGTERM and SIGINT refuse new "
                                    "queries, answer those that were asked, and end.";

void serve_options_print_help(struct output *output)
{
    output_text(output, "Usage: trawl serve [OPTION]... [NAME=]PATH...\nThe server ");
    output_text(output, about);
    output_text(output, "\n\n");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        output_text(output, "  ");
        output_text(output, rows[i].name);
        if (rows[i].argument != NULL) {
            output_text(output, "=");
            output_text(output, rows[i].argument);
        }
        output_text(output, "\n        ");
        output_text(output, rows[i].summary);
        output_text(output, "\n");
    }
    output_text(output, "\n");
    output_text(output, about_rest);
    output_text(output, "\n");
    output_text(output, about_signals);
    output_text(output, "\n");
}

static void print_section(struct output *output, const char *head, const char *text)
{
    output_text(output, head);
    help_troff(output, text);
    output_text(output, "\n");
}

void serve_options_print_manual(struct output *output)
{
    output_text(output, ".TH TRAWL\\-SERVE 1 \"\" \"trawl " TRAWL_VERSION "\" \"User Commands\"\n"
                        ".SH NAME\ntrawl\\-serve \\- serve files to searches, from memory\n"
                        ".SH SYNOPSIS\n.B trawl serve\n[\\fIOPTION\\fR]... "
                        "[\\fINAME\\fR=]\\fIPATH\\fR...\n.SH DESCRIPTION\n.B trawl serve\n");
    help_troff(output, about);
    print_section(output, "\n.PP\n", about_rest);
    output_text(output, ".SH OPTIONS\n");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        output_text(output, ".TP\n.BI ");
        help_troff(output, rows[i].name);
        print_section(output, rows[i].argument != NULL ? "= " : "",
                      rows[i].argument != NULL ? rows[i].argument : "");
        help_troff(output, rows[i].summary);
        output_text(output, "\n");
    }
    print_section(output, ".SH SIGNALS\n", about_signals);
    output_text(output,
                ".SH EXIT STATUS\n0 after SIGTERM or SIGINT, 2 if the server cannot start.\n"
                ".SH ENVIRONMENT\n.B XDG_RUNTIME_DIR\nsays where the socket is.\n"
                ".B LISTEN_FDS, LISTEN_PID, NOTIFY_SOCKET\nare systemd's: a socket that it passes "
                "is used instead of \\-\\-listen.\n.SH SEE ALSO\n.BR trawl (1)\n");
}
