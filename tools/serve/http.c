/* http: serves HTTP with libmicrohttpd: authenticates the client, finds the handler for each path,
 * and sends the answers. */
#include "serve/http.h"

#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "serve/facts.h"
#include "serve/head.h"
#include "serve/page.h"
#include "serve/request_log.h"
#include "serve/secrets.h"
#include "trawl/text/command_clock.h"
#include "trawl/remote/tls.h"
#include "trawl/text/message.h"

/* Descriptors that a connection needs: its socket, the answer's pipe, and opened files. */
#define CONNECTION_DESCRIPTORS 6u
/* Half of the memory in which libmicrohttpd holds a request's first line and headers. The parts of
 * a response have this size, too. */
#define HEAD_BYTES (64u << 10)
/* Drain at most this much of a rejected body, so that the client reads our error response. */
#define DISCARD_BYTES (16u << 20)
/* A longer body counts as long. All long bodies together may use half of --request-memory, so that
 * other requests go on. With so many connections that bodies of BODY_SMALL bytes could use more
 * than a quarter of --request-memory, the threshold is lower (http->small_bytes). */
#define BODY_SMALL (64u << 10)
/* A body must arrive within --idle-seconds plus one second for each BODY_RATE bytes. */
#define BODY_RATE (128u << 10)

struct exchange;

struct route {
    const char *path;
    enum MHD_Result (*respond)(struct exchange *exchange);
    enum request_format format; /* format of a query's answer */
    bool is_post, is_open;      /* is_open: no token is needed */
};

/* A client: a process (Unix socket), or an IPv4 address or IPv6 network (TCP). */
struct asker {
    uint64_t id;
    uint64_t running; /* number of queries that are running; 0: the entry is free */
};

struct http {
    struct MHD_Daemon *daemon;
    struct server *server;
    struct http_options options;
    atomic_bool ending;
    pthread_mutex_t mutex;    /* guards clients */
    struct asker *clients;    /* connections_max entries */
    _Atomic uint64_t running; /* number of queries whose answers are not sent completely */
    /* counts the memory of long bodies; bodies.all points to the count of all requests' memory */
    struct guard bodies;
    /* a body of more bytes is long: BODY_SMALL, or less if there are many connections */
    uint64_t small_bytes;
    struct late_heads heads;
    pthread_t opener;
    /* While the daemon starts: receives the library's message if the start fails; else NULL. */
    char *fault;
};

/* a request, once its first line came, and the answer */
struct exchange {
    struct http *http;
    const struct route *route;
    const struct page_file *page;
    struct head_target target;
    bool is_checked;
    bool is_closed; /* the connection is closed after the answer */
    bool is_head;   /* the method is HEAD, so the answer has no body */
    struct MHD_Connection *connection;
    /* HTTP status of a rejection, usually sent after the request's body; 0: not rejected. */
    int status;
    char message[SETTINGS_ERROR_BYTES];
    char *body;
    size_t body_bytes, body_capacity;
    size_t body_long; /* how many bytes of body_capacity are counted in http->bodies */
    struct request_entry entry;
    /* Bytes of the body that were read but not kept, because the request is rejected. */
    uint64_t discarded;
    uint64_t client;
    bool is_counted; /* counts in the client's asker.running */
    bool is_running; /* counts in http.running */
    struct request request;
    struct response *response;
};

static const char *header(struct exchange *exchange, const char *name)
{
    return MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, name);
}

/* Adds the headers that follow from the exchange, the status and the type, and passes the response
 * to the library. Returns MHD_NO if the response is NULL or there is no memory. */
static enum MHD_Result queue(struct exchange *exchange, unsigned status, const char *type,
                             struct MHD_Response *response)
{
    static const char policy[] =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    bool is_page = exchange->page != NULL;
    enum MHD_Result result;

    if (response == NULL)
        return MHD_NO;
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
                                  is_page ? "no-cache" : "no-store");
    (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (is_page)
        (void)MHD_add_response_header(response, "Content-Security-Policy", policy);
    if (exchange->is_closed)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED && exchange->route != NULL)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW,
                                      exchange->route->is_post ? "POST" : "GET, HEAD");
    if (status == MHD_HTTP_UNAUTHORIZED)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    result = MHD_queue_response(exchange->connection, status, response);
    MHD_destroy_response(response);
    exchange->entry.status = status;
    return result;
}

/* Sends a text, which libmicrohttpd frees. Returns MHD_NO if `text` is NULL: it could not be
 * allocated. */
static enum MHD_Result queue_text(struct exchange *exchange, unsigned status, const char *type,
                                  char *text)
{
    if (text == NULL)
        return MHD_NO;
    exchange->entry.bytes = exchange->is_head ? 0 : strlen(text);
    return queue(exchange, status, type,
                 MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE));
}

/* Ends the search of a query and stops counting it, before the client sees the end of the answer:
 * otherwise the client's next query might be rejected because this query still counts. */
static void end_query(struct exchange *exchange)
{
    struct http *http = exchange->http;

    if (exchange->response != NULL)
        response_end(exchange->response);
    exchange->response = NULL;
    (void)pthread_mutex_lock(&http->mutex);
    for (size_t i = 0; i < http->options.connections_max && exchange->is_counted; i++)
        if (http->clients[i].running > 0 && http->clients[i].id == exchange->client) {
            http->clients[i].running--;
            exchange->is_counted = false;
        }
    (void)pthread_mutex_unlock(&http->mutex);
}

static void drop_body(struct exchange *exchange)
{
    guard_give(&exchange->http->bodies, exchange->body_long);
    guard_give(exchange->http->bodies.all, exchange->body_capacity - exchange->body_long);
    free(exchange->body);
    exchange->body = NULL;
    exchange->body_capacity = exchange->body_long = 0;
}

/* Rejects the request, whose memory is free before the client sees the answer: its next request may
 * need that memory. After a status below 500, the connection is closed, in case the request was
 * malformed: bytes that a proxy treats as part of it could run as another request (request
 * smuggling). */
static enum MHD_Result refuse(struct exchange *exchange, int status, const char *message)
{
    end_query(exchange);
    drop_body(exchange);
    exchange->http->server->refused_count++;
    exchange->is_closed |= status < MHD_HTTP_INTERNAL_SERVER_ERROR;
    return queue_text(exchange, (unsigned)status, "application/json", facts_error(status, message));
}

static enum MHD_Result show_page(struct exchange *exchange)
{
    const struct page_file *page = exchange->page;
    const char *tag = header(exchange, MHD_HTTP_HEADER_IF_NONE_MATCH);
    bool is_known = tag != NULL && strcmp(tag, page->tag) == 0;
    struct MHD_Response *response = MHD_create_response_from_buffer(
        is_known ? 0 : page->bytes_count, (void *)(uintptr_t)page->bytes, MHD_RESPMEM_PERSISTENT);

    if (response != NULL)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, page->tag);
    exchange->entry.bytes = is_known || exchange->is_head ? 0 : page->bytes_count;
    return queue(exchange, is_known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, page->type, response);
}

static enum MHD_Result show_metrics(struct exchange *exchange)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);

    if (file == NULL)
        return MHD_NO;
    metrics_write(file, exchange->http->server);
    if (fclose(file) != 0) {
        free(text);
        return MHD_NO;
    }
    return queue_text(exchange, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", text);
}

/* Counts another query of the client. Returns false if the client already runs as many as allowed.
 */
static bool enter(struct http *http, uint64_t id)
{
    struct asker *slot = NULL;
    bool good;

    (void)pthread_mutex_lock(&http->mutex);
    for (size_t i = 0; i < http->options.connections_max; i++) {
        struct asker *asker = &http->clients[i];

        if (asker->running > 0 && asker->id == id) {
            slot = asker;
            break;
        }
        if (asker->running == 0 && slot == NULL)
            slot = asker;
    }
    good = slot != NULL && slot->running < http->options.queries_max;
    if (good) {
        slot->id = id;
        slot->running++;
    }
    (void)pthread_mutex_unlock(&http->mutex);
    return good;
}

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* Returns a number for the client. For TCP the number is the IPv4 address, even if it comes mapped
 * into an IPv6 address, or the IPv6 network (64 bits). For a Unix socket the number stands for the
 * user and the process. */
static uint64_t client_of(struct MHD_Connection *connection)
{
    const struct sockaddr *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    struct ucred peer;
    socklen_t bytes = sizeof peer;
    uint64_t id = 0;

    if (address != NULL && address->sa_family == AF_INET)
        return ((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr;
    if (address != NULL && address->sa_family == AF_INET6) {
        const struct in6_addr *at =
            &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;

        /* The upper 64 bits name the network; a mapped address has the IPv4 address at the end. */
        if (IN6_IS_ADDR_V4MAPPED(at))
            memcpy(&id, &at->s6_addr[12], 4);
        else
            memcpy(&id, at, sizeof id);
        return id;
    }
    if (getsockopt(descriptor_of(connection), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0)
        return 0;
    return (uint64_t)peer.uid << 32 | (uint32_t)peer.pid;
}

/* Passes the next bytes of the answer to the library. Resets the library's idle timer, which keeps
 * running while this function waits for the search. */
static ssize_t read_response(void *context, uint64_t position, char *to, size_t room)
{
    struct exchange *exchange = context;
    ssize_t got = response_read(exchange->response, descriptor_of(exchange->connection), to, room);

    (void)position;
    exchange->entry.bytes += got > 0 ? (uint64_t)got : 0;
    (void)MHD_set_connection_option(exchange->connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
    (void)MHD_set_connection_option(exchange->connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                    (unsigned)exchange->http->options.idle_seconds);
    if (got == 0)
        end_query(exchange);
    return got > 0    ? got
           : got == 0 ? MHD_CONTENT_READER_END_OF_STREAM
                      : MHD_CONTENT_READER_END_WITH_ERROR;
}

static enum MHD_Result begin_answer(struct exchange *exchange, enum request_format format)
{
    static const char *const types[] = {
        [REQUEST_JSON] = "application/x-ndjson",
        [REQUEST_FRAMES] = "application/octet-stream",
        [REQUEST_COLUMNS] = "application/octet-stream",
        [REQUEST_COUNT] = "application/json",
        [REQUEST_FILES] = "application/x-ndjson",
    };
    struct MHD_Response *streamed;
    int status;

    exchange->response = response_begin(exchange->http->server, &exchange->request,
                                        exchange->client, &status, exchange->message);
    if (exchange->response == NULL)
        return refuse(exchange, status, exchange->message);
    if (!response_begun(exchange->response, descriptor_of(exchange->connection), &status,
                        exchange->message))
        return status == 0 ? MHD_NO : refuse(exchange, status, exchange->message);
    streamed = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, HEAD_BYTES, read_response,
                                                 exchange, NULL);
    /* An answer to HEAD has no body, but the library would send the last chunk of one, which a
     * client takes for the next answer. So this answer is sent without chunks, and the connection
     * ends. */
    if (exchange->is_head && streamed != NULL)
        (void)MHD_set_response_options(streamed, MHD_RF_HTTP_VERSION_1_0_ONLY, MHD_RO_END);
    return queue(exchange, MHD_HTTP_OK, types[format], streamed);
}

static enum MHD_Result query(struct exchange *exchange)
{
    struct http *http = exchange->http;
    struct request_limits limits = http->server->limits;
    int status = MHD_HTTP_BAD_REQUEST;

    if (atomic_load(&http->ending))
        return refuse(exchange, MHD_HTTP_SERVICE_UNAVAILABLE, "the server is ending");
    exchange->client = client_of(exchange->connection);
    exchange->is_counted = enter(http, exchange->client);
    if (!exchange->is_counted)
        return refuse(exchange, MHD_HTTP_TOO_MANY_REQUESTS,
                      "too many queries of one client at the same time: see --max-queries");
    exchange->is_running = true;
    http->running++;
    /* The body also uses memory, until the request is read. */
    if (limits.memory_max > limits.all->bytes_max - exchange->body_capacity)
        limits.memory_max = limits.all->bytes_max - exchange->body_capacity;
    if (exchange->route->format == REQUEST_FILES) {
        request_files(
            &exchange->request,
            MHD_lookup_connection_value(exchange->connection, MHD_GET_ARGUMENT_KIND, "collection"),
            &limits);
        exchange->request.is_head = exchange->is_head;
    } else if (!request_read(&exchange->request, exchange->body != NULL ? exchange->body : "",
                             exchange->body_bytes, exchange->route->format, &limits, &status,
                             exchange->message)) {
        request_free(&exchange->request);
        return refuse(exchange, status, exchange->message);
    }
    drop_body(exchange);
    exchange->request.guard.bytes_max = http->server->limits.memory_max;
    return begin_answer(exchange, exchange->request.format);
}

static enum MHD_Result show_collections(struct exchange *exchange)
{
    return queue_text(exchange, MHD_HTTP_OK, "application/json",
                      facts_collections(exchange->http->server));
}

static enum MHD_Result show_health(struct exchange *exchange)
{
    return queue_text(exchange, MHD_HTTP_OK, "text/plain", strdup("ok\n"));
}

static const struct route routes[] = {
    {"/v1/search", query, REQUEST_JSON, true, false},
    {"/v1/count", query, REQUEST_COUNT, true, false},
    {"/v1/files", query, REQUEST_FILES, false, false},
    {"/v1/collections", show_collections, 0, false, false},
    {"/metrics", show_metrics, 0, false, false},
    {"/healthz", show_health, 0, false, true},
};
static const struct route page_route = {NULL, show_page, 0, false, true};

static void set_refusal(struct exchange *exchange, int status, const char *message)
{
    exchange->status = status;
    (void)snprintf(exchange->message, sizeof exchange->message, "%s", message);
}

/* Returns true if, judging by the host (of the Host header or the target; NULL: none) and the
 * Origin header, a page of a different site may have caused the user's browser to send the request.
 */
static bool is_cross_site(struct exchange *exchange, const char *host, bool is_post)
{
    const char *origin = header(exchange, MHD_HTTP_HEADER_ORIGIN), *name;

    if (host != NULL &&
        !head_is_ours(host, exchange->http->options.listener, exchange->http->options.host))
        return true;
    if (!is_post || origin == NULL)
        return false;
    name = strstr(origin, "://");
    return host == NULL || name == NULL || strcasecmp(name + 3, host) != 0;
}

static bool is_json(const char *type)
{
    static const char json[] = "application/json";

    return type != NULL && strncasecmp(type, json, sizeof json - 1) == 0 &&
           strchr("; \t", type[sizeof json - 1]) != NULL;
}

static const struct route *find_route(const char *path, const struct page_file **page)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (strcmp(routes[i].path, path) == 0)
            return &routes[i];
    for (const struct page_file *file = page_files; file->path != NULL; file++)
        if (strcmp(file->path, path) == 0) {
            *page = file;
            return &page_route;
        }
    return NULL;
}

/* Checks the request's first line and headers. Sets exchange->status if the request is rejected. */
static void check(struct exchange *exchange, const char *path, const char *method)
{
    bool is_post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    const char *host = header(exchange, MHD_HTTP_HEADER_HOST);
    char target_host[HEAD_HOST_BYTES_MAX];

    path = head_path(path, target_host);
    if (*target_host != '\0' && host == NULL)
        host = target_host;
    exchange->is_head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    exchange->route = find_route(path, &exchange->page);
    exchange->entry.path = exchange->page != NULL    ? exchange->page->path
                           : exchange->route != NULL ? exchange->route->path
                                                     : NULL;
    if (is_post && header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH) == NULL &&
        header(exchange, MHD_HTTP_HEADER_TRANSFER_ENCODING) == NULL)
        set_refusal(exchange, MHD_HTTP_LENGTH_REQUIRED, "a POST needs a Content-Length");
    else if (*target_host != '\0' && strcasecmp(host, target_host) != 0)
        set_refusal(exchange, MHD_HTTP_BAD_REQUEST, "the target's host is not that of Host");
    else if (is_cross_site(exchange, host, is_post))
        set_refusal(exchange, MHD_HTTP_FORBIDDEN,
                    "the Host or Origin header names a different site");
    else if (exchange->route == NULL)
        set_refusal(exchange, MHD_HTTP_NOT_FOUND, "the server has nothing at this path");
    else if (exchange->route->is_post
                 ? !is_post
                 : strcmp(method, MHD_HTTP_METHOD_GET) != 0 && !exchange->is_head)
        set_refusal(exchange, MHD_HTTP_METHOD_NOT_ALLOWED,
                    "this path needs a different method: see the header Allow");
    else if (!exchange->route->is_open &&
             !secrets_admit(header(exchange, MHD_HTTP_HEADER_AUTHORIZATION), exchange->entry.user))
        set_refusal(exchange, MHD_HTTP_UNAUTHORIZED,
                    "the server's token is needed: Authorization: Bearer TOKEN");
    else if (header(exchange, MHD_HTTP_HEADER_CONTENT_ENCODING) != NULL)
        set_refusal(exchange, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
                    "a body with a Content-Encoding is not served");
    else if (is_post && !is_json(header(exchange, MHD_HTTP_HEADER_CONTENT_TYPE)))
        set_refusal(exchange, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
                    "the body must be declared as JSON: Content-Type: application/json");
}

/* Returns how many bytes the request's body may have. Sets *why to the message for a longer
 * body. */
static uint64_t body_max(const struct exchange *exchange, const char **why)
{
    const struct request_limits *limits = &exchange->http->server->limits;
    uint64_t fitting = limits->memory_max / (1 + REQUEST_BODY_COST);
    bool is_taken = exchange->status == 0 && exchange->route->is_post;

    *why = is_taken && fitting < limits->body_bytes_max ? REQUEST_TOO_LARGE
                                                        : "the request has too many bytes";
    if (!is_taken)
        return 0;
    return fitting < limits->body_bytes_max ? fitting : limits->body_bytes_max;
}

/* Returns the length of the body that the client announces; `none` if it announces no length. */
static uint64_t announced_bytes(struct exchange *exchange, uint64_t none)
{
    const char *length = header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);

    return length != NULL ? strtoull(length, NULL, 10) : none;
}

/* Makes room for bytes_count more bytes of the body. Rejects the request if that is impossible. */
static void grow_body(struct exchange *exchange, size_t bytes_count, uint64_t limit)
{
    struct http *http = exchange->http;
    uint64_t announced = announced_bytes(exchange, UINT64_MAX);
    size_t max = announced < limit ? announced : limit;
    size_t doubled = exchange->body_bytes + bytes_count + exchange->body_capacity;
    size_t capacity = doubled < max ? doubled : max, more = capacity - exchange->body_capacity;
    bool is_long = capacity > http->small_bytes;
    struct guard *guard = is_long ? &http->bodies : http->bodies.all;
    bool may = guard_take(guard, more);
    char *body = may ? realloc(exchange->body, capacity) : NULL;

    if (body == NULL) {
        guard_give(guard, may ? more : 0);
        set_refusal(exchange, MHD_HTTP_SERVICE_UNAVAILABLE,
                    may ? "memory exhausted" : REQUEST_MEMORY_TAKEN);
        return;
    }
    exchange->body = body;
    exchange->body_capacity = capacity;
    exchange->body_long += is_long ? more : 0;
}

/* Keeps a part of the body, or rejects the request if it is too long or memory runs out.
 * Returns false if the connection is to be closed: more than DISCARD_BYTES of a rejected body came,
 * or the body comes too slowly. */
static bool take_body(struct exchange *exchange, const char *bytes, size_t bytes_count)
{
    const char *why;
    uint64_t limit = body_max(exchange, &why);
    uint64_t seconds = exchange->http->options.idle_seconds +
                       (exchange->body_bytes + exchange->discarded) / BODY_RATE;

    if (now_ns() - exchange->entry.begin_ns > seconds * SECOND_NS)
        return false;
    if (exchange->status == 0 && bytes_count > limit - exchange->body_bytes)
        set_refusal(exchange, MHD_HTTP_CONTENT_TOO_LARGE, why);
    if (exchange->status == 0 && exchange->body_capacity - exchange->body_bytes < bytes_count)
        grow_body(exchange, bytes_count, limit);
    if (exchange->status != 0) {
        drop_body(exchange);
        exchange->discarded += bytes_count;
        return exchange->discarded <= DISCARD_BYTES;
    }
    memcpy(exchange->body + exchange->body_bytes, bytes, bytes_count);
    exchange->body_bytes += bytes_count;
    return true;
}

/* Rejects a request that announces too long a body. Returns true if the body is even longer than
 * DISCARD_BYTES, so that the server does not read it. */
static bool is_far_too_long(struct exchange *exchange)
{
    const char *why;
    uint64_t bytes_count = announced_bytes(exchange, 0);

    if (bytes_count <= body_max(exchange, &why))
        return false;
    if (exchange->status == 0)
        set_refusal(exchange, MHD_HTTP_CONTENT_TOO_LARGE, why);
    return bytes_count > DISCARD_BYTES;
}

static enum MHD_Result respond(struct exchange *exchange)
{
    if (exchange->status != 0)
        return refuse(exchange, exchange->status, exchange->message);
    return exchange->route->respond(exchange);
}

/* Begins an exchange. The library calls this function with the target as the client sent it. */
static void *begin_exchange(void *context, const char *target, struct MHD_Connection *connection)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);

    if (exchange == NULL)
        return NULL;
    exchange->http = context;
    exchange->connection = connection;
    exchange->target.begin = target;
    if (strstr(target, "%00") == NULL && !head_has_control(target) &&
        target[strcspn(target, " \t")] == '\0')
        exchange->target.end = target + strlen(target);
    return exchange;
}

static struct head_wait *wait_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Handles a request. The library calls this once before the body, once for each part of the body,
 * and once after the body. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *bytes,
                              size_t *bytes_count, void **own)
{
    struct exchange *exchange = *own;

    (void)context;
    if (exchange == NULL)
        return MHD_NO;
    if (!exchange->is_checked) {
        /* Versions of the library disagree about where a chunk's size line ends, so no further
         * request is read after a chunked one. */
        const char *why =
            head_ambiguity(connection, method, &exchange->target, version, &exchange->is_closed);

        exchange->is_checked = true;
        late_heads_came(&exchange->http->heads, wait_of(connection), false);
        exchange->entry.begin_ns = now_ns();
        (void)snprintf(exchange->entry.method, sizeof exchange->entry.method, "%s", method);
        if (why == NULL)
            check(exchange, path, method);
        else
            set_refusal(exchange, MHD_HTTP_BAD_REQUEST, why);
        return why != NULL || is_far_too_long(exchange) ? respond(exchange) : MHD_YES;
    }
    if (*bytes_count > 0) {
        bool good = take_body(exchange, bytes, *bytes_count);

        *bytes_count = 0;
        return good ? MHD_YES : MHD_NO;
    }
    return respond(exchange);
}

/* Writes who the client is: its address, or the user of its process. */
static void write_client(struct MHD_Connection *connection, char *text, size_t room)
{
    const struct sockaddr *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    const socklen_t bytes = address != NULL && address->sa_family == AF_INET6
                                ? sizeof(struct sockaddr_in6)
                                : sizeof(struct sockaddr_in);

    if (address == NULL || address->sa_family == AF_UNIX)
        (void)snprintf(text, room, "uid %" PRIu64, client_of(connection) >> 32);
    else if (getnameinfo(address, bytes, text, (socklen_t)room, NULL, 0, NI_NUMERICHOST) != 0)
        *text = '\0';
}

static void complete(void *context, struct MHD_Connection *connection, void **own,
                     enum MHD_RequestTerminationCode code)
{
    struct exchange *exchange = *own;

    late_heads_came(&((struct http *)context)->heads, wait_of(connection), true);
    if (exchange == NULL)
        return;
    if (exchange->http->options.logs && exchange->is_checked) {
        exchange->entry.is_whole = code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
        write_client(connection, exchange->entry.client, sizeof exchange->entry.client);
        request_log(&exchange->entry);
    }
    end_query(exchange);
    exchange->http->running -= exchange->is_running;
    drop_body(exchange);
    free(exchange);
    *own = NULL;
}

static void count_connection(void *context, struct MHD_Connection *connection, void **own,
                             enum MHD_ConnectionNotificationCode code)
{
    struct http *http = context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        http->server->connection_count++;
        http->server->open_count++;
        *own = late_heads_begin(&http->heads, descriptor_of(connection));
    } else {
        http->server->open_count--;
        late_heads_end(&http->heads, *own);
    }
}

/* Receives the library's messages. Keeps messages of the thread that starts the library, which
 * http_open reports. Ignores messages about connections. */
static void keep_message(void *context, const char *format, va_list arguments)
{
    struct http *http = context;

    if (pthread_equal(pthread_self(), http->opener) && http->fault != NULL)
        (void)vsnprintf(http->fault, SETTINGS_ERROR_BYTES, format, arguments);
}

/* Returns about how many connections the limit for open files allows, from 1 to `max`. */
static uint64_t connections_within(uint64_t max)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / CONNECTION_DESCRIPTORS < max)
        max = limit.rlim_cur / CONNECTION_DESCRIPTORS + 1;
    return max;
}

static void free_http(struct http *http)
{
    (void)pthread_mutex_destroy(&http->mutex);
    free(http->clients);
    free(http);
}

bool http_open(struct http **opened, struct server *server, const struct http_options *options,
               char *message)
{
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
                     MHD_USE_POLL | MHD_USE_ITC | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem keys[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, (void *)(uintptr_t)secrets_show},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TLS_VERSIONS},
        {MHD_OPTION_END, 0, NULL}};
    uint64_t connections = connections_within(options->connections_max);
    struct http *http = calloc(1, sizeof *http);
    struct asker *clients = calloc(connections, sizeof *clients);

    *opened = NULL;
    if (http == NULL || clients == NULL || pthread_mutex_init(&http->mutex, NULL) != 0) {
        free(clients);
        free(http);
        return message_exhausted(message);
    }
    http->server = server;
    http->options = *options;
    http->options.connections_max = connections;
    http->clients = clients;
    http->bodies = (struct guard){.all = server->limits.all,
                                  .bytes_max = (server->limits.all->bytes_max + 1) / 2};
    http->small_bytes = server->limits.all->bytes_max / 4 / connections;
    http->small_bytes = http->small_bytes < BODY_SMALL ? http->small_bytes : BODY_SMALL;
    /* Each running query uses RESPONSE_BYTES. This limit lets the queries of one client use about
     * half of the memory for requests, so that a client that reads its answers slowly leaves the
     * rest to others. The added 2 lets a client query even if that memory is small. */
    if (http->options.queries_max > http->bodies.bytes_max / RESPONSE_BYTES + 2)
        http->options.queries_max = http->bodies.bytes_max / RESPONSE_BYTES + 2;
    if (!late_heads_open(&http->heads, options->idle_seconds * SECOND_NS)) {
        free_http(http);
        return message_fail(message, "no thread can be started: %s", strerror(errno));
    }
    http->opener = pthread_self();
    http->fault = message;
    strcpy(message, "the HTTP server does not start");
    if (options->is_tls)
        flags |= MHD_USE_TLS;
    else
        keys[0].option = MHD_OPTION_END;
    http->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle, http, MHD_OPTION_EXTERNAL_LOGGER, keep_message, http,
        MHD_OPTION_LISTEN_SOCKET, options->listener->descriptor, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)connections, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)options->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES * 2,
        /* Version 0.9 answers what it rejects with two heads, so head.c looks there. */
        MHD_OPTION_STRICT_FOR_CLIENT, *MHD_get_version() == '0' ? 0 : 1,
        MHD_OPTION_URI_LOG_CALLBACK, begin_exchange, http, MHD_OPTION_NOTIFY_COMPLETED, complete,
        http, MHD_OPTION_NOTIFY_CONNECTION, count_connection, http, MHD_OPTION_ARRAY, keys,
        MHD_OPTION_END);
    http->fault = NULL;
    if (http->daemon == NULL) {
        late_heads_close(&http->heads);
        free_http(http);
        return false;
    }
    *opened = http;
    return true;
}

void http_quiesce(struct http *http)
{
    atomic_store(&http->ending, true);
    (void)MHD_quiesce_daemon(http->daemon);
}

uint64_t http_running(struct http *http)
{
    return http->running;
}

void http_close(struct http *http)
{
    MHD_stop_daemon(http->daemon);
    late_heads_close(&http->heads);
    free_http(http);
}
