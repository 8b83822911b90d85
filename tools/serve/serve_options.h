/* serve_options: reads the server's command line. */
#ifndef SERVE_SERVE_OPTIONS_H
#define SERVE_SERVE_OPTIONS_H

#include "serve/http.h"
#include "serve/secrets.h"

struct served_root {
    char *name;       /* name of the collection */
    const char *path; /* path as the user gave it */
};

struct serve_options {
    const char *listen; /* NULL: not given */
    struct secret_files secrets;
    const char *link;         /* template of links to files; NULL: none */
    const char *from, *until; /* bounds of the files that are served; NULL: no bound */
    uint64_t host_bytes, device_bytes, request_bytes; /* 0: not given */
    uint64_t drain_seconds;
    struct request_limits limits;
    /* only host, queries_max, connections_max and idle_seconds are set */
    struct http_options http;
    bool no_filter;
    bool help, version, manual, answers; /* an option asks for this document */
    /* Options of the command trawl that say which files are served and how they are searched. */
    struct settings settings;
    char **arguments; /* the arguments to which the settings point */
    struct served_root *roots;
    size_t root_count;
};

/* Reads the command line. Returns false on failure; message[SETTINGS_ERROR_BYTES] says what is
 * wrong. The caller must always call serve_options_free. */
bool serve_options_read(struct serve_options *options, int argument_count, char **arguments,
                        char *message);
void serve_options_free(struct serve_options *options);

/* Print the documents of --help and --generate=man. */
void serve_options_print_help(struct output *output);
void serve_options_print_manual(struct output *output);

#endif
