/* whole: a file, read from beginning to end. */
#ifndef TRAWL_WHOLE_H
#define TRAWL_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* name: "-" is standard input. *bytes, not NULL, is to be freed, and has room for one more byte.
 * False: message[SETTINGS_ERROR_BYTES] names the file and says why. */
bool whole_read(const char *name, char **bytes, size_t *bytes_count, char *message);

/* The bytes of a descriptor, to be freed, also after an error; with room for one more byte. Stops
 * once there are more than `most`. False: errno says why. */
bool whole_read_from(int descriptor, size_t most, char **bytes, size_t *bytes_count);

#endif
