/* escape: text that may hold anything, made safe for a terminal. */
#ifndef TRAWL_ESCAPE_H
#define TRAWL_ESCAPE_H

#include "trawl/output.h"

/* With \xHH for control characters (but tab, and newline if it is kept) and for bytes that are not
 * UTF-8, and \u{HHHH} for characters that change the direction of writing. */
void escape_print(struct output *output, const uint8_t *bytes, uint64_t bytes_count,
                  bool keep_newline);

/* The same as a string of its own; NULL: out of memory. */
char *escape_copy(const char *text);

#endif
