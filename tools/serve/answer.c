/* answer: begins, runs and ends the answer to a request.
 *
 * Each answer has a thread that runs the same job as the command. answer_files.c chooses the files
 * to search, answer_pipe.c passes on what the job prints, and answer_count.c writes the answers
 * that are not lines.
 */
#include "serve/answer.h"

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

#include "serve/answering.h"
#include "trawl/text/command_clock.h"
#include "trawl/text/grow.h"
#include "trawl/print/print.h"
#include "trawl/run/run.h"
#include "trawl/text/message.h"

#define PIPE_BYTES (1 << 20) /* size of an answer's pipe */
/* After the deadline, searches are cancelled again every LATE_MS milliseconds. */
#define LATE_MS 100
#define LOOK_MS 1000 /* maximum number of milliseconds between two checks for the server's end */
/* Cancels the answer's searches: the pass (a search that several requests share), if one is
 * running, and the job's searchers. The caller holds answer->lock. */
static void end_searches(struct served_answer *answer)
{
    if (answer->passing != NULL)
        pass_cancel(answer->server->passes, answer->passing);
    for (size_t i = 0; i < answer->searcher_count; i++)
        trawl_searcher_cancel(answer->searchers[i], false);
}

/* The callback `watch` of struct supply: notes the job's searcher, so that end_searches can cancel
 * it. If searcher is NULL, forgets all searchers. Returns false if out of memory. */
static bool watch(void *context, struct trawl_searcher *searcher)
{
    struct served_answer *answer = context;
    bool good;

    pthread_mutex_lock(&answer->lock);
    good = GROW(answer->searchers, answer->searcher_capacity, 8, answer->searcher_count + 1);
    if (good)
        answer->searchers[answer->searcher_count++] = searcher;
    if (searcher == NULL)
        answer->searcher_count = 0;
    pthread_mutex_unlock(&answer->lock);
    return good;
}

/* Marks the answer as truncated, because the deadline has passed or the server is shutting down,
 * and cancels its searches. */
static void expire(struct served_answer *answer)
{
    pthread_mutex_lock(&answer->lock);
    answer->truncated = true;
    end_searches(answer);
    pthread_mutex_unlock(&answer->lock);
}

/* Tells the client that the answer stopped early, after the lines so far. In an answer of
 * REQUEST_JSON, a limit shows only in the `truncated` member of the last line. In all other cases,
 * the client gets a message that says why. */
static void tell_cut(struct served_answer *answer, bool selected, uint8_t *status)
{
    struct output *output = &answer->output;
    bool cut = answer->pipe.cut, late = answer->truncated, is_limited = cut || late;
    bool has_stopped = output->error != 0;
    char text[128] = "--server: the answer was cut off: memory exhausted";

    answer->truncated = is_limited;
    answer->pipe.cut = false;
    if (has_stopped) {
        output->used = output->committed = 0;
        output->error = 0;
    }
    if (answer->request.format != REQUEST_FRAMES && is_limited) {
        *status = cut || (has_stopped && selected) ? EXIT_SELECTED
                  : has_stopped                    ? EXIT_NOT_SELECTED
                                                   : *status;
        return;
    }
    if (late && answer->server->is_ending)
        strcpy(text, "--server: the answer was cut off, because the server is ending");
    else if (is_limited)
        (void)snprintf(text, sizeof text,
                       late ? "--server: the answer was cut off after %" PRIu64
                              " s, by --max-seconds or max_seconds"
                            : "--server: the answer was cut off after %" PRIu64
                              " lines, by --max-results or max_results",
                       late ? answer->request.seconds_max : answer->request.results_max);
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
 * client joins the answers of several servers, the separator between two answers follows the
 * status. */
static void write_exit(struct served_answer *answer, uint8_t status, bool groups_printed)
{
    struct output *output = &answer->output;
    bool is_part = answer->request.is_part && answer->request.format == REQUEST_FRAMES;
    size_t bytes_count;

    output_flush(output);
    if (is_part)
        status |= (groups_printed ? EXIT_GROUPS : 0) | (answer->searched ? 0 : EXIT_NOTHING);
    output_byte(output, status);
    if (is_part)
        print_between_files(output, &answer->request.settings);
    bytes_count = output->used;
    output->used = 0;
    output_frame(output, OUTPUT_FRAME_EXIT, output->bytes, bytes_count);
}

static void *work(void *context)
{
    struct served_answer *answer = context;
    struct server *server = answer->server;
    struct settings *settings = &answer->request.settings;
    struct command_job job = {
        .output = &answer->output, .supply = &answer->supply, .runtime = server->runtime};
    uint64_t running = ++server->running_count;
    uint8_t status;
    bool failed, is_short;
    int http_status, refusal;

    settings->search.threads =
        server->thread_count / running > 0 ? server->thread_count / running : 1;
    job.groups = answer->request.is_continued ? GROUPS_BEFORE : GROUPS_NONE;
    errno = 0;
    status = (uint8_t)(answer->request.format == REQUEST_FILES ? answering_list(answer)
                                                               : run_job(&job, settings));
    failed = status == EXIT_ERROR && !answer->pipe.begun;
    refusal = answer->request.guard.refusal;
    /* closing the job's files does not change errno, which says whether the job ran short */
    is_short = failed && (is_shortage(errno) ||
                          request_refusal(&answer->request.guard, &http_status) != NULL);
    guard_leave(&answer->request.guard);
    if (failed && (is_short || answer->request.format != REQUEST_FRAMES))
        answering_refuse(answer,
                         is_short                ? 503
                         : refusal == GUARD_PLAN ? 413
                                                 : 400,
                         *answer->message != '\0' ? answer->message : "the search failed");
    else if (!answer->pipe.begun && answer->request.format >= REQUEST_COLUMNS)
        answering_write(answer, NULL);
    answering_begins(answer);
    output_flush(&answer->output);
    if (answer->request.format <= REQUEST_FRAMES &&
        (answer->truncated || answer->pipe.cut || answer->output.error != 0))
        tell_cut(answer, job.selected, &status);
    /* Count the answer before its last bytes are written: a client that has read these bytes ends
     * the answer, which sets `cancelled`. A rejected request also sets `cancelled`, so there it
     * does not mean that the client went away. */
    if (answer->request.guard.cancelled && answer->http_status == 0)
        server->cancelled_count++;
    else
        add_latency(server, answer->request.format, now_ns() - answer->begin_ns);
    server->running_count--;
    answer->searched = job.has_searched || job.totals.sums.file_count > 0;
    write_exit(answer, status, job.groups == GROUPS_PRINTED);
    answer->pipe.whole = answer->output.error == 0;
    output_close(&answer->output);
    close(answer->pipe.descriptors[1]);
    answer->pipe.descriptors[1] = -1;
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
    const struct answer_share *a = left, *b = right;

    return strcmp(a->prefix, b->prefix);
}

/* Chooses the collections that the request is about: the one that the request names, or the one
 * that holds the request's paths, or all. Fills `shares`, which has room for all collections of the
 * server, and returns how many were chosen. Returns 0 if the request is rejected; message and
 * *http_status say why. */
static size_t choose(const struct server *server, const struct request *request,
                     struct answer_share *shares, int *http_status, char *message)
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
            shares[count++] = (struct answer_share){server->collections[i], .prefix = facts.name};
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
        (void)message_fail(message, "paths: no single collection holds all paths of the request");
    else if (count == 0)
        (void)message_fail(message, "no collection holds '%.400s'", missing != NULL ? missing : "");
    return count > 0;
}

static void free_answer(struct served_answer *answer)
{
    for (size_t i = 0; i < answer->share_count; i++) {
        struct answer_share *share = &answer->shares[i];

        if (share->view != NULL)
            view_drop(share->view);
        if (share->state != NULL)
            state_drop(share->state);
        pass_free(&share->pass);
    }
    free(answer->shares);
    for (int i = 0; i < 2; i++)
        if (answer->pipe.descriptors[i] >= 0)
            close(answer->pipe.descriptors[i]);
    request_free(&answer->request);
    free(answer->files.names.bytes);
    free(answer->pipe.kept);
    free(answer->pipe.file_end);
    free(answer->searchers);
    pthread_mutex_destroy(&answer->lock);
    free(answer);
}

/* Opens the pipe and starts the answer's thread. Returns false if that fails; errno may say why. */
static bool start(struct served_answer *answer)
{
    struct surroundings *surroundings = &answer->request.settings.surroundings;
    struct collection_facts facts;

    if (pipe2(answer->pipe.descriptors, O_CLOEXEC) != 0) {
        answer->pipe.descriptors[0] = answer->pipe.descriptors[1] = -1;
        return false;
    }
    (void)fcntl(answer->pipe.descriptors[1], F_SETPIPE_SZ, PIPE_BYTES);
    collection_facts(answer->shares[0].collection, &facts);
    surroundings->directory =
        answer->request.directory != NULL ? answer->request.directory : facts.root;
    output_open(&answer->output, -1);
    answer->output.sink = answering_sink;
    answer->output.sink_context = answer;
    answer->pipe.lines_left = answer->request.results_max;
    /* The sum fits into 64 bits, because --max-seconds is at most 2^32 - 1 seconds. */
    answer->request.guard.deadline_ns = answer->begin_ns + answer->request.seconds_max * SECOND_NS;
    return pthread_create(&answer->thread, NULL, work, answer) == 0;
}

struct served_answer *answer_begin(struct server *server, struct request *request, uint64_t client,
                                   int *http_status, char *message)
{
    struct answer_share *shares = calloc(server->collection_count, sizeof *shares);
    size_t count = shares == NULL ? 0 : choose(server, request, shares, http_status, message);
    struct served_answer *answer =
        count == 0 || !guard_take(&request->guard, ANSWER_BYTES) ? NULL : malloc(sizeof *answer);

    if (answer == NULL) {
        if (shares == NULL || count > 0) {
            const char *why = request_refusal(&request->guard, http_status);

            (void)message_fail(message, "%s", why != NULL ? why : "memory exhausted");
        }
        free(shares);
        request_free(request);
        return NULL;
    }
    memset(answer, 0, offsetof(struct served_answer, output));
    answer->server = server;
    answer->request = *request;
    answer->request.settings.guard = &answer->request.guard;
    answer->request.guard.thread_count = (uint32_t)server->thread_count;
    memset(request, 0, sizeof *request);
    answer->shares = shares;
    answer->share_count = count;
    answer->client = client;
    answer->begin_ns = now_ns();
    answer->supply =
        (struct supply){answer,
                        answering_begin_files,
                        answering_next_file,
                        answering_open_file,
                        watch,
                        answer->request.format >= REQUEST_COLUMNS ? answering_count : NULL};
    answer->pipe.descriptors[0] = answer->pipe.descriptors[1] = -1;
    answer->shared_count = 1;
    pthread_mutex_init(&answer->lock, NULL);
    if (!start(answer)) {
        *http_status = 503;
        (void)message_fail(message, "no search can begin: %s", strerror(errno));
        free_answer(answer);
        return NULL;
    }
    server->request_count[answer->request.format]++;
    return answer;
}

/* Waits until the pipe has bytes or the writing end is closed. After the deadline, or when the
 * server ends, cancels the searches repeatedly, because the job may just be beginning a search.
 * Returns false if the client closed its connection, or if waiting fails. */
static bool wait_for_bytes(struct served_answer *answer, int connection)
{
    struct pollfd ends[] = {{answer->pipe.descriptors[0], POLLIN, 0}, {connection, POLLRDHUP, 0}};

    for (;;) {
        uint64_t now = now_ns();
        uint64_t deadline_ns = answer->request.guard.deadline_ns;
        bool in_time = now < deadline_ns && !answer->server->is_ending;
        uint64_t left_ms = in_time ? (deadline_ns - now) / 1000000 + 1 : LATE_MS;
        int wait_ms = left_ms < LOOK_MS ? (int)left_ms : LOOK_MS;
        int count;

        if (!in_time)
            expire(answer);
        count = poll(ends, 2, wait_ms);
        if (count > 0)
            return ends[1].revents == 0;
        if (count < 0 && errno != EINTR)
            return false;
    }
}

bool answer_begun(struct served_answer *answer, int connection, int *http_status, char *message)
{
    *http_status = 0;
    if (!wait_for_bytes(answer, connection))
        return false;
    *http_status = answer->http_status;
    if (*http_status != 0)
        memcpy(message, answer->message, SETTINGS_ERROR_BYTES);
    return *http_status == 0;
}

ssize_t answer_read(struct served_answer *answer, int connection, void *to, size_t room)
{
    ssize_t got;

    if (!wait_for_bytes(answer, connection))
        return -1;
    do
        got = read(answer->pipe.descriptors[0], to, room);
    while (got < 0 && errno == EINTR);
    return got == 0 && !answer->pipe.whole ? -1 : got;
}

void answer_end(struct served_answer *answer)
{
    pthread_mutex_lock(&answer->lock);
    answer->request.guard.cancelled = true;
    end_searches(answer);
    pthread_mutex_unlock(&answer->lock);
    close(answer->pipe.descriptors[0]);
    answer->pipe.descriptors[0] = -1;
    (void)pthread_join(answer->thread, NULL);
    free_answer(answer);
}
