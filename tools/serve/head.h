/* head: finds what is ambiguous in a request: where the request ends, and what the client asks for.
 * A proxy before the server might read the request differently. */
#ifndef SERVE_HEAD_H
#define SERVE_HEAD_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "serve/listen.h"

#define HEAD_HOST_BYTES_MAX 256u

/* Returns true if the text has a control byte other than a tab. */
bool head_has_control(const char *text);
/* The target of the request line, as the library (libmicrohttpd) read the line. `end` points to the
 * NUL byte at the end; it is NULL if the target has a blank, a control byte or an encoded NUL
 * byte. */
struct head_target {
    const char *begin, *end;
};

/* Returns why the end or the target of the request is ambiguous; NULL if neither is. In the
 * library's buffer, one byte separates the method, the target and the version; a larger gap means
 * that a NUL byte was there. Sets *is_chunked to whether the request has a Transfer-Encoding. */
const char *head_ambiguity(struct MHD_Connection *connection, const char *method,
                           const struct head_target *target, const char *version, bool *is_chunked);
/* Returns the path of a request's target. Every server has to accept a target that begins with
 * http://HOST (RFC 9112, 3.2.2); then sets host[HEAD_HOST_BYTES_MAX] to HOST, else to "". */
const char *head_path(const char *target, char *host);
/* Returns true if a request for the host is meant for this server. A third-party web page may reach
 * the server by a name that resolves to a loopback address (DNS rebinding). So on loopback only
 * addresses, `localhost`, the HOST of --listen and own_name (NULL: none) are allowed. */
bool head_is_ours(const char *host, const struct listener *listener, const char *own_name);

/* ---- Heads that come too slowly: the library's own timeout counts from the last byte, so a client
 * that sends one occasionally would keep a connection forever (slowloris). ---- */

/* A connection, listed from its start to its end. */
struct head_wait {
    struct head_wait *next, *before;
    int descriptor;
    uint64_t
        until_ns; /* time of now_ns() at which the head must be complete; 0: no head is awaited */
};

struct late_heads {
    pthread_mutex_t mutex;
    pthread_cond_t wake; /* wakes the thread for a first connection, or at the end */
    struct head_wait *first;
    uint64_t limit_ns;
    bool is_ending;
    pthread_t thread;
};

/* A head must be complete limit_ns after the connection's start, or after twice that time since the
 * last request's end. Returns false if no thread can be started; errno says why. */
bool late_heads_open(struct late_heads *heads, uint64_t limit_ns);
void late_heads_close(struct late_heads *heads);
/* Begins to wait for a connection's first head. Returns NULL if out of memory. */
struct head_wait *late_heads_begin(struct late_heads *heads, int descriptor);
/* To be called when the head is complete, or when a request has ended and another head may come
 * (`again`). The connection may be NULL, here and below. */
void late_heads_came(struct late_heads *heads, struct head_wait *wait, bool again);
/* To be called when the connection ends, while its descriptor is still open. */
void late_heads_end(struct late_heads *heads, struct head_wait *wait);

#endif
