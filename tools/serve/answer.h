/* answer: answers a request: takes the request's settings and writes the bytes of the answer.
 *
 * A thread of the answer writes the bytes into a pipe, in the format that the client gets. The
 * connection's thread reads the pipe. If that thread ends the answer, the search ends, too.
 */
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include "serve/collection.h"
#include "serve/pass.h"
#include "serve/request.h"
#include "trawl/text/output.h"

/* Memory of an answer's pipe, output buffers and thread. */
#define ANSWER_BYTES (UINT64_C(2) << 20)

struct server {
    struct trawl_runtime *runtime;
    struct passes *passes;           /* the passes that searches share */
    const char *link;                /* template of links to files, for the page */
    struct collection **collections; /* all collections that the server serves */
    size_t collection_count;
    struct request_limits limits;
    struct guard all; /* counts the memory of all requests; same as limits.all */
    uint32_t thread_count;
    atomic_bool is_ending; /* answers end now, with a status */
    /* Totals for /metrics. */
    _Atomic uint64_t request_count[REQUEST_FORMATS];
    _Atomic uint64_t refused_count, cancelled_count, running_count;
    /* [i] counts answers that took t microseconds, 2^(i-1) < t ≤ 2^i; [0]: t ≤ 1; [31] has no upper
     * bound. */
    _Atomic uint64_t latency_counts[32];
    _Atomic uint64_t latency_ns[REQUEST_FORMATS], answer_bytes;
    _Atomic uint64_t connection_count, open_count; /* connections that came; those that are open */
};

struct served_answer;

/* Begins to answer a request. Takes ownership of what the request holds, also on failure. NULL:
 * message and *http_status say why. */
struct served_answer *answer_begin(struct server *server, struct request *request, uint64_t client,
                                   int *http_status, char *message);
/* Waits until the answer begins or is refused. Meanwhile watches the client's connection (-1:
 * none): a client that closes the connection, or only the sending side, counts as gone. False:
 * message and *http_status say why the request is refused; *http_status is 0 if the client is gone.
 * The caller still has to call answer_end. */
bool answer_begun(struct served_answer *answer, int connection, int *http_status, char *message);
/* Waits for the next bytes of the answer and returns how many came. 0: the end. -1: the client is
 * gone, or the answer ended early. */
ssize_t answer_read(struct served_answer *answer, int connection, void *to, size_t room);
/* Ends the search if the search still runs, waits for the answer's thread, and frees the answer. */
void answer_end(struct served_answer *answer);

#endif
