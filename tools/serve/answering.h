/* answering: the object of one answer, and the functions that all formats of an answer share. */
#ifndef SERVE_ANSWERING_H
#define SERVE_ANSWERING_H

#include <pthread.h>

#include "serve/answer.h"

/* A collection that is searched for an answer, with the results. */
struct answer_share {
    struct collection *collection;
    const char *prefix;       /* the names of files begin with it and a slash; NULL: no prefix */
    struct state *state;      /* the state of the collection that the answer is about */
    struct served_view *view; /* the files that the request means */
    struct pass_request pass;
};

/* The files of a share that the job searches (answer_files.c). */
struct answer_files {
    struct view_names names; /* holds the name of the view's next item */
    uint64_t item_at;        /* index of the next item of the view */
    struct command_job *job;
    /* Not NULL until the job has reached pass_from: then look_for_files decides about a pass. */
    struct command_job *waiting;
    uint64_t pass_from; /* index of the view's item before which a pass may run */
    bool passed;        /* pass.files has a bit for each file that may contain an occurrence */
    bool silently;      /* the output does not mention files without an occurrence */
    bool quickly;       /* `silently`, and pass.files is valid for every file of the state */
    bool counts; /* the output counts the files without an occurrence: the summary of --json */
    uint64_t passed_files, passed_bytes; /* `counts`: skipped files that no item counted yet */
};

/* The bytes on their way to the client (answer_pipe.c). While the pipe's writing end is open, only
 * the answer's thread uses the members other than `descriptors` and `whole`. */
struct answer_pipe {
    int descriptors[2]; /* the pipe: reading end, writing end */
    bool begun;         /* the client gets an answer, so the request can no longer be refused */
    uint8_t *kept;      /* bytes that were written before the answer began */
    size_t kept_count, kept_capacity;
    uint64_t lines_left; /* results that the answer may still have; UINT64_MAX: no limit */
    uint8_t line_end;
    char *file_end; /* REQUEST_JSON: the line `end` that is due, since `begin` was written */
    /* in_line: the bytes so far end inside a line. line_counts: that line is a result. cut: there
     * were more results than lines_left. */
    bool in_line, line_counts, cut;
    atomic_bool whole; /* the whole answer was written into the pipe */
};

struct served_answer {
    struct server *server;
    struct request request;
    struct answer_share *shares; /* the collections that the request means, in the answer's order */
    size_t share_count, share_at; /* share_at: the share whose files the job searches */
    /* Identifies the client, as client_of (http.c) does; clients take turns in passes. */
    uint64_t client;
    uint64_t begin_ns;
    struct supply supply;
    struct answer_files files;
    struct answer_pipe pipe;

    pthread_t thread;
    bool searched;         /* some file was searched; set when the job has ended */
    atomic_bool truncated; /* max_results or max_seconds was reached */
    atomic_uint shared_count;
    atomic_int http_status;             /* status of a refusal; 0: not refused */
    char message[SETTINGS_ERROR_BYTES]; /* why the request is refused */
    pthread_mutex_t lock;
    /* Guarded by `lock`: what pass_run runs, so that pass_cancel may be called; else NULL. */
    struct pass_request *passing;
    struct trawl_searcher **searchers; /* guarded by `lock`: the job's searchers */
    size_t searcher_count, searcher_capacity;

    struct output output; /* the last member, since answer_begin does not clear its buffer */
};

/* The functions `begin`, `next` and `open` of struct supply. */
void answering_begin_files(void *context, struct command_job *job,
                           const struct value_item *operands, size_t operand_count);
bool answering_next_file(void *context, struct walk_item *item);
int answering_open_file(void *context, const struct walk_item *item);
/* Gets each share's newest state and the view of these operands. False: the answer was refused. */
bool answering_look(struct served_answer *answer, struct command_job *job,
                    const struct value_item *operands, size_t operand_count);
/* Runs a pass for these patterns; the caller has set what the pass wants. False: the search was
 * cancelled, or pass->message says why. */
bool answering_pass(struct served_answer *answer, const struct answer_share *share,
                    struct pass_request *pass, const struct patterns *patterns);
/* Refuses the request because of what ended a pass. */
void answering_refuse_pass(struct served_answer *answer, const struct pass_request *pass);
/* Begins the answer: the client gets status 200 and the bytes kept so far. From now on the request
 * cannot be refused. */
void answering_begins(struct served_answer *answer);
/* Refuses the request if the answer has not begun. If the guard ended the search, the guard's
 * reason replaces http_status and message. */
void answering_refuse(struct served_answer *answer, int http_status, const char *message);
/* The sink of struct output: turns what the job prints and reports into the answer's format.
 * Returns 0 or an errno. */
int answering_sink(void *answer, enum output_frame frame, const void *bytes, size_t bytes_count);
/* The function `run` of struct supply, for REQUEST_COUNT and REQUEST_COLUMNS. Returns the exit
 * status. */
int answering_count(void *context, struct command_job *job, const struct value_item *operands,
                    size_t operand_count);
/* Writes a line for each file of the collection, for REQUEST_FILES. Returns the exit status. */
int answering_list(struct served_answer *answer);
/* Returns whether the answer must end: the deadline has passed, or the client is gone. */
bool answering_is_over(struct served_answer *answer);
/* Begins the answer of REQUEST_COUNT or REQUEST_COLUMNS and writes the whole answer. patterns: NULL
 * if there was no string to search for. */
void answering_write(struct served_answer *answer, const struct patterns *patterns);

#endif
