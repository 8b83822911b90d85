/* escape: makes arbitrary text safe for a terminal. */
#ifndef TRAWL_ESCAPE_H
#define TRAWL_ESCAPE_H

#include "trawl/output.h"

/* Prints control characters (except tab, and newline if keep_newline) and invalid bytes as \xHH,
 * and characters that change the direction of writing as \u{HHHH}. */
void escape_print(struct output *output, const uint8_t *bytes, uint64_t bytes_count,
                  bool keep_newline);

/* Returns the escaped text as a new string; NULL: no memory. */
char *escape_copy(const char *text);

#endif
