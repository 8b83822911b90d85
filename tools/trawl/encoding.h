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

/* Convert it in a thread. Returns what its text can be read from, a pipe; -1: errno says why.
 * whole_blocks: BLOCK_BYTES are converted before the first of them can be read, whenever more of
 * the file comes; so encoding_null knows of all bytes in the blocks that were begun to be read. */
int encoding_begin(struct encoding **encoding, const char *name, int descriptor, bool whole_blocks);
/* Where the text's first NUL is, as far as it was converted; UINT64_MAX: there is none. */
uint64_t encoding_null(const struct encoding *encoding);
/* Also before its end. Returns what was wrong when it was read, as errno; 0: nothing. */
int encoding_end(struct encoding *encoding);

#endif
