/* answering: an answer in the making. */
#ifndef SERVE_ANSWERING_H
#define SERVE_ANSWERING_H

#include <pthread.h>

#include "serve/answer.h"

struct json_t;

struct served_answer {
    struct server *server;
    struct request request;
    struct collection *collection;
    uint64_t client;
    uint64_t begin_ns, deadline_ns;

    struct held held;
    struct output output;
    struct held_file no_file; /* an operand that is a directory and is not walked */
    struct state *state;
    struct served_view *view;
    uint64_t item_at;
    struct pass_request pass;
    bool passed;   /* pass.files says which files hold something */
    bool silently; /* nothing is said of the others, */
    bool quickly;  /* and of no file it matters what it is like */

    int descriptors[2]; /* of the pipe */
    pthread_t thread;
    atomic_bool cancelled, truncated;
    atomic_uint shared_count;

    pthread_mutex_t lock;
    pthread_cond_t begins;
    bool begun;      /* or it failed, with */
    int http_status; /* which is not 0 then */
    char message[SETTINGS_ERROR_BYTES];
    bool passing; /* pass_cancel may be called */
};

/* How jansson prints a line. */
#define JSON_LINE (JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9))

/* The state and the view of these operands. False: the answer failed. */
bool answering_look(struct served_answer *answer, struct command_job *job,
                    const struct value_item *operands, size_t operand_count);
/* Run answer->pass, whose wants are given. False: cancelled, or pass.message is why. */
bool answering_pass(struct served_answer *answer, const struct patterns *patterns);
/* From here on the client gets an answer; http_status not 0: a refusal instead. */
void answering_begins(struct served_answer *answer, int http_status, const char *message);
/* struct held's run, for REQUEST_COUNT and REQUEST_COLUMNS. */
int answering_count(void *context, struct command_job *job, const struct value_item *operands,
                    size_t operand_count);
/* Begin with the document, and write it. patterns: NULL where there are none, so that nothing was
 * searched. */
void answering_write(struct served_answer *answer, const struct patterns *patterns);
/* A JSON string, or {"bytes": BASE64} where the text is not UTF-8; NULL: out of memory. */
struct json_t *answering_text(const char *text, size_t bytes_count);

#endif
