/* hyperlink: --hyperlink-format: text that a terminal makes a link of (OSC 8). */
#ifndef TRAWL_HYPERLINK_H
#define TRAWL_HYPERLINK_H

#include "trawl/output.h"

/* What a name of a format stands for; others are formats themselves. "": no links. */
const char *hyperlink_format(const char *name);
/* What is wrong with a format; NULL: nothing. */
const char *hyperlink_check(const char *format);
/* Does it say the line, too? */
bool hyperlink_has_line(const char *format);

/* What follows is a link to a place in the file at the absolute path, up to hyperlink_end. */
void hyperlink_begin(struct output *output, const char *format, const char *path, uint64_t line,
                     uint64_t column);
void hyperlink_end(struct output *output);

#endif
