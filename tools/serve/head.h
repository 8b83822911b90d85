/* head: finds what is ambiguous in a request: where the request ends, and what the client asks for.
 * A proxy before the server might read the request differently. */
#ifndef SERVE_HEAD_H
#define SERVE_HEAD_H

#include <microhttpd.h>
#include <stdbool.h>

/* Returns true if the text has a control byte other than a tab. */
bool head_has_control(const char *text);
/* The target of the request line, as the library (libmicrohttpd) read the line. `end` points to the
 * NUL byte at the end; it is NULL if the target has a control byte or an encoded NUL byte. */
struct head_target {
    const char *begin, *end;
};

/* Returns why the end or the target of the request is ambiguous; NULL if neither is. In the
 * library's buffer, one byte lies between the method, the target and the version; a greater
 * distance shows a NUL byte. Sets *is_chunked to whether the request has the header
 * Transfer-Encoding. */
const char *head_doubt(struct MHD_Connection *connection, const char *method,
                       const struct head_target *target, const char *version, bool *is_chunked);

#endif
