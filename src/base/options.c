/* options: reads and fills versioned option structs. */
#include "base/options.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"

/* a larger `size` is rejected: it was probably not initialised */
#define OPTIONS_BYTES_SANE_MAX 4096u

enum trawl_status options_check(const void *given, uint64_t oldest, const char *name,
                                struct trawl_error *error)
{
    uint64_t size;

    if (given == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", name);
    memcpy(&size, given, sizeof size);
    /* not a multiple: would end inside a pointer */
    if (size < oldest || size > OPTIONS_BYTES_SANE_MAX || size % sizeof(void *) != 0)
        return TRAWL_FAIL(error, ARGUMENT,
                          "%s: size is %" PRIu64 ", not the struct's size, which is at least "
                          "%" PRIu64,
                          name, size, oldest);
    return TRAWL_OK;
}

enum trawl_status options_read(void *options, uint64_t bytes, const void *given, uint64_t oldest,
                               const char *name, struct trawl_error *error)
{
    const uint8_t *given_bytes = (const uint8_t *)given;
    uint64_t size;

    if (given == NULL)
        return TRAWL_OK;
    TRAWL_TRY(options_check(given, oldest, name, error));
    memcpy(&size, given, sizeof size);
    for (uint64_t i = bytes; i < size; i++)
        if (given_bytes[i] != 0)
            return TRAWL_FAIL(error, ARGUMENT,
                              "%s: byte %" PRIu64 " is set, an option this version does not know",
                              name, i);
    memcpy(options, given, (size_t)min_u64(size, bytes));
    memcpy(options, &bytes, sizeof bytes);
    return TRAWL_OK;
}

enum trawl_status options_report(void *given, const void *told, uint64_t bytes, const char *name,
                                 struct trawl_error *error)
{
    uint64_t size;

    TRAWL_TRY(options_check(given, bytes, name, error));
    memcpy(&size, given, sizeof size);
    memcpy(given, told, (size_t)min_u64(size, bytes));
    memcpy(given, &size, sizeof size);
    return TRAWL_OK;
}
