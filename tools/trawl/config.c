/* config: options from a file: one argument a line, no quotes, lines that begin with # are
 * comments. */
#include "trawl/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_BYTES_MAX (1u << 20)
#define BLANKS " \t\r\v\f"

static bool join(struct config *config, const char *folder, const char *rest)
{
    size_t bytes = strlen(folder) + strlen(rest) + 1;

    config->path = malloc(bytes);
    if (config->path != NULL)
        (void)snprintf(config->path, bytes, "%s%s", folder, rest);
    return config->path != NULL;
}

/* config->path stays NULL where there is nothing to look for. False: out of memory. */
static bool find(struct config *config, bool *must_exist)
{
    const char *path = getenv("TRAWL_CONFIG_PATH");
    const char *folder = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");

    *must_exist = path != NULL;
    if (path != NULL)
        return *path == '\0' || join(config, path, "");
    if (folder != NULL && *folder == '/') /* anything else is to be ignored, says XDG */
        return join(config, folder, "/trawl/config");
    return home == NULL || *home == '\0' || join(config, home, "/.config/trawl/config");
}

/* The file's text, ended by NUL. False: errno says why; 0: it is no text. */
static bool load(struct config *config)
{
    FILE *file = fopen(config->path, "re");
    size_t bytes_count;
    int os_code;

    if (file == NULL)
        return false;
    config->text = malloc(CONFIG_BYTES_MAX + 2);
    errno = 0;
    bytes_count = config->text != NULL ? fread(config->text, 1, CONFIG_BYTES_MAX + 1, file) : 0;
    os_code = config->text == NULL ? ENOMEM : ferror(file) != 0 ? errno : 0;
    (void)fclose(file);
    errno = bytes_count > CONFIG_BYTES_MAX ? EFBIG : os_code;
    if (errno != 0)
        return false;
    config->text[bytes_count] = '\0';
    return strlen(config->text) == bytes_count;
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

bool config_read(struct config *config, char *message)
{
    bool must_exist;

    memset(config, 0, sizeof *config);
    if (!find(config, &must_exist))
        goto exhausted;
    if (config->path == NULL)
        return true;
    if (!load(config)) {
        bool missing = errno == ENOENT || errno == ENOTDIR;

        if (missing && !must_exist)
            return true;
        (void)snprintf(message, TYPED_ERROR_BYTES, "%s%s: %s",
                       must_exist ? "TRAWL_CONFIG_PATH: " : "", config->path,
                       errno != 0 ? strerror(errno) : "it holds a NUL byte");
        return false;
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
