/* whole: reads a file from beginning to end. */
#include "trawl/text/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trawl/text/grow.h"
#include "trawl/text/sizes.h"

#define TOKEN_BYTES_MAX 4096u
#define READ_BYTES_FIRST SIZE_OR_SMALL(64u << 10, 1u)

bool whole_read_from(int descriptor, size_t max, char **bytes, size_t *bytes_count)
{
    size_t capacity = 0;
    ssize_t got = 1;

    *bytes = NULL;
    *bytes_count = 0;
    while (got != 0 && *bytes_count <= max) {
        if (!GROW(*bytes, capacity, READ_BYTES_FIRST, *bytes_count + 1)) {
            errno = ENOMEM;
            return false;
        }
        got = read(descriptor, *bytes + *bytes_count, capacity - *bytes_count);
        if (got < 0 && errno != EINTR)
            return false;
        *bytes_count += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool whole_read(const char *name, char **bytes, size_t *bytes_count, char *message)
{
    bool is_input = strcmp(name, "-") == 0, good;
    int descriptor = is_input ? STDIN_FILENO : open(name, O_RDONLY | O_NOCTTY);

    good = descriptor >= 0 && whole_read_from(descriptor, SIZE_MAX, bytes, bytes_count);
    if (!good) {
        snprintf(message, SETTINGS_ERROR_BYTES, "%s: %s", is_input ? "(standard input)" : name,
                 strerror(errno));
        if (descriptor >= 0)
            free(*bytes);
        *bytes = NULL;
        *bytes_count = 0;
    }
    if (descriptor >= 0 && !is_input)
        close(descriptor);
    return good;
}

bool whole_read_token(const char *name, char **token, char *message)
{
    size_t bytes_count;
    bool good;

    if (!whole_read(name, token, &bytes_count, message))
        return false;
    while (bytes_count > 0 && strchr(" \t\r\n", (*token)[bytes_count - 1]) != NULL)
        bytes_count--;
    good = bytes_count > 0 && bytes_count <= TOKEN_BYTES_MAX && **token != ' ';
    for (size_t i = 0; i < bytes_count; i++)
        good = good && (*token)[i] >= ' ' && (*token)[i] <= '~';
    (*token)[bytes_count] = '\0';
    if (good)
        return true;
    free(*token);
    *token = NULL;
    (void)snprintf(message, SETTINGS_ERROR_BYTES,
                   "%.200s: a token is one line of 1 to %u printable characters of ASCII", name,
                   TOKEN_BYTES_MAX);
    return false;
}
