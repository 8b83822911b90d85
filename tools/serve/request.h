/* request: reads a request's JSON into settings. */
#ifndef SERVE_REQUEST_H
#define SERVE_REQUEST_H

#include "trawl/text/guard.h"
#include "trawl/options/settings.h"

#define EXIT_GROUPS 0x80u
#define EXIT_NOTHING 0x40u
#define REQUEST_FILES_MAX 64u /* files of -f in one request */
/* Memory that each byte of a request's body takes while the body is read, besides the body. */
#define REQUEST_BODY_COST 4u
#define REQUEST_TOO_LARGE \
    "the request needs more memory than one request may take: see --max-memory"
#define REQUEST_MEMORY_TAKEN \
    "other requests hold all the memory that requests may take: see --request-memory"

/* The formats of answers. REQUEST_FILES lists the collection's files without a search. */
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
    bool allow_pcre;     /* PCRE2 may search what RE2 lacks */
    uint64_t memory_max; /* bytes of memory that one request may take; 0: no limit */
    /* Counts and limits the memory of all requests together; NULL: no limit; borrowed. */
    struct guard *all;
};

struct request {
    enum request_format format;
    const char *collection; /* NULL: the request names no collection */
    const char *directory;  /* the client's working directory; NULL: the collection's root */
    /* The options mean what they mean for the command tg; otherwise, for the command trawl. */
    bool is_tg;
    /* The client puts the output behind that of other servers, so the first group of lines begins
     * with a separator. */
    bool is_continued;
    /* The client puts answers together: the exit status has EXIT_GROUPS if groups of lines were
     * printed, EXIT_NOTHING if no file was searched, and the separator follows. */
    bool is_part;
    bool is_head; /* REQUEST_FILES: the method is HEAD, so no file is listed */
    uint64_t results_max, seconds_max;
    struct value_list required; /* strings that must each stand in a file; with the same options */
    struct guard guard; /* asked before memory is allocated; guard.all is request_limits.all */
    struct settings settings; /* flags_parse was called, and `surroundings` is filled */
    char **arguments;         /* the options as a command line, from which the settings borrow */
    int argument_count;
    /* Descriptors of files in memory, which the settings name as /dev/fd/N: files of -f. */
    int descriptors[REQUEST_FILES_MAX];
    size_t descriptor_count;
    struct json_t *body, *texts; /* own the strings that the members above point to */
};

/* Reads a request's body. format: REQUEST_COUNT, or REQUEST_JSON for /v1/search, where the body's
 * member `format` may replace REQUEST_JSON. Opens and runs nothing that the body names. False:
 * message[SETTINGS_ERROR_BYTES] says what is wrong, and *http_status is 4xx or 5xx. The caller has
 * to call request_free in either case. Any number of threads may call. */
bool request_read(struct request *request, const char *body, size_t body_bytes,
                  enum request_format format, const struct request_limits *limits, int *http_status,
                  char *message);
/* Makes a request for the files of a collection, whose name is borrowed; NULL: the only
 * collection. */
void request_files(struct request *request, const char *collection,
                   const struct request_limits *limits);
void request_free(struct request *request);
/* Returns why the guard refused memory or ended the search, and sets *http_status; NULL: the guard
 * did neither. */
const char *request_refusal(const struct guard *guard, int *http_status);

#endif
