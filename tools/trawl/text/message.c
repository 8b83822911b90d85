/* message: prints lines on standard error. */
#include "trawl/text/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "trawl/text/bar.h"

const char *message_name = "trawl";

/* Writes a line with a single call, so that lines of several processes do not mix. */
static void message_line(const char *text)
{
    static char between[] = ": ", end[] = "\n";
    struct iovec parts[] = {{(void *)(uintptr_t)message_name, strlen(message_name)},
                            {between, sizeof between - 1},
                            {(void *)(uintptr_t)text, strlen(text)},
                            {end, sizeof end - 1}};
    bool barred = bar_lock(STDERR_FILENO);
    ssize_t ignored = writev(STDERR_FILENO, parts, sizeof parts / sizeof *parts);

    if (barred)
        bar_unlock(false);
    (void)ignored; /* a failed write cannot be reported anywhere */
}

char *message_format(char room[MESSAGE_ROOM], const char *format, va_list arguments)
{
    va_list again;
    const int room_bytes = SIZE_OR_SMALL(MESSAGE_SIZES);
    char *text = room;
    int bytes;

    va_copy(again, arguments);
    bytes = vsnprintf(room, (size_t)room_bytes, format, arguments);
    if (bytes >= room_bytes) {
        text = malloc((size_t)bytes + 1);
        if (text != NULL)
            (void)vsnprintf(text, (size_t)bytes + 1, format, again);
        else
            text = room; /* truncated */
    }
    va_end(again);
    return text;
}

bool message_fail(char *message, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, SETTINGS_ERROR_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

bool message_misuse(char *message, const char *error)
{
    const int room = SETTINGS_ERROR_BYTES - (int)(sizeof MESSAGE_HELP + strlen(message_name));

    return message_fail(message, "%.*s" MESSAGE_HELP, room, error, message_name);
}

bool message_exhausted(char *message)
{
    return message_fail(message, MESSAGE_EXHAUSTED);
}

void message_print(const char *format, ...)
{
    char room[MESSAGE_ROOM], *text;
    va_list arguments;

    va_start(arguments, format);
    text = message_format(room, format, arguments);
    va_end(arguments);
    message_line(text);
    if (text != room)
        free(text);
}

bool message_is_unread(const struct output *output)
{
    return strcmp(message_name, "tg") == 0 && output->error == EPIPE;
}

void message_in_output(struct output *output, const char *text)
{
    output_flush(output);
    if (output->sink != NULL)
        output_frame(output, OUTPUT_FRAME_MESSAGE, text, strlen(text));
    else
        message_line(text);
}
