/* head: finds what is not certain in a request: where it ends, and what it asks for. */
#ifndef SERVE_HEAD_H
#define SERVE_HEAD_H

#include <microhttpd.h>
#include <stdbool.h>

/* Returns whether the text has a control byte other than a tab. */
bool head_has_control(const char *text);
/* The target of the request line, as the library read it. end: its NUL byte; NULL: the target has a
 * control byte or an encoded NUL byte. */
struct head_target {
    const char *begin, *end;
};

/* Returns why the request's end or target is not certain; NULL if both are. In the library's buffer
 * a single byte lies between the method, the target and the version, so a greater distance shows a
 * NUL byte. *is_chunked: the request has a Transfer-Encoding. */
const char *head_doubt(struct MHD_Connection *connection, const char *method,
                       const struct head_target *target, const char *version, bool *is_chunked);

#endif
