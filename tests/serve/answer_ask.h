/* answer_ask: runs a command line both ways: by the command, and as a request to the server's
 * code. */
#ifndef TESTS_SERVE_ANSWER_ASK_H
#define TESTS_SERVE_ANSWER_ASK_H

#include <jansson.h>

#include "serve/answer.h"

struct output_bytes {
    char *bytes;
    size_t count;
};

/* Output, messages and exit status of the command or of an answer. */
struct printed {
    struct output_bytes output, messages;
    int status;
};

extern struct server server;
extern const char *command; /* its path */
/* Bytes that a client of JSON got, besides the output, since the buffer was emptied. */
extern _Thread_local struct output_bytes json_lines;

/* Runs the command in the directory $PWD. */
void run_command(char **arguments, struct printed *printed);
/* If ask_short_after ≥ 0: after so many allocations of the server's code, ask_short_count
 * allocations fail. */
extern long ask_short_after, ask_short_count;
/* Has the request answered. False: the request was refused; `printed` has the status and the
 * message. Any number of threads may call. */
bool ask(json_t *body, enum request_format format, struct printed *printed);
void free_printed(struct printed *printed);
/* Removes times, which differ between runs, from the output. */
void mask_elapsed(struct output_bytes *output);

#endif
