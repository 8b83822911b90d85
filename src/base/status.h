/* status: fills and forwards errors.
 *
 * - TRAWL_TRY(call) returns the status of a failed call, in functions with nothing to release.
 * - TRAWL_TRY_DONE(call) goes to the function's label `done:` after a failed call. The function has
 *   a variable `enum trawl_status status`.
 * - TRAWL_FAIL(error, S, ...) fills the caller's error and evaluates to TRAWL_S.
 * - TRAWL_ASSERT(condition) finds bugs in trawl: it aborts in debug, sanitizer and fuzz builds.
 */
#ifndef TRAWL_BASE_STATUS_H
#define TRAWL_BASE_STATUS_H

#include <stdio.h>
#include <stdlib.h>

#include "trawl.h"

#define TRAWL_TRY(call)                         \
    do {                                        \
        enum trawl_status try_status_ = (call); \
        if (try_status_ != TRAWL_OK)            \
            return try_status_;                 \
    } while (0)

#define TRAWL_TRY_DONE(call)    \
    do {                        \
        status = (call);        \
        if (status != TRAWL_OK) \
            goto done;          \
    } while (0)

#define TRAWL_FAIL(error, name, ...) error_fill((error), TRAWL_##name, 0, __VA_ARGS__)
#define TRAWL_FAIL_OS(error, name, os_code, ...) \
    error_fill((error), TRAWL_##name, (os_code), __VA_ARGS__)

/* Fills *error (unless `error` is NULL) and returns `status`. pattern_index and text_offset become
 * UINT64_MAX (unknown); a caller that knows them sets them afterwards. `format` must not end in a
 * newline. */
enum trawl_status error_fill(struct trawl_error *error, enum trawl_status status, int os_code,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));

#if defined(TRAWL_DEBUG)
#define TRAWL_ASSERT(condition)                                                         \
    do {                                                                                \
        if (!(condition)) {                                                             \
            fprintf(stderr, "trawl: %s:%d: assertion failed: %s\n", __FILE__, __LINE__, \
                    #condition);                                                        \
            abort();                                                                    \
        }                                                                               \
    } while (0)
#else
#define TRAWL_ASSERT(condition) ((void)0)
#endif

#endif
