/* options: reads and fills versioned option structs. */
#include "base/options.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"

/* a larger `size` is refused: the field was probably not initialised */
#define OPTIONS_BYTES_SANE_MAX 4096u

enum trawl_status options_read(void *options, uint64_t bytes, const void *given, const char *name,
                               struct trawl_error *error)
{
    const uint8_t *given_bytes = (const uint8_t *)given;
    uint64_t size;

    if (given == NULL)
        return TRAWL_OK;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > OPTIONS_BYTES_SANE_MAX)
        return TRAWL_FAIL(error, ARGUMENT, "%s: size %" PRIu64 " is not a struct's size", name,
                          size);
    for (uint64_t i = bytes; i < size; i++)
        if (given_bytes[i] != 0)
            return TRAWL_FAIL(error, ARGUMENT,
                              "%s: byte %" PRIu64 " is set, an option this version does not know",
                              name, i);
    memcpy(options, given, (size_t)min_u64(size, bytes));
    memcpy(options, &bytes, sizeof bytes);
    return TRAWL_OK;
}

enum trawl_status options_tell(void *given, const void *told, uint64_t bytes, const char *name,
                               struct trawl_error *error)
{
    uint64_t size;

    if (given == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", name);
    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return TRAWL_FAIL(error, ARGUMENT, "%s: size %" PRIu64 " is not a struct's size", name,
                          size);
    memcpy(given, told, (size_t)min_u64(size, bytes));
    memcpy(given, &size, sizeof size);
    return TRAWL_OK;
}
