/* load: plays many clients of a server at once, for ./dev bench serve.
 *
 * trawl-bench load SOCKET CLIENTS SECONDS reads queries on standard input, a query a line, in the
 * form of rows:
 *
 *   expected=        the answer's body must contain this string
 *   target=, body=   target and body of the request
 *   first=1          the client disconnects after the first bytes of the body, which must
 *                    contain `expected`
 *
 * Each client keeps its connection, except with first=1. Client i sends queries i, CLIENTS + i,
 * 2 * CLIENTS + i, ..., modulo the number of queries. The program writes a JSON object: the number
 * of answers, the number of wrong answers, and times in microseconds until the end of an answer and
 * until the first byte of the body.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/bench.h"

#define ANSWER_BYTES (64u << 10) /* a longer answer ends the program */
#define TIMES_MAX (1u << 24)     /* later answers are counted, but their times are not stored */

struct query {
    const char *expected, *target, *body;
    bool first_only; /* the client disconnects after the first bytes */
};

struct load_client {
    pthread_t thread;
    const char *address; /* path of the server's socket */
    const struct query *queries;
    size_t query_count, first, step; /* client i sends queries first, first + step, ... */
    double until;                    /* time at which the client stops */
    uint64_t answered, wrong;        /* numbers of all answers and of wrong answers */
    char buffer[ANSWER_BYTES];
    size_t have; /* bytes in `buffer` */
};

/* The results of all clients; times in microseconds. */
static struct {
    float *whole, *first;
    _Atomic size_t count;
} times;

/* Returns a socket that is connected to the server's Unix socket; exits on failure. */
static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);

    if (strlen(path) >= sizeof address.sun_path)
        fail("%s: too long", path);
    strcpy(address.sun_path, path);
    if (connect(descriptor, (const struct sockaddr *)&address, sizeof address) != 0)
        fail("%s: %s", path, strerror(errno));
    return descriptor;
}

static void send_all(int descriptor, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            fail("the server took no request: %s", strerror(errno));
        bytes += sent;
        count -= (size_t)sent;
    }
}

/* Receives some bytes of an answer and appends them to client->buffer, which then ends in a NUL. */
static void receive(struct load_client *client, int descriptor)
{
    ssize_t got;

    if (client->have + 1 >= sizeof client->buffer)
        fail("an answer of more than %u bytes", ANSWER_BYTES);
    do
        got = recv(descriptor, client->buffer + client->have,
                   sizeof client->buffer - 1 - client->have, 0);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        fail("the server ended the connection");
    client->have += (size_t)got;
    client->buffer[client->have] = '\0';
}

/* Returns true if the chunked body starting at `at` is complete. */
static bool chunks_end(const char *at)
{
    for (;;) {
        char *behind;
        unsigned long long count = strtoull(at, &behind, 16);

        if (behind == at || strncmp(behind, "\r\n", 2) != 0)
            return false;
        if (count == 0)
            return strstr(behind, "\r\n\r\n") != NULL;
        if (strlen(behind + 2) < count + 2)
            return false;
        at = behind + 2 + count + 2;
    }
}

/* Sends a query and receives the whole answer or, with first=1, the beginning. Returns true if the
 * answer contains query->expected. */
static bool send_query(struct load_client *client, int descriptor, const struct query *query,
                       double *first)
{
    char head[512];
    int head_bytes = snprintf(head, sizeof head,
                              "POST %s HTTP/1.1\r\nHost: localhost\r\n"
                              "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                              query->target, strlen(query->body));
    const char *body = NULL;

    send_all(descriptor, head, (size_t)head_bytes);
    send_all(descriptor, query->body, strlen(query->body));
    client->have = 0;
    while (body == NULL || *body == '\0') {
        receive(client, descriptor);
        body = strstr(client->buffer, "\r\n\r\n");
        body = body == NULL ? NULL : body + 4;
    }
    *first = clock_seconds();
    if (query->first_only)
        return strstr(body, query->expected) != NULL;
    if (strncmp(client->buffer, "HTTP/1.1 200", 12) != 0)
        return false;
    while (!chunks_end(body))
        receive(client, descriptor);
    return strstr(body, query->expected) != NULL;
}

/* A client's thread: sends query after query until the time is up, at least one, and stores the
 * time of each answer. An untimed query comes first, as a warm-up, unless that query has first=1.
 */
static void *work(void *context)
{
    struct load_client *client = context;
    int descriptor = connect_to(client->address);
    size_t at = client->first, kept;
    double unused;

    if (!client->queries[at % client->query_count].first_only)
        (void)send_query(client, descriptor, &client->queries[at % client->query_count], &unused);
    for (double begin; (begin = clock_seconds()) < client->until || client->answered == 0;
         at += client->step) {
        const struct query *query = &client->queries[at % client->query_count];
        double first, end;
        bool right = send_query(client, descriptor, query, &first);

        end = clock_seconds();
        client->answered++;
        if (!right && client->wrong++ == 0)
            fprintf(stderr, "trawl-bench: expected %s, got %s\n", query->expected, client->buffer);
        if (query->first_only) {
            close(descriptor);
            descriptor = connect_to(client->address);
        }
        kept = atomic_fetch_add(&times.count, 1);
        if (kept < TIMES_MAX) {
            times.whole[kept] = (float)((end - begin) * 1e6);
            times.first[kept] = (float)((first - begin) * 1e6);
        }
    }
    close(descriptor);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;

    return left < right ? -1 : left > right;
}

/* Prints the percentiles 50, 90 and 99; all are 0 if count is 0. */
static void print_times(const char *name, float *sorted, size_t count)
{
    static const size_t ranks[] = {50, 90, 99};

    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        printf(", \"%s_p%zu\": %.1f", name, ranks[i], (double)sorted[count * ranks[i] / 100]);
}

/* Reads all queries from standard input. Returns an array of *count queries. */
static struct query *read_queries(size_t *count)
{
    struct query *queries = NULL;
    char *line = NULL;
    size_t room = 0;

    for (*count = 0; getline(&line, &room, stdin) > 0; ++*count) {
        struct fields fields;

        queries = realloc(queries, (*count + 1) * sizeof *queries);
        if (queries == NULL)
            fail("memory exhausted");
        fields_split(copy_text(line), &fields); /* queries point into the copy, which stays */
        queries[*count].expected = field(&fields, "expected", "");
        queries[*count].target = field(&fields, "target", "");
        queries[*count].body = field(&fields, "body", "");
        queries[*count].first_only = field(&fields, "first", NULL) != NULL;
    }
    free(line);
    return queries;
}

int load_main(const char *address, const char *clients, const char *seconds)
{
    size_t client_count = strtoull(clients, NULL, 10), query_count;
    /* Static, since the program exits without freeing them: leak checkers treat memory that a
     * static variable points to as in use. */
    static struct query *queries;
    static struct load_client *all;
    uint64_t answered = 0, wrong = 0;
    double begin, end;

    queries = read_queries(&query_count);
    all = allocate(client_count * sizeof *all);
    begin = clock_seconds();
    if (client_count == 0 || query_count == 0)
        fail("no clients or no queries");
    times.whole = allocate(TIMES_MAX * sizeof(float));
    times.first = allocate(TIMES_MAX * sizeof(float));
    for (size_t i = 0; i < client_count; i++) {
        all[i].address = address;
        all[i].queries = queries;
        all[i].query_count = query_count;
        all[i].first = i;
        all[i].step = client_count;
        all[i].until = begin + strtod(seconds, NULL);
        if (pthread_create(&all[i].thread, NULL, work, &all[i]) != 0)
            fail("a thread could not be started");
    }
    for (size_t i = 0; i < client_count; i++) {
        pthread_join(all[i].thread, NULL);
        answered += all[i].answered;
        wrong += all[i].wrong;
    }
    end = clock_seconds();
    if (times.count > TIMES_MAX)
        times.count = TIMES_MAX;
    printf("{\"clients\": %zu, \"answered\": %" PRIu64 ", \"wrong\": %" PRIu64
           ", \"seconds\": %.4f, \"per_second\": %.1f",
           client_count, answered, wrong, end - begin, (double)answered / (end - begin));
    print_times("us", times.whole, times.count);
    print_times("first_us", times.first, times.count);
    printf("}\n");
    return wrong > 0 ? 1 : 0;
}
