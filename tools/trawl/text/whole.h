/* whole: reads a file from beginning to end. */
#ifndef TRAWL_WHOLE_H
#define TRAWL_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a file; the name "-" means standard input. The caller frees *bytes, which is not NULL and
 * has room for another byte. False: message[SETTINGS_ERROR_BYTES] names the file and says why. */
bool whole_read(const char *name, char **bytes, size_t *bytes_count, char *message);

/* Reads the token of a server and its clients from a file, without blanks and line ends at its end.
 * The caller frees *token, which is NULL after a failure. False: the file cannot be read, or has
 * anything but one line of visible characters and blanks; message says which. */
bool whole_read_token(const char *name, char **token, char *message);

/* Reads the bytes of a descriptor. The caller frees *bytes, even after an error. Stops as soon as
 * there are more than `max` bytes; otherwise *bytes has room for another byte. False: errno says
 * why. */
bool whole_read_from(int descriptor, size_t max, char **bytes, size_t *bytes_count);

#endif
