/* config: options from a file: one argument a line, no quotes, lines that begin with # are
 * comments. */
#include "trawl/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl/whole.h"

#define CONFIG_BYTES_MAX (1u << 20)
#define BLANKS " \t\r\v\f"

/* The file's text, ended by NUL. Else why not, with errno. */
static const char *load(struct config *config, int descriptor)
{
    size_t bytes_count;
    struct stat status;

    errno = 0;
    if (fstat(descriptor, &status) != 0)
        return strerror(errno);
    if (S_ISFIFO(status.st_mode)) /* its options may come later, or never */
        return "it is a pipe";
    if (!whole_read_from(descriptor, CONFIG_BYTES_MAX, &config->text, &bytes_count))
        return strerror(errno);
    if (bytes_count > CONFIG_BYTES_MAX)
        return strerror(errno = EFBIG);
    config->text[bytes_count] = '\0'; /* there is room for it */
    return strlen(config->text) == bytes_count ? NULL : "it holds a NUL byte";
}

/* Cut the text into arguments. False: out of memory. */
static bool cut(struct config *config)
{
    size_t line_count = 2;
    char *line = config->text;

    for (const char *at = line; *at != '\0'; at++)
        line_count += *at == '\n';
    config->arguments = calloc(line_count, sizeof *config->arguments);
    config->lines = calloc(line_count, sizeof *config->lines);
    if (config->arguments == NULL || config->lines == NULL)
        return false;
    config->count = 1; /* as in argv, the first is not one */
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

/* Every run comes by here, and mostly there is no file. */
bool config_read(struct config *config, char *message)
{
    const char *named = getenv("TRAWL_CONFIG_PATH"), *why = NULL;
    const char *folder = getenv("XDG_CONFIG_HOME"), *rest = "/trawl/config";
    int descriptor;

    memset(config, 0, sizeof *config);
    *message = '\0';
    if (named != NULL) {
        folder = named;
        rest = "";
    } else if (folder == NULL || *folder != '/') { /* which is to be ignored, says XDG */
        folder = getenv("HOME");
        rest = "/.config/trawl/config";
    }
    if (folder == NULL || *folder == '\0')
        return true;
    config->path = malloc(strlen(folder) + strlen(rest) + 1);
    if (config->path == NULL)
        goto exhausted;
    strcpy(stpcpy(config->path, folder), rest);
    descriptor = open(config->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0 && named == NULL && (errno == ENOENT || errno == ENOTDIR)) {
        free(config->path);
        config->path = NULL;
        return true;
    }
    why = descriptor < 0 ? strerror(errno) : load(config, descriptor);
    if (descriptor >= 0)
        (void)close(descriptor);
    if (why != NULL && errno == ENOMEM)
        goto exhausted;
    if (why != NULL) {
        (void)snprintf(message, SETTINGS_ERROR_BYTES, "%s%s: %s",
                       named != NULL ? "TRAWL_CONFIG_PATH: "
                                     : "warning: no options are taken from ",
                       config->path, why);
        return named == NULL;
    }
    if (cut(config))
        return true;
exhausted:
    strcpy(message, "memory exhausted");
    return false;
}

void config_free(struct config *config)
{
    free(config->path);
    free(config->text);
    free(config->arguments);
    free(config->lines);
    memset(config, 0, sizeof *config);
}
