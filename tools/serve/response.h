/* response: takes a request's settings, searches, and returns the bytes of the response.
 *
 * A thread of the response writes the bytes into a pipe, in the client's format. The connection's
 * thread reads the pipe; if it ends the response, the search ends, too.
 */
#ifndef SERVE_RESPONSE_H
#define SERVE_RESPONSE_H

#include "serve/collection.h"
#include "serve/pass.h"
#include "serve/request.h"
#include "trawl/text/output.h"

/* Memory that a response uses for its pipe, output buffers and thread. */
#define RESPONSE_BYTES (UINT64_C(2) << 20)

struct server {
    struct trawl_runtime *runtime;
    struct passes *passes;           /* searches that several requests share (pass.h) */
    const char *link;                /* template of links to files, for the page */
    struct collection **collections; /* all collections that the server serves */
    size_t collection_count;
    struct request_limits limits;
    struct guard all; /* counts the memory of all requests together; limits.all points here */
    uint32_t thread_count;
    /* the server is shutting down, so each response stops early, and says so */
    atomic_bool is_ending;
    /* For /metrics: totals since the start, except that running_count counts the responses that run
     * now. */
    _Atomic uint64_t request_count[REQUEST_FORMATS];
    _Atomic uint64_t refused_count, cancelled_count, running_count;
    /* Counts of responses by duration in microseconds: [i] has durations above 2^(i-1) and up to
     * 2^i, [0] up to 1, and [31] has no upper bound. */
    _Atomic uint64_t latency_counts[32];
    _Atomic uint64_t latency_ns[REQUEST_FORMATS], answer_bytes;
    /* connections so far, and connections that are open */
    _Atomic uint64_t connection_count, open_count;
};

struct response;

/* Begins to answer a request. Takes ownership of the request's contents, even on failure. Returns
 * NULL on failure; message and *http_status say why. */
struct response *response_begin(struct server *server, struct request *request, uint64_t client,
                                int *http_status, char *message);
/* Waits until the response begins or is rejected. Meanwhile watches the client's connection (-1:
 * none). A client that closes the connection, or only the sending side, counts as gone. Returns
 * false if the request is rejected: message and *http_status say why, or *http_status is 0 if the
 * client is gone. The caller must always call response_end. */
bool response_begun(struct response *response, int connection, int *http_status, char *message);
/* Waits for the next bytes of the response, and returns how many came. Returns 0 at the response's
 * end, and -1 if the client is gone or the response ended early. */
ssize_t response_read(struct response *response, int connection, void *to, size_t room);
/* Ends the search if it still runs, waits for the response's thread, and frees it. */
void response_end(struct response *response);

#endif
