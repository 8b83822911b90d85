/* http: requests over HTTP/1.1, by libmicrohttpd: a thread for each connection. */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include "serve/answer.h"
#include "serve/listen.h"

struct http_options {
    const struct listener *listener;
    const char *token;             /* NULL: none is needed */
    const char *certificate, *key; /* PEM; NULL: no TLS */
    uint64_t queries_max;          /* of one client that run at the same time */
    uint64_t connections_max, idle_seconds;
};

struct http;

/* Serve. All that is pointed at is borrowed until http_close. False: message[SETTINGS_ERROR_BYTES]
 * says why. */
bool http_open(struct http **http, struct server *server, const struct http_options *options,
               char *message);
/* Accept no more connections, and refuse new queries. The listening socket is the caller's again.
 */
void http_quiesce(struct http *http);
/* How many queries are not answered to their end. */
uint64_t http_running(struct http *http);
/* End them all, and wait for the threads. */
void http_close(struct http *http);

#endif
