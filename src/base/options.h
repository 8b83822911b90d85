/* options: reads a caller's option struct, of this or another version of trawl. */
#ifndef TRAWL_BASE_OPTIONS_H
#define TRAWL_BASE_OPTIONS_H

#include "base/status.h"

/* Checks the size in the caller's struct `given`. `oldest` is the struct's size in the version of
 * trawl that introduced it. A smaller one is a mistake, such as sizeof of a pointer, and would drop
 * fields silently. Errors: ARGUMENT. */
enum trawl_status options_check(const void *given, uint64_t oldest, const char *name,
                                struct trawl_error *error);

/* Copies the caller's struct `given`, whose first field is the struct's size, over the defaults in
 * `options`, which has `bytes` bytes. NULL keeps all defaults. A smaller struct comes from an older
 * version, and its missing fields keep the defaults; a larger one comes from a newer version, and
 * the unknown fields must be zero. `name` names the struct in messages. Errors: those of
 * options_check. */
enum trawl_status options_read(void *options, uint64_t bytes, const void *given, uint64_t oldest,
                               const char *name, struct trawl_error *error);

/* Copies `told`, which has `bytes` bytes, to the caller's struct `given`, except for its first
 * field, the size. No struct that is filled in this way has grown since its first version. Errors:
 * those of options_check. */
enum trawl_status options_report(void *given, const void *told, uint64_t bytes, const char *name,
                                 struct trawl_error *error);

#endif
