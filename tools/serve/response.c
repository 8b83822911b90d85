/* response: begins, runs and ends the response to a request.
 *
 * Each response has a thread that runs the same job as the command. response_files.c chooses the
 * files to search, response_pipe.c passes on what the job prints, and response_other.c writes the
 * responses that are not lines.
 */
#include "serve/response.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/response_inside.h"
#include "trawl/text/command_clock.h"
#include "trawl/text/grow.h"
#include "trawl/print/print.h"
#include "trawl/run/run.h"
#include "trawl/text/message.h"

#define PIPE_BYTES (1 << 20) /* size of a response's pipe */
/* After the deadline, searches are cancelled again every LATE_MS milliseconds. */
#define LATE_MS 100
#define LOOK_MS 1000 /* maximum number of milliseconds between two checks for the server's end */
/* Cancels the response's searches: the pass (a search that several requests share), if one is
 * running, and the job's searchers. The caller holds response->lock. */
static void end_searches(struct response *response)
{
    if (response->passing != NULL)
        pass_cancel(response->server->passes, response->passing);
    for (size_t i = 0; i < response->searcher_count; i++)
        trawl_searcher_cancel(response->searchers[i], false);
}

/* The callback `watch` of struct supply: notes the job's searcher, so that end_searches can cancel
 * it. If searcher is NULL, forgets all searchers. Returns false if out of memory. */
static bool watch(void *context, struct trawl_searcher *searcher)
{
    struct response *response = context;
    bool good;

    pthread_mutex_lock(&response->lock);
    good = GROW(response->searchers, response->searcher_capacity, 8, response->searcher_count + 1);
    if (good)
        response->searchers[response->searcher_count++] = searcher;
    if (searcher == NULL)
        response->searcher_count = 0;
    pthread_mutex_unlock(&response->lock);
    return good;
}

/* Marks the response as truncated, because the deadline has passed or the server is shutting down,
 * and cancels its searches. */
static void expire(struct response *response)
{
    pthread_mutex_lock(&response->lock);
    response->truncated = true;
    end_searches(response);
    pthread_mutex_unlock(&response->lock);
}

/* Tells the client that the response stopped early, after the lines so far. In a response of
 * REQUEST_JSON, a limit shows only in the `truncated` member of the last line. In all other cases,
 * the client gets a message that says why. */
static void report_cut(struct response *response, bool selected, uint8_t *status)
{
    struct output *output = &response->output;
    bool cut = response->pipe.cut, late = response->truncated, is_limited = cut || late;
    bool has_stopped = output->error != 0;
    char text[128] = "--server: the answer was cut off: memory exhausted";

    response->truncated = is_limited;
    response->pipe.cut = false;
    if (has_stopped) {
        output->used = output->committed = 0;
        output->error = 0;
    }
    if (response->request.format != REQUEST_FRAMES && is_limited) {
        *status = cut || (has_stopped && selected) ? EXIT_SELECTED
                  : has_stopped                    ? EXIT_NOT_SELECTED
                                                   : *status;
        return;
    }
    if (late && response->server->is_ending)
        strcpy(text, "--server: the answer was cut off, because the server is ending");
    else if (is_limited)
        (void)snprintf(text, sizeof text,
                       late ? "--server: the answer was cut off after %" PRIu64
                              " s, by --max-seconds or max_seconds"
                            : "--server: the answer was cut off after %" PRIu64
                              " lines, by --max-results or max_results",
                       late ? response->request.seconds_max : response->request.results_max);
    output_frame(output, OUTPUT_FRAME_MESSAGE, text, strlen(text));
    *status = EXIT_ERROR;
}

static void add_latency(struct server *server, enum request_format format, uint64_t ns)
{
    uint64_t microseconds = ns / 1000;
    unsigned bucket = 0;

    while (bucket < 31 && microseconds > UINT64_C(1) << bucket)
        bucket++;
    server->latency_counts[bucket]++;
    server->latency_ns[format] += ns;
}

/* Writes the exit status, the last frame or the last line of JSON. With REQUEST_FRAMES, if the
 * client joins the responses of several servers, the separator between two responses follows the
 * status. */
static void write_exit(struct response *response, uint8_t status, bool groups_printed)
{
    struct output *output = &response->output;
    bool is_part = response->request.is_part && response->request.format == REQUEST_FRAMES;
    size_t bytes_count;

    output_flush(output);
    if (is_part)
        status |= (groups_printed ? EXIT_GROUPS : 0) | (response->searched ? 0 : EXIT_NOTHING);
    output_byte(output, status);
    if (is_part)
        print_between_files(output, &response->request.settings);
    bytes_count = output->used;
    output->used = 0;
    output_frame(output, OUTPUT_FRAME_EXIT, output->bytes, bytes_count);
}

static void *work(void *context)
{
    struct response *response = context;
    struct server *server = response->server;
    struct settings *settings = &response->request.settings;
    struct command_job job = {
        .output = &response->output, .supply = &response->supply, .runtime = server->runtime};
    uint64_t running = ++server->running_count;
    uint8_t status;
    bool failed, is_short, is_local; /* is_local: the client may search by itself */
    int http_status, refusal;

    settings->search.threads =
        server->thread_count / running > 0 ? server->thread_count / running : 1;
    job.groups = response->request.is_continued ? GROUPS_BEFORE : GROUPS_NONE;
    status = (uint8_t)(response->request.format == REQUEST_FILES ? response_list(response)
                                                                 : run_job(&job, settings));
    failed = status == EXIT_ERROR && !response->pipe.begun;
    refusal = response->request.guard.refusal;
    is_short = failed && (refusal == GUARD_SHORT ||
                          request_refusal(&response->request.guard, &http_status) != NULL);
    is_local = failed && response->request.lacks_pcre &&
               response->request.format == REQUEST_FRAMES &&
               strstr(response->message, "--allow-pcre") != NULL; /* PCRE2 would search for it */
    guard_leave(&response->request.guard);
    if (failed && (is_short || is_local || response->request.format != REQUEST_FRAMES))
        response_refuse(response,
                        is_short                ? 503
                        : is_local              ? 501
                        : refusal == GUARD_PLAN ? 413
                                                : 400,
                        *response->message != '\0' ? response->message : "the search failed");
    else if (!response->pipe.begun && response->request.format >= REQUEST_COLUMNS)
        response_write(response, NULL);
    response_accept(response);
    output_flush(&response->output);
    if (response->request.format <= REQUEST_FRAMES &&
        (response->truncated || response->pipe.cut || response->output.error != 0))
        report_cut(response, job.selected, &status);
    /* Count the response before its last bytes are written: a client that has read these bytes ends
     * the response, which sets `cancelled`. A rejected request also sets `cancelled`, so there it
     * does not mean that the client went away. */
    if (response->request.guard.cancelled && response->http_status == 0)
        server->cancelled_count++;
    else
        add_latency(server, response->request.format, now_ns() - response->begin_ns);
    server->running_count--;
    response->searched = job.has_searched || job.totals.sums.file_count > 0;
    write_exit(response, status, job.groups == GROUPS_PRINTED);
    response->pipe.whole = response->output.error == 0;
    output_close(&response->output);
    close(response->pipe.descriptors[1]);
    response->pipe.descriptors[1] = -1;
    return NULL;
}

/* Returns true if the collection has each path that the request names. If collection is NULL,
 * returns true if each path is in some collection of the server. Sets *missing to the first path
 * that is not. */
static bool holds_paths(const struct server *server, const struct collection *collection,
                        const struct request *request, const char **missing)
{
    const struct value_list *operands = &request->settings.operands;
    const char *directory = request->directory != NULL ? request->directory : "";

    for (size_t i = 0; i < operands->count || (i == 0 && request->directory != NULL); i++) {
        const char *operand = operands->count > 0 ? operands->items[i].text : ".";
        bool held = collection != NULL && collection_has(collection, directory, operand);

        if (operand[0] != '/' && request->directory == NULL)
            continue; /* a relative operand without a directory may belong to any collection */
        for (size_t j = 0; collection == NULL && !held && j < server->collection_count; j++)
            held = collection_has(server->collections[j], directory, operand);
        if (!held) {
            *missing = operands->count > 0 ? operand : request->directory;
            return false;
        }
    }
    return true;
}

static int by_prefix(const void *left, const void *right)
{
    const struct response_share *a = left, *b = right;

    return strcmp(a->prefix, b->prefix);
}

/* Chooses the collections that the request is about: the one that the request names, or the one
 * that holds the request's paths, or all. Fills `shares`, which has room for all collections of the
 * server, and returns how many were chosen. Returns 0 if the request is rejected; message and
 * *http_status say why. */
static size_t choose_collections(const struct server *server, const struct request *request,
                                 struct response_share *shares, int *http_status, char *message)
{
    const char *missing = NULL;
    bool by_name = request->collection != NULL;
    size_t count = 0;

    *http_status = 404;
    for (size_t i = 0; i < server->collection_count; i++) {
        struct collection_facts facts;

        collection_facts(server->collections[i], &facts);
        if (by_name ? strcmp(facts.name, request->collection) == 0
                    : holds_paths(server, server->collections[i], request, &missing))
            shares[count++] = (struct response_share){server->collections[i], .prefix = facts.name};
    }
    if (count > 1 && request->directory == NULL) {
        qsort(shares, count, sizeof *shares, by_prefix);
        if (request->settings.operands.count == 0)
            return count;
        *http_status = 400;
        (void)message_fail(message,
                           "collection: the request has to name one of the %zu collections", count);
        return 0;
    }
    shares[0].prefix = NULL;
    if (by_name && count == 0)
        (void)message_fail(message, "there is no collection '%.200s'", request->collection);
    else if (count == 0 && holds_paths(server, NULL, request, &missing))
        (void)message_fail(message,
                           "paths: no single collection contains all paths of the request");
    else if (count == 0)
        (void)message_fail(message, "no collection contains '%.400s'",
                           missing != NULL ? missing : "");
    return count > 0;
}

static void free_response(struct response *response)
{
    for (size_t i = 0; i < response->share_count; i++) {
        struct response_share *share = &response->shares[i];

        if (share->view != NULL)
            view_free(share->view);
        if (share->state != NULL)
            state_drop(share->state);
        pass_free(&share->pass);
    }
    free(response->shares);
    for (int i = 0; i < 2; i++)
        if (response->pipe.descriptors[i] >= 0)
            close(response->pipe.descriptors[i]);
    request_free(&response->request);
    free(response->files.names.bytes);
    free(response->pipe.kept);
    free(response->pipe.file_end);
    free(response->searchers);
    pthread_mutex_destroy(&response->lock);
    free(response);
}

/* Opens the pipe and starts the response's thread. Returns false if that fails; errno may say why.
 */
static bool start(struct response *response)
{
    struct surroundings *surroundings = &response->request.settings.surroundings;
    struct collection_facts facts;

    if (pipe2(response->pipe.descriptors, O_CLOEXEC) != 0) {
        response->pipe.descriptors[0] = response->pipe.descriptors[1] = -1;
        return false;
    }
    (void)fcntl(response->pipe.descriptors[1], F_SETPIPE_SZ, PIPE_BYTES);
    collection_facts(response->shares[0].collection, &facts);
    surroundings->directory =
        response->request.directory != NULL ? response->request.directory : facts.root;
    output_open(&response->output, -1);
    response->output.sink = response_sink;
    response->output.sink_context = response;
    response->pipe.lines_left = response->request.results_max;
    /* The sum fits into 64 bits, because --max-seconds is at most 2^32 - 1 seconds. */
    response->request.guard.deadline_ns =
        response->begin_ns + response->request.seconds_max * SECOND_NS;
    return pthread_create(&response->thread, NULL, work, response) == 0;
}

struct response *response_begin(struct server *server, struct request *request, uint64_t client,
                                int *http_status, char *message)
{
    struct response_share *shares = calloc(server->collection_count, sizeof *shares);
    size_t count =
        shares == NULL ? 0 : choose_collections(server, request, shares, http_status, message);
    struct response *response = count == 0 || !guard_take(&request->guard, RESPONSE_BYTES)
                                    ? NULL
                                    : malloc(sizeof *response);

    if (response == NULL) {
        if (shares == NULL || count > 0) {
            const char *why = request_refusal(&request->guard, http_status);

            (void)message_fail(message, "%s", why != NULL ? why : "memory exhausted");
        }
        free(shares);
        request_free(request);
        return NULL;
    }
    memset(response, 0, offsetof(struct response, output));
    response->server = server;
    response->request = *request;
    response->request.settings.guard = &response->request.guard;
    response->request.guard.thread_count = (uint32_t)server->thread_count;
    memset(request, 0, sizeof *request);
    response->shares = shares;
    response->share_count = count;
    response->client = client;
    response->begin_ns = now_ns();
    response->supply =
        (struct supply){response,
                        response_begin_files,
                        response_next_file,
                        response_open_file,
                        watch,
                        response->request.format >= REQUEST_COLUMNS ? response_count : NULL};
    response->pipe.descriptors[0] = response->pipe.descriptors[1] = -1;
    response->shared_count = 1;
    pthread_mutex_init(&response->lock, NULL);
    if (!start(response)) {
        *http_status = 503;
        (void)message_fail(message, "no search can begin: %s", strerror(errno));
        free_response(response);
        return NULL;
    }
    server->request_count[response->request.format]++;
    return response;
}

/* Waits until the pipe has bytes or the writing end is closed. After the deadline, or when the
 * server ends, cancels the searches repeatedly, because the job may just be beginning a search.
 * Returns false if the client closed its connection, or if waiting fails. */
static bool wait_for_bytes(struct response *response, int connection)
{
    struct pollfd ends[] = {{response->pipe.descriptors[0], POLLIN, 0}, {connection, POLLRDHUP, 0}};

    for (;;) {
        uint64_t now = now_ns();
        uint64_t deadline_ns = response->request.guard.deadline_ns;
        bool in_time = now < deadline_ns && !response->server->is_ending;
        uint64_t left_ms = in_time ? (deadline_ns - now) / 1000000 + 1 : LATE_MS;
        int wait_ms = left_ms < LOOK_MS ? (int)left_ms : LOOK_MS;
        int count;

        if (!in_time)
            expire(response);
        count = poll(ends, 2, wait_ms);
        if (count > 0)
            return ends[1].revents == 0;
        if (count < 0 && errno != EINTR)
            return false;
    }
}

bool response_begun(struct response *response, int connection, int *http_status, char *message)
{
    *http_status = 0;
    if (!wait_for_bytes(response, connection))
        return false;
    *http_status = response->http_status;
    if (*http_status != 0)
        memcpy(message, response->message, SETTINGS_ERROR_BYTES);
    return *http_status == 0;
}

ssize_t response_read(struct response *response, int connection, void *to, size_t room)
{
    ssize_t got;

    if (!wait_for_bytes(response, connection))
        return -1;
    do
        got = read(response->pipe.descriptors[0], to, room);
    while (got < 0 && errno == EINTR);
    return got == 0 && !response->pipe.whole ? -1 : got;
}

void response_end(struct response *response)
{
    pthread_mutex_lock(&response->lock);
    response->request.guard.cancelled = true;
    end_searches(response);
    pthread_mutex_unlock(&response->lock);
    close(response->pipe.descriptors[0]);
    response->pipe.descriptors[0] = -1;
    (void)pthread_join(response->thread, NULL);
    free_response(response);
}
