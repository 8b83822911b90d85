/* message: lines on standard error. */
#ifndef TRAWL_MESSAGE_H
#define TRAWL_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>

#include "trawl/output.h"

#define MESSAGE_BYTES 1024 /* longer ones take memory */

struct progress;

/* Set once, before threads begin. */
struct message_manner {
    bool escapes;   /* --escape-controls */
    bool called_tg; /* whose messages these are */
};
extern struct message_manner message_manner;

void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A text of any length, since a path may have any; in `room` if it fits, else to be freed. */
char *message_format(char room[MESSAGE_BYTES], const char *format, va_list arguments);
/* After what was printed so far. */
void message_in_output(struct output *output, struct progress *progress, const char *text);

#endif
