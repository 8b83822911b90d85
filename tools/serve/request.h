/* request: reads the JSON of a request into the settings of a search. */
#ifndef SERVE_REQUEST_H
#define SERVE_REQUEST_H

#include "trawl/text/guard.h"
#include "trawl/options/settings.h"

#define EXIT_GROUPS 0x80u
#define EXIT_NOTHING 0x40u
#define REQUEST_FILES_MAX 64u /* maximum number of -f files in a request */
/* While a body is read, this many bytes of memory are counted for each byte of the body. */
#define REQUEST_BODY_COST 4u
#define REQUEST_TOO_LARGE \
    "the request needs more memory than one request may take: see --max-memory"
#define REQUEST_MEMORY_TAKEN \
    "other requests take all the memory that requests may take: see --request-memory"

/* The formats of answers. REQUEST_FILES lists files without a search. */
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
    uint64_t body_bytes_max, patterns_max, results_max, seconds_max;
    bool allow_pcre;     /* expressions that trawl does not support may use PCRE2 */
    uint64_t memory_max; /* bytes of memory that one request may use; 0: no limit */
    /* Counts and limits the memory of all requests together; NULL: no limit; borrowed. */
    struct guard *all;
};

struct request {
    enum request_format format;
    const char *collection; /* NULL: the request names no collection */
    const char *directory;  /* the client's working directory; NULL: the collection's root */
    /* Options mean what they mean for the command tg, not for the command trawl. */
    bool is_tg;
    /* The client appends the output to that of other servers, so the first group of lines begins
     * with a separator, too. */
    bool is_continued;
    /* The client joins the answers of several servers (only with REQUEST_FRAMES). So the exit
     * status also has EXIT_GROUPS if groups of lines were printed, and EXIT_NOTHING if no file was
     * searched; after it comes the separator that the client writes between two answers. */
    bool is_part;
    bool lacks_pcre; /* PCRE2 was asked for, but the server was started without --allow-pcre */
    bool is_head;    /* REQUEST_FILES: the method is HEAD, so no file is listed */
    uint64_t results_max, seconds_max;
    /* a file is searched only if it contains each of these strings; the same options apply */
    struct value_list required;
    struct value_list names; /* a file is searched only if its name matches each of these */
    struct guard guard; /* checked before memory is allocated; guard.all is request_limits.all */
    struct settings settings; /* flags_parse was called, and `surroundings` is filled */
    char **arguments;         /* the options as a command line; the settings point there */
    int argument_count;
    /* Descriptors of files in memory, for -f: the settings name the files as /dev/fd/N. */
    int descriptors[REQUEST_FILES_MAX];
    size_t descriptor_count;
    struct json_t *body, *texts; /* own the strings that the members above point to */
};

/* Reads a request's body. `format` is REQUEST_COUNT, or for /v1/search REQUEST_JSON, which the
 * body's member `format` may replace. Opens and runs nothing that the body names. Several threads
 * may call this at once. Returns false if the request is rejected; message[SETTINGS_ERROR_BYTES]
 * says what is wrong, and *http_status is 4xx or 5xx. The caller must always call request_free. */
bool request_read(struct request *request, const char *body, size_t body_bytes,
                  enum request_format format, const struct request_limits *limits, int *http_status,
                  char *message);
/* Makes a request that lists the files of a collection, whose name is borrowed; NULL: of all
 * collections. */
void request_files(struct request *request, const char *collection,
                   const struct request_limits *limits);
void request_free(struct request *request);
/* Returns why the guard refused memory or ended the search, and sets *http_status; NULL if it did
 * neither. */
const char *request_refusal(const struct guard *guard, int *http_status);

#endif
