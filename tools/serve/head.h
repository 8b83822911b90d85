/* head: finds what is not certain in a request: where it ends, and what it asks for. */
#ifndef SERVE_HEAD_H
#define SERVE_HEAD_H

#include <microhttpd.h>
#include <stdbool.h>

/* Returns whether the text has a control byte other than a tab. */
bool head_has_control(const char *text);
/* Returns why the request's end or target is not certain; NULL if both are. In the library's buffer
 * `version` follows the target, so another target_end shows a NUL byte in the target; NULL: the
 * target is wrong. *is_chunked: the request has a Transfer-Encoding. */
const char *head_doubt(struct MHD_Connection *connection, const char *method, const char *version,
                       const char *target_end, bool *is_chunked);

#endif
