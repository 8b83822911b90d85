/* encoding: --encoding: converts files in another encoding. */
#ifndef TRAWL_ENCODING_H
#define TRAWL_ENCODING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "trawl/options/guess.h"

struct encoding;

/* Returns true if an encoding has that name. "auto" and "none" count as names, and "guess" if
 * uchardet is there. */
bool encoding_is_known(const char *name);

/* Returns true if the file must be converted. Also true for a pipe with "auto", whose first bytes
 * are not known yet. */
bool encoding_applies(const char *name, int descriptor, const struct stat *status);

/* Does what encoding_applies does, for a regular file that begins with these bytes. */
bool encoding_converts(const char *name, const uint8_t *bytes, uint64_t bytes_count);

/* Looks at the first bytes of a regular file in which nothing was found. Returns a hint for the
 * user if it is in UTF-16 or, unless is_unpacked, compressed; else NULL. */
const char *encoding_hint(const char *name, bool is_unpacked);

/* Starts a thread that converts the file. Returns the reading end of a pipe with the converted
 * text; -1: errno says why. */
int encoding_begin(struct encoding **encoding, const char *name, int descriptor);
/* Ends the conversion, even before the file's end. Returns the errno of reading or converting the
 * file; 0: no error. guess[GUESS_BYTES]: the encoding that was guessed and converted, or
 * "". */
int encoding_end(struct encoding *encoding, char *guess);

#endif
