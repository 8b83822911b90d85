/* encoding: --encoding: files in another encoding, converted and searched. */
#ifndef TRAWL_ENCODING_H
#define TRAWL_ENCODING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct encoding;

/* Is there an encoding of that name ("auto" and "none" too)? */
bool encoding_is_known(const char *name);

/* Does what is in the descriptor need to be converted? */
bool encoding_applies(const char *name, int descriptor, const struct stat *status);

/* The same of a regular file that begins with these bytes. */
bool encoding_converts(const char *name, const uint8_t *bytes, uint64_t bytes_count);

/* Convert it in a thread. Returns what its text can be read from, a pipe; -1: errno says why. */
int encoding_begin(struct encoding **encoding, const char *name, int descriptor);
/* Also before its end. Returns what was wrong when it was read, as errno; 0: nothing. */
int encoding_end(struct encoding *encoding);

#endif
