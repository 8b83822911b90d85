/* http: serves HTTP/1.1 with libmicrohttpd, with a thread for each connection. */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include "serve/response.h"
#include "serve/listen.h"

struct http_options {
    const struct listener *listener;
    const char *host;     /* a name of the server besides that of the listener, or NULL */
    uint64_t queries_max; /* how many queries of one client may run at the same time */
    uint64_t connections_max, idle_seconds;
    bool is_tls; /* with the certificate of secrets.h */
    bool logs;   /* a line for each request on standard error (request_log.h) */
};

struct http;

/* Starts to serve. The server, the strings of the options and the listener are borrowed until
 * http_close. Returns false on failure; message[SETTINGS_ERROR_BYTES] says why. */
bool http_open(struct http **http, struct server *server, const struct http_options *options,
               char *message);
/* Accepts no more connections, and rejects new queries. Afterwards the caller may close the
 * listening socket. */
void http_quiesce(struct http *http);
/* Returns the number of queries that are not answered completely. */
uint64_t http_running(struct http *http);
/* Ends all connections and waits for the threads. */
void http_close(struct http *http);

#endif
