/* feed_streams: one thread searches the data of many connections, segment by segment
 *
 * Shows trawl_stream_feed. Each connection has a stream, which remembers what is needed to find a
 * match across two segments: a few hundred bytes, without a thread or a descriptor. The thread has
 * a single searcher for all streams. The connections here are socket pairs, to which the program
 * itself writes.
 *
 *     $ ./feed_streams
 *     connection 0: login: at 2
 *     connection 1: password at 0
 *     connection 0: password at 11
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <trawl.h>
#include <unistd.h>

#define CONNECTIONS 2 /* or ten thousand */

struct connection {
    int number, ends[2];
    struct trawl_stream *stream;
};

static const struct trawl_pattern patterns[] = {{"login:", 6}, {"password", 8}};
static const struct {
    int to;
    const char *bytes;
} pieces[] = {{0, "> log"}, {1, "pass"}, {0, "in: x\npass"}, {1, "word"}, {0, "word"}};

static int show(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    const struct connection *connection = (const struct connection *)context;

    for (uint64_t i = 0; i < match_count; i++)
        printf("connection %d: %s at %" PRIu64 "\n", connection->number,
               (const char *)patterns[matches[i].pattern_index].bytes, matches[i].begin);
    return 0;
}

/* Waits for bytes on any connection, and feeds them to its stream. A real program would also call
 * trawl_stream_end when a connection ends. */
static enum trawl_status serve_once(int epoll, struct trawl_searcher *searcher,
                                    struct trawl_error *error)
{
    struct connection *connection;
    struct epoll_event event;
    char bytes[4096];
    ssize_t count;

    if (epoll_wait(epoll, &event, 1, -1) != 1)
        return TRAWL_READ;
    connection = (struct connection *)event.data.ptr;
    count = read(connection->ends[0], bytes, sizeof bytes);
    if (count < 0)
        return TRAWL_READ;
    return trawl_stream_feed(searcher, connection->stream, bytes, (uint64_t)count, show, connection,
                             error);
}

int main(void)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct connection connections[CONNECTIONS] = {0};
    struct trawl_searcher *searcher = NULL;
    struct trawl_plan *plan = NULL;
    struct trawl_error error = {.message = "a system call failed"};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    enum trawl_status status = trawl_plan_build(patterns, 2, NULL, &plan, &error);

    options.threads = 1;
    if (status == TRAWL_OK)
        status = trawl_searcher_open(&options, &searcher, &error);
    for (int i = 0; i < CONNECTIONS && status == TRAWL_OK; i++) {
        struct connection *connection = &connections[i];
        struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = connection}};

        connection->number = i;
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, connection->ends) != 0 ||
            epoll_ctl(epoll, EPOLL_CTL_ADD, connection->ends[0], &event) != 0)
            status = TRAWL_OPEN;
        else
            status = trawl_stream_open(plan, NULL, &connection->stream, &error);
    }
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces && status == TRAWL_OK; i++) {
        if (write(connections[pieces[i].to].ends[1], pieces[i].bytes, strlen(pieces[i].bytes)) > 0)
            status = serve_once(epoll, searcher, &error);
    }
    if (status != TRAWL_OK)
        fprintf(stderr, "%s\n", error.message);
    for (int i = 0; i < CONNECTIONS; i++)
        trawl_stream_close(connections[i].stream);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    return status == TRAWL_OK ? 0 : 1;
}
