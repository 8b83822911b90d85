/* answer_ask: a command line, both ways: by the command, and as a request that is answered. */
#ifndef TESTS_SERVE_ANSWER_ASK_H
#define TESTS_SERVE_ANSWER_ASK_H

#include <jansson.h>

#include "serve/answer.h"

struct output_bytes {
    char *bytes;
    size_t count;
};

/* What somebody printed. */
struct printed {
    struct output_bytes output, messages;
    int status;
};

extern struct server server;
extern const char *command; /* its path */
/* What a client of JSON gets of the answers since it was emptied, beside their output. */
extern _Thread_local struct output_bytes json_lines;

/* Run the command in the directory $PWD. */
void run_command(char **arguments, struct printed *printed);
/* Have the request answered. False: refused, with printed->status and the message. Any number of
 * threads may ask. */
/* If not negative: memory is short for the server after so many calls, so many times. */
extern long ask_short_after, ask_short_count;
bool ask(json_t *body, enum request_format format, struct printed *printed);
void free_printed(struct printed *printed);
/* Times differ: take them out. */
void mask_elapsed(struct output_bytes *output);

#endif
