/* options: reads a caller's option struct, of this or another version of trawl. */
#ifndef TRAWL_BASE_OPTIONS_H
#define TRAWL_BASE_OPTIONS_H

#include "base/status.h"

/* Copies the caller's struct `given`, whose first field is the struct's size, over the defaults in
 * `options`, which has `bytes` bytes. NULL keeps all defaults. A smaller struct comes from an older
 * version: the missing fields keep the defaults. A larger struct comes from a newer version: the
 * unknown fields have to be zero. `name` names the struct in messages. Errors: ARGUMENT, also if
 * the size is less than 8 or over 4096. */
enum trawl_status options_read(void *options, uint64_t bytes, const void *given, const char *name,
                               struct trawl_error *error);

/* Copies `told`, which has `bytes` bytes, to the caller's struct `given`, whose first field is the
 * struct's size: as many bytes as both have. The size in `given` keeps its value. */
enum trawl_status options_tell(void *given, const void *told, uint64_t bytes, const char *name,
                               struct trawl_error *error);

#endif
