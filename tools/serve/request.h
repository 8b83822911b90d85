/* request: a request's JSON, and the settings it means. */
#ifndef SERVE_REQUEST_H
#define SERVE_REQUEST_H

#include "trawl/guard.h"
#include "trawl/settings.h"

#define REQUEST_FILES_MAX 64u /* of -f */

/* REQUEST_FILES: no search, but the collection's files. */
enum request_format {
    REQUEST_JSON,
    REQUEST_FRAMES,
    REQUEST_COLUMNS,
    REQUEST_COUNT,
    REQUEST_FILES,
    REQUEST_FORMATS
};

struct json_t;

struct request_limits {
    uint64_t body_bytes_max, patterns_max, pattern_bytes_max, results_max, seconds_max;
    uint64_t memory_max; /* that one request may take; 0: any number of bytes */
    struct guard *all;   /* what all requests together may take; NULL: any. Borrowed */
};

struct request {
    enum request_format format;
    const char *collection; /* NULL: not named */
    const char *directory;  /* the client's working directory; NULL: the collection's root */
    bool is_tg;
    bool is_head; /* of REQUEST_FILES: none are to be listed */
    uint64_t results_max, seconds_max;
    struct guard guard;       /* asked before memory is taken; `all` is that of the limits */
    struct settings settings; /* parsed: flags_parse was called, and surroundings are filled */
    char **arguments;         /* the options that they borrow from, as a command line */
    int argument_count;
    /* Of files in memory that settings name as /dev/fd/N; one is of --replacements. */
    int descriptors[REQUEST_FILES_MAX + 1];
    size_t descriptor_count;
    struct json_t *body, *texts; /* what the pointers above point to */
};

/* Read a request's body. format: REQUEST_JSON for /v1/search, where a member may say otherwise, or
 * REQUEST_COUNT. Nothing of the body is opened or run. False: message[SETTINGS_ERROR_BYTES] says
 * what is wrong, and *http_status is 4xx or 5xx. request_free in either case. Any number of threads
 * may call. */
bool request_read(struct request *request, const char *body, size_t body_bytes,
                  enum request_format format, const struct request_limits *limits, int *http_status,
                  char *message);
/* A request for the files of a collection, whose name is borrowed; NULL: the only one. */
void request_files(struct request *request, const char *collection,
                   const struct request_limits *limits);
void request_free(struct request *request);
/* Why the guard ended the request, in words, with *http_status; NULL: it did not. */
const char *request_refusal(const struct guard *guard, int *http_status);

#endif
