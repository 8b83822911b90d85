/* options: what the command line of the server says. */
#ifndef SERVE_OPTIONS_H
#define SERVE_OPTIONS_H

#include "serve/http.h"

struct served_root {
    char *name;       /* of the collection */
    const char *path; /* as given */
};

struct serve_options {
    const char *listen, *token_file, *certificate, *key; /* NULL: not given */
    uint64_t host_bytes, device_bytes, request_bytes;    /* 0: not given */
    uint64_t drain_seconds;
    struct request_limits limits;
    struct http_options http;   /* of which numbers are read, no more */
    bool help, version, manual; /* a document is asked for */
    struct settings settings;   /* the command's options: which files, how they are searched */
    char **arguments;           /* that they borrow from */
    struct served_root *roots;
    size_t root_count;
};

/* False: message[SETTINGS_ERROR_BYTES] says what is wrong. serve_options_free in either case. */
bool serve_options_read(struct serve_options *options, int argument_count, char **arguments,
                        char *message);
void serve_options_free(struct serve_options *options);

/* --help, and the manual page. */
void serve_options_print_help(struct output *output);
void serve_options_print_manual(struct output *output);

#endif
