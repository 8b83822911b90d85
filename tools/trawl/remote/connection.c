/* connection: sends an HTTP/1.0 request and reads the answer, which ends when the server closes the
 * connection, or with the last chunk of a chunked body.
 *
 * client.c uses this file; the server's listen.c uses only connection_port_bytes. Every length that
 * a server sends is checked before use. An error is a text in connection->message for the caller;
 * nothing is printed here.
 */
#include "trawl/remote/connection.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LINE_BYTES_MAX 8192u /* limit for the bytes of a header */
/* Limit for the number of lines of an answer's status and headers. */
#define LINES_MAX 1000u
#define TLS_ALERT 21 /* with this byte, a server of TLS answers plain HTTP */

static const char encoding[] = "Transfer-Encoding:";

/* ---- The connection ------------------------------------------------------------------- */

/* Fails because the address is invalid, whether or not a server runs. Returns -1. */
static int refuse(struct connection *connection, const char *address, const char *why)
{
    connection->bad_address = true;
    (void)snprintf(connection->message, sizeof connection->message, "--server: '%.150s': %.300s",
                   address, why);
    return -1;
}

/* Returns a connected descriptor; -1: connection->message says why. */
static int connect_unix(struct connection *connection, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *folder = getenv("XDG_RUNTIME_DIR");
    bool is_default = *path == '\0';
    int descriptor, bytes;

    if (is_default && (folder == NULL || *folder == '\0'))
        return refuse(connection, "unix:", "XDG_RUNTIME_DIR is not set: write unix:PATH");
    bytes = snprintf(address.sun_path, sizeof address.sun_path, "%s%s", is_default ? folder : path,
                     is_default ? "/trawl.sock" : "");
    if (bytes >= (int)sizeof address.sun_path)
        return refuse(connection, path, "the path of a socket has at most 107 bytes");
    descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 &&
        connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0)
        return descriptor;
    (void)snprintf(connection->message, sizeof connection->message, "--server: unix:%s: %s",
                   address.sun_path, strerror(errno));
    if (descriptor >= 0)
        (void)close(descriptor);
    return -1;
}

#define HOST_BYTES_MAX 256u /* a host's name, with its NUL */
#define PORT_BYTES_MAX 6u   /* five digits and a NUL */

size_t connection_port_bytes(const char *text)
{
    size_t bytes = strspn(text, "0123456789");

    return bytes < PORT_BYTES_MAX && strtoul(text, NULL, 10) <= UINT16_MAX ? bytes : 0;
}

/* Splits HOST or [HOST], which :PORT and a slash may follow; without :PORT, leaves the port. False:
 * the text has another form. */
static bool split_address(const char *text, char host[HOST_BYTES_MAX], char port[PORT_BYTES_MAX])
{
    bool brackets = *text == '[';
    size_t host_bytes = brackets ? strcspn(++text, "]") : strcspn(text, ":/"), port_bytes;
    const char *rest = text + host_bytes;

    if (host_bytes == 0 || host_bytes >= HOST_BYTES_MAX || (brackets && *rest++ != ']'))
        return false;
    memcpy(host, text, host_bytes);
    host[host_bytes] = '\0';
    if (*rest == ':') {
        port_bytes = connection_port_bytes(++rest);
        if (port_bytes == 0)
            return false;
        memcpy(port, rest, port_bytes);
        port[port_bytes] = '\0';
        rest += port_bytes;
    }
    return *rest == '\0' || strcmp(rest, "/") == 0;
}

/* Returns a connected descriptor; -1: connection->message says why. */
static int connect_tcp(struct connection *connection, const char *text, bool is_tls)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    char host[HOST_BYTES_MAX], port[PORT_BYTES_MAX];
    const char *why = "", *scheme = is_tls ? "https" : "http";
    char wrong[SETTINGS_ERROR_BYTES];
    int descriptor = -1, code;

    strcpy(port, is_tls ? "443" : "80");
    if (!split_address(text, host, port))
        return refuse(connection, text,
                      "the address is not http://HOST:PORT, with a PORT up to 65535");
    code = getaddrinfo(host, port, &hints, &found);
    if (code != 0)
        why = code == EAI_SYSTEM ? strerror(errno) : gai_strerror(code);
    for (struct addrinfo *at = found; at != NULL && descriptor < 0; at = at->ai_next) {
        descriptor = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        if (descriptor >= 0 && connect(descriptor, at->ai_addr, at->ai_addrlen) == 0)
            break;
        why = strerror(errno);
        if (descriptor >= 0)
            (void)close(descriptor);
        descriptor = -1;
    }
    if (found != NULL)
        freeaddrinfo(found);
    if (descriptor < 0)
        (void)snprintf(connection->message, sizeof connection->message, "--server: %s://%.200s: %s",
                       scheme, text, why);
    else if (is_tls && !tls_open(&connection->tls, descriptor, host, wrong)) {
        tls_close(connection->tls);
        (void)close(descriptor);
        return refuse(connection, text, wrong);
    }
    return descriptor;
}

/* Returns what follows http:// or https:// in the address, which may lack both. */
static const char *after_scheme(const char *address, bool *is_tls)
{
    *is_tls = strncmp(address, "https://", 8) == 0;
    return address + (*is_tls ? 8 : strncmp(address, "http://", 7) == 0 ? 7 : 0);
}

bool connection_open(struct connection *connection, const char *address)
{
    bool is_tls;
    const char *place = after_scheme(address, &is_tls);

    connection->bad_address = false;
    connection->tls = NULL;
    connection->descriptor = -1;
    if (strncmp(address, "unix:", 5) == 0)
        connection->descriptor = connect_unix(connection, address + 5);
    else if (place != address || strchr(address, ':') != NULL) /* HOST:PORT, as --listen has it */
        connection->descriptor = connect_tcp(connection, place, is_tls);
    else
        refuse(connection, address, "the address is neither unix:PATH nor http://HOST:PORT");
    return connection->descriptor >= 0;
}

void connection_close(struct connection *connection)
{
    tls_close(connection->tls);
    (void)close(connection->descriptor);
}

/* Sends all bytes. A failure is not an error yet, since a server may answer before reading the
 * whole request. */
static void send_all(struct connection *connection, const char *bytes, size_t bytes_count)
{
    while (bytes_count > 0) {
        bool is_tls = connection->tls != NULL;
        ssize_t sent = is_tls ? tls_send(connection->tls, bytes, bytes_count)
                              : send(connection->descriptor, bytes, bytes_count, MSG_NOSIGNAL);

        if (sent < 0 && (is_tls || errno != EINTR))
            return;
        bytes += sent > 0 ? sent : 0;
        bytes_count -= sent > 0 ? (size_t)sent : 0;
    }
}

/* ---- The answer ----------------------------------------------------------------------- */

/* Receives more bytes if none are left. False: the connection ended. */
static bool receive(struct connection *connection)
{
    ssize_t got;

    if (connection->begin < connection->end)
        return true;
    do
        got =
            connection->tls != NULL
                ? tls_receive(connection->tls, connection->bytes, SIZE_OR_SMALL(RECEIVE_SIZES))
                : recv(connection->descriptor, connection->bytes, SIZE_OR_SMALL(RECEIVE_SIZES), 0);
    while (got < 0 && errno == EINTR);
    connection->begin = 0;
    connection->end = got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* Reads a line without the line end. False: the connection ended, or the line is too long. */
static bool read_line(struct connection *connection, char line[LINE_BYTES_MAX])
{
    for (size_t used = 0; used < LINE_BYTES_MAX && receive(connection); used++) {
        char byte = (char)connection->bytes[connection->begin++];

        if (byte == '\n') {
            line[used - (used > 0 && line[used - 1] == '\r')] = '\0';
            return true;
        }
        line[used] = byte;
    }
    return false;
}

/* Reads the status, and whether the body comes in chunks; skips the other headers. Returns false if
 * this is not an HTTP answer, or has too many headers. */
static bool read_head(struct connection *connection)
{
    char line[LINE_BYTES_MAX];

    if (!read_line(connection, line) ||
        (strncmp(line, "HTTP/1.0 ", 9) != 0 && strncmp(line, "HTTP/1.1 ", 9) != 0))
        return false;
    connection->http_status = (unsigned)strtoul(line + 9, NULL, 10);
    if (connection->http_status < 200 || connection->http_status > 999)
        return false;
    connection->is_chunked = false;
    connection->chunk_left = 0;
    for (unsigned lines = 0; lines < LINES_MAX && read_line(connection, line); lines++) {
        if (*line == '\0' || strchr(line, ':') == NULL)
            return *line == '\0';
        if (strncasecmp(line, encoding, strlen(encoding)) == 0) {
            const char *value = line + strlen(encoding);

            connection->is_chunked = strcasecmp(value + strspn(value, " \t"), "chunked") == 0;
        }
    }
    return false;
}

bool connection_begin(struct connection *connection, const char *address, const char *token,
                      const char *body, size_t body_bytes)
{
    bool is_unix = strncmp(address, "unix:", 5) == 0, is_tls;
    const char *host = is_unix ? "localhost" : after_scheme(address, &is_tls);
    char *head = NULL;
    int bytes = asprintf(&head,
                         "POST /v1/search HTTP/1.0\r\nHost: %.*s\r\n"
                         "Content-Type: application/json\r\nContent-Length: %zu\r\n"
                         "%s%s%s\r\n",
                         (int)strcspn(host, "/"), host, body_bytes,
                         token != NULL ? "Authorization: Bearer " : "", token != NULL ? token : "",
                         token != NULL ? "\r\n" : "");

    if (bytes < 0) {
        strcpy(connection->message, "memory exhausted");
        return false;
    }
    send_all(connection, head, (size_t)bytes);
    free(head);
    send_all(connection, body, body_bytes);
    if (read_head(connection))
        return true;
    strcpy(connection->message,
           connection->end > 0 && *connection->bytes != TLS_ALERT
               ? "--server: the program at this address is not trawl's server"
           : is_unix || connection->tls != NULL
               ? "--server: the connection ended early"
               : "--server: the connection ended early: does the server speak TLS (https://)?");
    return false;
}

/* Reads the length of the next chunk, after the line end of the one before. False: the last chunk
 * was read, or this is not a chunk. */
static bool next_chunk(struct connection *connection)
{
    char line[LINE_BYTES_MAX];
    size_t digits;

    if (!read_line(connection, line) || (*line == '\0' && !read_line(connection, line)))
        return false;
    digits = strspn(line, "0123456789abcdefABCDEF");
    errno = 0;
    connection->chunk_left = strtoull(line, NULL, 16);
    return digits > 0 && errno == 0 && (line[digits] == '\0' || line[digits] == ';') &&
           connection->chunk_left > 0;
}

size_t connection_next(struct connection *connection, const uint8_t **bytes, size_t max)
{
    size_t count;

    if (connection->is_chunked && connection->chunk_left == 0 && !next_chunk(connection))
        return 0;
    if (!receive(connection))
        return 0;
    count = connection->end - connection->begin;
    count = count < max ? count : max;
    if (connection->is_chunked && count > connection->chunk_left)
        count = (size_t)connection->chunk_left;
    *bytes = connection->bytes + connection->begin;
    connection->begin += count;
    connection->chunk_left -= connection->is_chunked ? count : 0;
    return count;
}

bool connection_take(struct connection *connection, void *to, size_t bytes_count)
{
    const uint8_t *bytes;

    for (size_t used = 0, count; used < bytes_count; used += count) {
        count = connection_next(connection, &bytes, bytes_count - used);
        if (count == 0)
            return false;
        memcpy((uint8_t *)to + used, bytes, count);
    }
    return true;
}
