/* answer: a request, from its settings to the bytes of its answer.
 *
 * A thread of its own writes the answer, as the client gets it, into a pipe. A reader that ends the
 * answer ends the search.
 */
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include "serve/collection.h"
#include "serve/pass.h"
#include "serve/request.h"
#include "trawl/output.h"

struct server {
    struct trawl_runtime *runtime;
    struct passes *passes;
    struct collection **collections;
    size_t collection_count;
    struct request_limits limits;
    struct guard all; /* what all requests together take: limits.all */
    uint32_t thread_count;
    /* Sums for /metrics. */
    _Atomic uint64_t request_count[REQUEST_FORMATS];
    _Atomic uint64_t refused_count, cancelled_count, running_count;
    _Atomic uint64_t latency_counts[32]; /* [i]: more than 2^(i-1) and at most 2^i microseconds */
    _Atomic uint64_t latency_ns, answer_bytes;
};

struct served_answer;

/* Begin to answer: takes the request over, also on failure. NULL: message and *http_status. */
struct served_answer *answer_begin(struct server *server, struct request *request, uint64_t client,
                                   int *http_status, char *message);
/* Waits until there is an answer, or none will be, and watches the client's connection meanwhile
 * (-1: there is none): one that is closed, also for writing alone, is gone. False: message and
 * *http_status, which is 0 where the client is gone; answer_end is still to be called. */
bool answer_begun(struct served_answer *answer, int connection, int *http_status, char *message);
/* Waits for the next bytes; 0: the end; -1: the client is gone, or the answer ended early. */
ssize_t answer_read(struct served_answer *answer, int connection, void *to, size_t room);
/* Ends the search if it still runs, and waits for its thread. */
void answer_end(struct served_answer *answer);

#endif
