/* answering: an answer in the making. */
#ifndef SERVE_ANSWERING_H
#define SERVE_ANSWERING_H

#include <pthread.h>

#include "serve/answer.h"

struct served_answer {
    struct server *server;
    struct request request;
    struct collection *collection;
    uint64_t client;
    uint64_t begin_ns;

    struct held held;
    struct held_file no_file; /* an operand that is a directory and is not walked */
    struct state *state;
    struct served_view *view;
    uint64_t item_at;
    uint64_t unlisted_count; /* directories and operands that the view could not read */
    struct command_job *job; /* not NULL: a pass is yet to say which files hold something, */
    uint64_t pass_from;      /* after so many items: until then the first lines may come */
    struct pass_request pass;
    bool passed;   /* pass.files says which files hold something */
    bool silently; /* nothing is said of the others, */
    bool quickly;  /* and of no file it matters what it is like */

    int descriptors[2]; /* of the pipe */
    pthread_t thread;
    atomic_bool truncated;
    atomic_uint shared_count;
    pthread_mutex_t lock;
    bool passing; /* with the lock: pass_cancel may be called */

    /* The thread's, while the pipe is open. */
    bool begun;                         /* the client gets an answer; or it is refused: */
    atomic_int http_status;             /* not 0 then, */
    char message[SETTINGS_ERROR_BYTES]; /* and why */
    uint8_t *kept;                      /* for the pipe, from before it began */
    size_t kept_count, kept_capacity;
    uint64_t lines_left; /* results that it may have; UINT64_MAX: any number */
    uint8_t line_end;
    bool in_line, line_counts, cut; /* cut: there was one too many */
    atomic_bool whole;              /* all of it is in the pipe */

    struct output output; /* the last member: its room is not cleared */
};

/* The state and the view of these operands. False: the answer failed. */
bool answering_look(struct served_answer *answer, struct command_job *job,
                    const struct value_item *operands, size_t operand_count);
/* Run answer->pass, whose wants are given. False: cancelled, or pass.message is why. */
bool answering_pass(struct served_answer *answer, const struct patterns *patterns);
/* From here on the client gets an answer. */
void answering_begins(struct served_answer *answer);
/* It gets none, if it has not begun. Where the guard ended the search, its reason is told instead.
 */
void answering_refuse(struct served_answer *answer, int http_status, const char *message);
/* struct output's sink: what the job prints and says, as the client gets it. */
int answering_sink(void *answer, enum output_frame frame, const void *bytes, size_t bytes_count);
/* struct held's run, for REQUEST_COUNT and REQUEST_COLUMNS. */
int answering_count(void *context, struct command_job *job, const struct value_item *operands,
                    size_t operand_count);
/* REQUEST_FILES: a line for each file of the collection. Returns the exit status. */
int answering_list(struct served_answer *answer);
/* Its time is over, or its client is gone. */
bool answering_is_over(struct served_answer *answer);
/* Begin with the document, and write it. patterns: NULL where there are none, so that nothing was
 * searched. */
void answering_write(struct served_answer *answer, const struct patterns *patterns);

#endif
