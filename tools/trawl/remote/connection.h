/* connection: sends an HTTP/1.0 request and reads the answer. Nothing that a server sends is
 * trusted, since it may be another program. */
#ifndef TRAWL_CONNECTION_H
#define TRAWL_CONNECTION_H

#include "trawl/options/flags.h"
#include "trawl/remote/tls.h"
#include "trawl/text/sizes.h"

#define RECEIVE_SIZES 64u << 10, 64u /* maximum number of bytes that a receive returns */

struct connection {
    int descriptor;
    struct tls *tls;      /* NULL: none */
    bool bad_address;     /* connection_open failed because the address is wrong, or TLS failed */
    bool is_chunked;      /* the body comes in chunks, as some proxies send to HTTP/1.0, too */
    uint64_t chunk_left;  /* bytes of the chunk that have not been taken yet */
    unsigned http_status; /* status of the answer, after connection_begin */
    size_t begin, end;    /* range of `bytes` that has been received but not taken */
    char message[SETTINGS_ERROR_BYTES];
    uint8_t bytes[SIZE_ROOM(RECEIVE_SIZES)];
};

/* Returns the number of digits of the port (up to 65535) with which the text begins; 0 if it does
 * not begin with a port. */
size_t connection_port_bytes(const char *text);
/* Connects to unix:PATH, http[s]://HOST[:PORT] or HOST:PORT. "unix:" without a
 * path means the default socket. False: message says why. */
bool connection_open(struct connection *connection, const char *address);
void connection_close(struct connection *connection);

/* Sends the request and reads the answer's status and headers. An empty token is not sent. False:
 * message says why. */
bool connection_begin(struct connection *connection, const char *address, const char *token,
                      const char *body, size_t body_bytes);
/* Sets *bytes to the next bytes of the body, valid until the next call, and returns how many there
 * are, at most `max`. 0: the body or the connection has ended. */
size_t connection_next(struct connection *connection, const uint8_t **bytes, size_t max);
/* Copies exactly bytes_count bytes of the body. False: the body has fewer. */
bool connection_take(struct connection *connection, void *to, size_t bytes_count);

#endif
