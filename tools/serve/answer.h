/* answer: a request, from its settings to the bytes of its answer.
 *
 * The answer goes through a pipe as frames (trawl/output.h), written by a thread of its own, and is
 * read by what sends it on. A reader that closes the pipe ends the search.
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
    uint32_t thread_count;
    /* Sums for /metrics. */
    _Atomic uint64_t request_count[4]; /* by enum request_format */
    _Atomic uint64_t refused_count, cancelled_count, running_count;
    _Atomic uint64_t latency_counts[32]; /* [i]: more than 2^(i-1) and at most 2^i microseconds */
    _Atomic uint64_t latency_ns, answer_bytes;
};

struct served_answer;

/* Begin to answer: takes the request over, also on failure. NULL: message and *http_status. */
struct served_answer *answer_begin(struct server *server, struct request *request, uint64_t client,
                                   int *http_status, char *message);
/* Waits until there is an answer, or none will be: its descriptor can be read by then. False:
 * message and *http_status; answer_end is still to be called. */
bool answer_begun(struct served_answer *answer, int *http_status, char *message);
/* To be read until its end: frames, the last of which is the exit status. REQUEST_COUNT and
 * REQUEST_COLUMNS: the document in frames of output. Borrowed. */
int answer_descriptor(const struct served_answer *answer);
/* How long may be waited for a frame; then this is to be called again, and ends the search. -1: as
 * long as it takes. */
int answer_left_ms(struct served_answer *answer);
/* Of REQUEST_JSON: the line that stands for a frame of a message or of the exit status; frames of
 * output are passed on as they are. With its line end; to be freed. NULL: out of memory. */
char *answer_line(const struct served_answer *answer, enum output_frame frame, const uint8_t *bytes,
                  size_t bytes_count, size_t *line_bytes);
/* Ends the search if it still runs, and waits for its thread. */
void answer_end(struct served_answer *answer);

#endif
