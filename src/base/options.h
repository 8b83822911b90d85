/* options: reading a caller's option struct of whatever version. */
#ifndef TRAWL_BASE_OPTIONS_H
#define TRAWL_BASE_OPTIONS_H

#include "base/status.h"

/* Copy the caller's struct, whose first field is its size, over the defaults in `options` of
 * `bytes` bytes. NULL keeps the defaults. A smaller struct is of an older version: the rest keeps
 * its default. A larger one is of a newer version: what we do not know must be zero. */
enum trawl_status options_read(void *options, uint64_t bytes, const void *given, const char *name,
                               struct trawl_error *error);

#endif
