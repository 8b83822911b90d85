/* hyperlink: --hyperlink-format: text that a terminal shows as a link (OSC 8). */
#ifndef TRAWL_HYPERLINK_H
#define TRAWL_HYPERLINK_H

#include "trawl/text/output.h"

/* Returns the format with this name; any other text is itself a format. "": no links. */
const char *hyperlink_format(const char *name);
/* Returns what is wrong with a format; NULL: the format is correct. */
const char *hyperlink_check(const char *format);

/* Begins a link to the file at the absolute path `path`. HYPERLINK_END ends the link. */
void hyperlink_begin(struct output *output, const char *format, const char *path, uint64_t line,
                     uint64_t column);
#define HYPERLINK_END "\33]8;;\33\\"

#endif
