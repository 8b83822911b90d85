/* hyperlink: --hyperlink-format: text that a terminal shows as a link (OSC 8).
 *
 * A format is a URL with the variables {path}, {line}, {column} and {host}; {{ and }} are braces.
 */
#include "trawl/options/hyperlink.h"

#include <stdio.h>
#include <unistd.h>

#define HOST_BYTES 256 /* room for the host's name */

enum variable { VARIABLE_NONE, VARIABLE_PATH, VARIABLE_LINE, VARIABLE_COLUMN, VARIABLE_HOST };

const char *hyperlink_format(const char *name)
{
    static const char *const known[][2] = {
        {"none", ""},
        {"default", "file://{host}{path}"},
        {"file", "file://{host}{path}"},
        {"kitty", "file://{host}{path}#{line}"},
        {"cursor", "cursor://file{path}:{line}:{column}"},
        {"vscode", "vscode://file{path}:{line}:{column}"},
        {"vscode-insiders", "vscode-insiders://file{path}:{line}:{column}"},
        {"vscodium", "vscodium://file{path}:{line}:{column}"},
        {"emacs", "emacs://{path}:{line}:{column}"},
        {"grep+", "grep+://{path}:{line}"},
        {"textmate", "txmt://open?url=file://{path}&line={line}&column={column}"},
        {"macvim", "mvim://open?url=file://{path}&line={line}&column={column}"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0)
            return known[i][1];
    return name;
}

/* Reads the variable at *format and moves *format past it. VARIABLE_NONE: there is none. */
static enum variable take_variable(const char **format)
{
    static const char *const names[] = {"", "{path}", "{line}", "{column}", "{host}"};

    for (size_t i = VARIABLE_PATH; i <= VARIABLE_HOST; i++)
        if (strncmp(*format, names[i], strlen(names[i])) == 0) {
            *format += strlen(names[i]);
            return (enum variable)i;
        }
    return VARIABLE_NONE;
}

const char *hyperlink_check(const char *format)
{
    size_t scheme =
        strspn(format, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-.");
    bool has[VARIABLE_HOST + 1] = {false};

    if (*format == '\0')
        return NULL;
    if (strchr(format, '{') == NULL)
        return "neither a format with {path} nor a known name; the names are default, file, kitty, "
               "cursor, vscode, vscode-insiders, vscodium, emacs, grep+, textmate, macvim, none";
    if (scheme == 0 || format[scheme] != ':')
        return "it does not begin with a scheme such as file:";
    while (*format != '\0') {
        if (strncmp(format, "{{", 2) == 0 || strncmp(format, "}}", 2) == 0) {
            format += 2;
        } else if (*format == '{') {
            enum variable variable = take_variable(&format);

            if (variable == VARIABLE_NONE)
                return "unknown variable; the variables are {path}, {line}, {column}, {host}";
            has[variable] = true;
        } else if (*format++ == '}') {
            return "a } stands alone; write }} for a brace";
        }
    }
    if (!has[VARIABLE_PATH])
        return "{path} is missing";
    return has[VARIABLE_COLUMN] && !has[VARIABLE_LINE] ? "{column} needs {line}" : NULL;
}

/* Prints a path for a URL. Letters, digits, the bytes /:-._~ and bytes beyond ASCII are printed
 * unchanged, all others as %XX. */
static void print_path(struct output *output, const char *path)
{
    for (; *path != '\0'; path++) {
        uint8_t byte = (uint8_t)*path;
        bool plain = byte >= 0x80 || (byte >= '0' && byte <= '9') ||
                     ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ||
                     strchr("/:-._~", byte) != NULL;
        char text[4];

        (void)snprintf(text, sizeof text, "%%%02X", byte);
        if (plain)
            output_byte(output, byte);
        else
            output_text(output, text);
    }
}

static void print_host(struct output *output)
{
    char host[HOST_BYTES];

    if (gethostname(host, sizeof host) != 0)
        return;
    host[sizeof host - 1] = '\0';
    print_path(output, host);
}

void hyperlink_begin(struct output *output, const char *format, const char *path, uint64_t line,
                     uint64_t column)
{
    output_text(output, "\33]8;;");
    while (*format != '\0') {
        enum variable variable = take_variable(&format);

        if (variable == VARIABLE_PATH) {
            print_path(output, path);
        } else if (variable == VARIABLE_HOST) {
            print_host(output);
        } else if (variable != VARIABLE_NONE) {
            uint64_t number = variable == VARIABLE_LINE ? line : column;

            output_number(output, number > 0 ? number : 1, 0);
        } else {
            output_byte(output, (uint8_t)*format);
            format += *format == '{' || *format == '}' ? 2 : 1;
        }
    }
    output_text(output, "\33\\");
}
