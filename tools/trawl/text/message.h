/* message: prints lines on standard error. */
#ifndef TRAWL_MESSAGE_H
#define TRAWL_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>

#include "trawl/text/output.h"
#include "trawl/text/sizes.h"

#define MESSAGE_SIZES 1024, 16 /* longer messages are allocated */
#define MESSAGE_ROOM SIZE_ROOM(MESSAGE_SIZES)

/* The program's name, with which each message begins: trawl, tg or trawl-serve. Set once, before
 * threads begin. */
extern const char *message_name;

void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes why something failed into message[SETTINGS_ERROR_BYTES]. Returns false. */
bool message_fail(char *message, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The second line of a message about wrong options, with message_name. */
#define MESSAGE_HELP "\nTry '%s --help' for more information."
/* Writes that the options are wrong, cut to fit, and MESSAGE_HELP. Returns false. */
bool message_misuse(char *message, const char *error);
#define MESSAGE_EXHAUSTED "memory exhausted"
bool message_exhausted(char *message); /* fails with MESSAGE_EXHAUSTED */
/* Formats a text of any length, as paths may be long. Returns `room` if the text fits, otherwise
 * memory that the caller frees. If out of memory, returns `room` with the text truncated. */
char *message_format(char room[MESSAGE_ROOM], const char *format, va_list arguments);
/* Returns true if writing failed only because the reader is gone. As in ripgrep, tg then ends
 * silently, with status 0. */
bool message_is_unread(const struct output *output);
/* Prints a message after the output so far. */
void message_in_output(struct output *output, const char *text);

#endif
