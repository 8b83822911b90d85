/* status: error records, status texts, version. */
#include "base/status.h"

#include <stdarg.h>
#include <string.h>

enum trawl_status error_fill(struct trawl_error *error, enum trawl_status status, int os_code,
                             const char *format, ...)
{
    va_list arguments;

    TRAWL_ASSERT(status >= TRAWL_ARGUMENT);
    if (error == NULL)
        return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    error->os_code = os_code;
    error->pattern_index = UINT64_MAX;
    error->text_offset = UINT64_MAX;
    va_start(arguments, format);
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    for (char *at = error->message; (at = strpbrk(at, "\r\n")) != NULL;)
        *at = '?'; /* the message is a single line, but a file's name may contain line ends */
    return status;
}

const char *trawl_status_message(enum trawl_status status)
{
    switch (status) {
#define STATUS_MESSAGE(name, number, message) \
    case TRAWL_##name:                        \
        return message;
        TRAWL_STATUS_LIST(STATUS_MESSAGE)
#undef STATUS_MESSAGE
    }
    return "unknown status";
}

const char *trawl_version(void)
{
    return TRAWL_VERSION;
}
