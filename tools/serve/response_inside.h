/* response_inside: the data of a response in the making, and the functions that the files
 * response*.c share. A pass is a search of a whole collection that several requests share; it
 * reports which files may have an occurrence. */
#ifndef SERVE_RESPONSE_INSIDE_H
#define SERVE_RESPONSE_INSIDE_H

#include <pthread.h>

#include "serve/response.h"

/* A collection that is searched for a response, and the results there. */
struct response_share {
    struct collection *collection;
    const char *prefix; /* names of files begin with this and a slash; NULL: with nothing */
    struct state
        *state; /* the files of the collection at one moment, to which the response refers */
    struct served_view *view; /* the files that the request names */
    struct pass_request pass;
};

/* The files of a collection that the job searches (response_files.c). */
struct response_files {
    struct view_names names; /* holds the name of the next file */
    uint64_t item_at;        /* index of the next file in the view */
    struct command_job *job;
    /* Equals `job` until item_at reaches pass_from. There look_for_files decides whether to run a
     * pass, and this member becomes NULL. */
    struct command_job *waiting;
    uint64_t pass_from; /* index in the view of the file before which a pass may run */
    bool passed; /* a pass ran, so pass.files has a bit for each file that may have an occurrence */
    bool silently; /* the output does not mention files without an occurrence */
    bool quickly;  /* files may be skipped by pass.files alone (skip_files) */
    /* the output counts files without an occurrence, as the summary of --json does */
    bool counts;
    /* if `counts`: skipped files, and their bytes, that are not counted yet */
    uint64_t passed_files, passed_bytes;
};

/* How the bytes go to the client (response_pipe.c). While the pipe's writing end is open, only the
 * response's thread uses the members, except for `descriptors` and `whole`. */
struct response_pipe {
    int descriptors[2]; /* the pipe's reading end and writing end */
    bool begun;         /* the client gets a response, so the request can no longer be rejected */
    uint8_t *kept;      /* bytes that were written before the response began */
    size_t kept_count, kept_capacity;
    uint64_t lines_left; /* results that the response may still have; UINT64_MAX: no limit */
    /* for a request of JSON: the `end` line that must still follow a file's `begin` line */
    char *file_end;
    /* in_line: the bytes so far end inside a line. line_counts: that line is a result. cut: the
     * response had more results than allowed. */
    bool in_line, line_counts, cut;
    atomic_bool whole; /* the whole response was written into the pipe */
};

struct response {
    struct server *server;
    struct request request;
    /* the collections that the request is about, in the response's order */
    struct response_share *shares;
    /* share_at: index of the collection whose files the job searches now */
    size_t share_count, share_at;
    /* A number for the client (client_of in http.c), because clients take turns in passes. */
    uint64_t client;
    uint64_t begin_ns;
    struct supply supply;
    struct response_files files;
    struct response_pipe pipe;

    pthread_t thread;
    bool searched;         /* at least one file was searched; set when the job has ended */
    atomic_bool truncated; /* max_results or max_seconds was reached, or the server shuts down */
    atomic_uint shared_count;
    atomic_int http_status; /* HTTP status of a rejection; 0: the request is not rejected */
    char message[SETTINGS_ERROR_BYTES]; /* why the request is rejected */
    pthread_mutex_t lock;
    /* The request that pass_run is running now, for pass_cancel; NULL: no pass is running. Guarded
     * by `lock`. */
    struct pass_request *passing;
    struct trawl_searcher **searchers; /* guarded by `lock`: the job's searchers */
    size_t searcher_count, searcher_capacity;

    /* Keep this member last: response_begin clears only what comes before it. */
    struct output output;
};

/* The callbacks `begin`, `next` and `open` of struct supply, through which the job gets its
 * files. */
void response_begin_files(void *context, struct command_job *job, const struct value_item *operands,
                          size_t operand_count);
bool response_next_file(void *context, struct walk_item *item);
int response_open_file(void *context, const struct walk_item *item);
/* Gets the newest state of each collection, and the view of the files that the operands name and
 * that have each required string. Returns false if the response was rejected. */
bool response_look(struct response *response, struct command_job *job,
                   const struct value_item *operands, size_t operand_count);
/* Runs a pass for these patterns. The caller has set the members of *pass that say which results
 * are wanted. Returns false if the search was cancelled, or if pass->message says why the pass
 * failed. */
bool response_pass(struct response *response, const struct response_share *share,
                   struct pass_request *pass, const struct patterns *patterns);
/* Rejects the request, for the reason for which a pass failed. */
void response_refuse_pass(struct response *response, const struct pass_request *pass);
/* Begins the response: the client gets status 200 and the bytes kept so far. Afterwards the request
 * cannot be rejected. */
void response_accept(struct response *response);
/* Rejects the request, unless the response has begun. If the guard (a limit of memory or time)
 * ended the search, that reason replaces http_status and message. */
void response_refuse(struct response *response, int http_status, const char *message);
/* The sink of struct output: turns what the job prints and reports into the response's format.
 * Returns 0 or an errno. */
int response_sink(void *response, enum output_frame frame, const void *bytes, size_t bytes_count);
/* `run` of struct supply for REQUEST_COUNT and REQUEST_COLUMNS. Returns the exit status. */
int response_count(void *context, struct command_job *job, const struct value_item *operands,
                   size_t operand_count);
/* For REQUEST_FILES: writes a line for each file of the collections. Returns the exit status. */
int response_list(struct response *response);
/* Returns true if the response must end: time is up, the client is gone, or the server is shutting
 * down. */
bool response_is_over(struct response *response);
/* Begins the response of REQUEST_COUNT or REQUEST_COLUMNS, and writes the whole response. patterns
 * NULL: there was no string to search for. */
void response_write(struct response *response, const struct patterns *patterns);

#endif
