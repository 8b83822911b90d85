/* server: clients of a server as a competitor.
 *
 * Competitor  kind=server address=SOCKET [target=/v1/count] [first=1]
 *   A query for each of the question's patterns, which are words of ASCII, on threads=N connections
 *   that stay open. The answer is the number of occurrences in all. With first=1, a run is one
 * query and lasts until the first bytes of the answer's body, which are not compared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/bench.h"

#define ANSWER_BYTES (64u << 10) /* a longer answer ends the program */
static const char last_chunk[] = "\r\n0\r\n\r\n";

struct client {
    int descriptor; /* 0: not connected */
    uint64_t found; /* occurrences in the answers of this run */
    size_t have;    /* bytes in `buffer` */
    char buffer[ANSWER_BYTES];
};

static void connect_to(struct client *client, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (client->descriptor != 0)
        return;
    client->descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (connect(client->descriptor, (const struct sockaddr *)&address, sizeof address) != 0)
        fail("%s: %s", path, strerror(errno));
}

static void disconnect(struct client *client)
{
    if (client->descriptor != 0)
        close(client->descriptor);
    client->descriptor = 0;
}

/* Receives some bytes of an answer and appends them to client->buffer, which then ends in a NUL. */
static void receive(struct client *client)
{
    ssize_t got;

    if (client->have + 1 >= sizeof client->buffer)
        fail("an answer of more than %u bytes", ANSWER_BYTES);
    do
        got = recv(client->descriptor, client->buffer + client->have,
                   sizeof client->buffer - 1 - client->have, 0);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        fail("the server ended the connection");
    client->have += (size_t)got;
    client->buffer[client->have] = '\0';
}

/* Sends a query, and receives the answer: with `first`, until its body has begun. */
static void send_query(const struct competitor *it, struct client *client,
                       const struct trawl_pattern *pattern, bool first)
{
    const size_t end = sizeof last_chunk - 1;
    const char *body = NULL, *count;
    char request[4096];
    int bytes = snprintf(request, sizeof request,
                         "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         "Content-Length: %" PRIu64 "\r\n\r\n{\"patterns\": [\"%.*s\"]}",
                         field(&it->fields, "target", "/v1/count"), pattern->bytes_count + 18,
                         (int)pattern->bytes_count, (const char *)pattern->bytes);

    if (bytes >= (int)sizeof request ||
        send(client->descriptor, request, (size_t)bytes, MSG_NOSIGNAL) != bytes)
        fail("the server took no request");
    client->have = 0;
    while (body == NULL || *body == '\0') {
        receive(client);
        body = strstr(client->buffer, "\r\n\r\n");
        body = body == NULL ? NULL : body + 4;
    }
    while (!first && (client->have < end ||
                      memcmp(client->buffer + client->have - end, last_chunk, end) != 0))
        receive(client);
    count = strstr(body, "\"occurrences\":");
    if (strncmp(client->buffer, "HTTP/1.1 200", 12) != 0 || (count == NULL && !first))
        fail("the server answered %s", client->buffer);
    client->found += count != NULL ? strtoull(count + 14, NULL, 10) : 0;
}

/* Sends every it->threads-th query, from the index-th. */
static void serve_client(void *context, uint64_t index)
{
    const struct competitor *it = (const struct competitor *)context;
    struct client *client = (struct client *)it->state + index;

    client->found = 0;
    for (uint64_t p = index; p < it->question->pattern_count; p += it->threads)
        send_query(it, client, &it->question->patterns[p], false);
}

static void run_server(struct competitor *it, bool full, struct bench_run *run)
{
    struct client *clients = (struct client *)it->state;
    double begin;

    (void)full;
    for (uint32_t i = 0; i < it->threads; i++)
        connect_to(&clients[i], field(&it->fields, "address", ""));
    if (it->bound) {
        begin = clock_seconds();
        send_query(it, clients, it->question->patterns, true);
        run->seconds = clock_seconds() - begin;
        disconnect(clients);
        return;
    }
    run->seconds = pieces_run(serve_client, it, it->threads, it->threads);
    for (uint32_t i = 0; i < it->threads; i++)
        run->answer.count += clients[i].found;
}

static void close_server(struct competitor *it)
{
    struct client *clients = (struct client *)it->state;

    for (uint32_t i = 0; i < it->threads; i++)
        disconnect(&clients[i]);
    free(clients);
}

bool server_competitor(struct competitor *competitor, const char *kind)
{
    if (strcmp(kind, "server") != 0)
        return false;
    competitor->state = allocate(competitor->threads * sizeof(struct client));
    competitor->bound = field(&competitor->fields, "first", NULL) != NULL;
    competitor->agrees = field(&competitor->question->fields, "text", NULL) != NULL;
    competitor->run = run_server;
    competitor->close = close_server;
    return true;
}
