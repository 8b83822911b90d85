/* connection: one request of HTTP/1.1, and its answer. Nothing that a server sends is trusted: it
 * may be another program. */
#ifndef TRAWL_CONNECTION_H
#define TRAWL_CONNECTION_H

#include "trawl/flags.h"

#define RECEIVE_BYTES (64u << 10)

struct connection {
    int descriptor;
    bool bad_address;          /* connection_open failed for what it was given */
    unsigned http_status;      /* connection_begin: of the answer */
    size_t begin, end;         /* what was received and not taken yet */
    bool chunked, chunk_began; /* the body is in chunks, the first of them began */
    uint64_t left;             /* of the chunk, or of the body */
    char message[SETTINGS_ERROR_BYTES];
    uint8_t bytes[RECEIVE_BYTES];
};

/* address: unix:PATH or http://HOST:PORT; "unix:" is the default. False: message says why. */
bool connection_open(struct connection *connection, const char *address);
void connection_close(struct connection *connection);

/* Send the request and take the head of the answer. token: "" for none. False: message. */
bool connection_begin(struct connection *connection, const char *address, const char *token,
                      const char *body, size_t body_bytes);
/* The next bytes of the body, at most `most`, until the next call. 0: there are no more. */
size_t connection_next(struct connection *connection, const uint8_t **bytes, size_t most);
/* Just so many; false: there are fewer. */
bool connection_take(struct connection *connection, void *to, size_t bytes_count);

#endif
