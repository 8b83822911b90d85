/* answer: a request, from its settings to the bytes of its answer.
 *
 * A thread runs the command's own job. Its files come from a view of the collection's state instead
 * of a walk. Where nothing depends on a file without an occurrence but its name, a pass that other
 * requests share tells first which files those are.
 */
#include "serve/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/answering.h"
#include "trawl/clock.h"
#include "trawl/input.h"
#include "trawl/run.h"

#define PIPE_BYTES (1 << 20)
#define SECONDS_MAX 1000000000u
#define ANSWER_BYTES (UINT64_C(2) << 20) /* its pipe, the buffers of its output, its thread */
/* A part of the state's files is worth a pass over all of them: on devices, which search a text a
 * hundred times as fast as it is searched file by file, and on the host. */
#define PASS_PART_DEVICE 256u
#define PASS_PART_HOST 4u
/* The first files are searched before a pass: this part of those that would be worth one. */
#define FIRST_FILES_SHARE 16u

/* ---- Passes -----------------------------------------------------------------------------------
 */

/* With the lock. */
static void end_pass(struct served_answer *answer)
{
    if (answer->passing)
        pass_cancel(answer->server->passes, &answer->pass);
}

/* Its time is over. */
static void expire(struct served_answer *answer)
{
    pthread_mutex_lock(&answer->lock);
    answer->truncated = true;
    end_pass(answer);
    pthread_mutex_unlock(&answer->lock);
}

/* Are the bytes that were searched for this file the text that the job would search? */
static bool is_searched_text(const struct settings *settings, const struct served_file *file)
{
    const struct served_block *block = file->block;

    return block != NULL && (file->is_plain || settings->search_zip) &&
           !input_is_converted(settings, block->bytes + file->block_begin,
                               block->bytes_count - file->block_begin);
}

/* The same of all files, without a look at each. */
static bool all_are_searched(const struct served_answer *answer)
{
    const struct settings *settings = &answer->request.settings;

    return answer->state->unheld_count == 0 && answer->state->unplain_count == 0 &&
           !settings->search_zip &&
           (settings->encoding == NULL || strcmp(settings->encoding, "none") == 0) &&
           !settings->surroundings.output_is_regular;
}

/* Does no string of the plan occur in it? */
static bool holds_nothing(const struct served_answer *answer, const struct view_item *item)
{
    const struct settings *settings = &answer->request.settings;
    uint32_t file = item->file;

    return answer->passed && item->kind == WALK_FILE && file != UINT32_MAX &&
           (answer->pass.files[file / 8] >> file % 8 & 1) == 0 &&
           is_searched_text(settings, answer->state->files[file]) &&
           !job_is_own_output(settings, &answer->state->files[file]->held.status);
}

static unsigned pass_part(const struct served_answer *answer)
{
    bool on_device = answer->state->block_count > 0 && answer->state->blocks[0].block->on_device;

    return on_device ? PASS_PART_DEVICE : PASS_PART_HOST;
}

/* Have a pass say which files hold something, if that is worth it. */
static void look_for_files(struct served_answer *answer, struct command_job *job)
{
    const struct settings *settings = job->settings;
    const struct trawl_plan *plan = job->patterns == NULL ? NULL : job->patterns->plan;
    bool is_small = answer->view->item_count < answer->state->file_count / pass_part(answer);

    /* Files of a state are separated by '\n', whatever ends their lines. */
    if (plan == NULL || !job_may_pass_over(job) || is_small ||
        (settings->whole_lines && settings->line_end != '\n') ||
        pass_is_frequent(answer->server->passes, answer->state, plan))
        return;
    answer->passed = answering_pass(answer, job->patterns); /* else all files are searched */
    answer->silently = job_passes_over_silently(job);
    answer->quickly = answer->passed && answer->silently && all_are_searched(answer);
    for (uint64_t i = 0; answer->silently && i < answer->view->item_count; i++)
        if (holds_nothing(answer, &answer->view->items[i])) {
            job->left_out = false; /* files were searched: no rule left out all of them */
            return;
        }
}

/* ---- Files that are held ----------------------------------------------------------------------
 */

static void begin_files(void *context, struct command_job *job, const struct value_item *operands,
                        size_t operand_count)
{
    struct served_answer *answer = context;

    if (!answering_look(answer, job, operands, operand_count)) {
        job->error_seen = true;
        return;
    }
    answering_begins(answer);
    answer->job = job;
    answer->pass_from =
        answer->state->file_count / ((uint64_t)pass_part(answer) * FIRST_FILES_SHARE);
}

/* Files that hold nothing, in one go: there may be millions. */
static void skip_files(struct served_answer *answer)
{
    const uint32_t *files = answer->view->files;
    const uint8_t *bits = answer->pass.files;
    uint64_t at = answer->item_at, count = answer->view->item_count;

    while (at < count && files[at] != UINT32_MAX && (bits[files[at] / 8] >> files[at] % 8 & 1) == 0)
        at++;
    answer->item_at = at;
}

static bool next_file(void *context, struct walk_item *item)
{
    struct served_answer *answer = context;

    if (answer->job != NULL && answer->item_at >= answer->pass_from) {
        look_for_files(answer, answer->job);
        answer->job = NULL;
    }
    if (answer->quickly)
        skip_files(answer);
    while (answer->view != NULL && answer->item_at < answer->view->item_count &&
           !answering_is_over(answer)) {
        const struct view_item *found = &answer->view->items[answer->item_at++];
        bool nothing = holds_nothing(answer, found);

        if (nothing && answer->silently && !found->is_operand)
            continue;
        memset(item, 0, sizeof *item);
        item->kind = found->kind;
        item->name = found->name;
        item->type = found->type;
        item->is_operand = found->is_operand;
        item->os_code = found->os_code;
        item->holds_nothing = nothing;
        if (found->kind == WALK_FILE)
            item->held = found->file == UINT32_MAX ? &answer->no_file
                                                   : &answer->state->files[found->file]->held;
        return true;
    }
    return false;
}

static int open_file(void *context, const struct walk_item *item)
{
    struct served_answer *answer = context;
    const char *file = (const char *)item->held - offsetof(struct served_file, held);

    return collection_open_file(answer->collection, item->held == &answer->no_file
                                                        ? NULL
                                                        : (const struct served_file *)file);
}

/* ---- The thread -------------------------------------------------------------------------------
 */

/* An answer was cut off: what is written from here on is about that. */
static void tell_cut(struct served_answer *answer, uint8_t *status)
{
    struct output *output = &answer->output;
    bool cut = answer->cut, late = answer->truncated;
    char text[128];

    answer->truncated = true;
    if (cut) {
        output->used = output->committed = 0;
        output->error = 0;
        answer->cut = false;
        answer->lines_left = UINT64_MAX;
    }
    if (answer->request.format != REQUEST_FRAMES) {
        *status = cut ? EXIT_SELECTED : *status;
        return;
    }
    (void)snprintf(text, sizeof text,
                   late ? "--server: there is more, but the server allows %" PRIu64 " s"
                        : "--server: there is more than %" PRIu64 " lines, which the server allows",
                   late ? answer->request.seconds_max : answer->request.results_max);
    output_frame(output, OUTPUT_FRAME_MESSAGE, text, strlen(text));
    *status = EXIT_ERROR;
}

static void add_latency(struct server *server, uint64_t ns)
{
    uint64_t microseconds = ns / 1000;
    unsigned bucket = 0;

    while (bucket < 31 && microseconds > UINT64_C(1) << bucket)
        bucket++;
    server->latency_counts[bucket]++;
    server->latency_ns += ns;
}

static void *work(void *context)
{
    struct served_answer *answer = context;
    struct server *server = answer->server;
    struct settings *settings = &answer->request.settings;
    struct command_job job = {
        .output = &answer->output, .held = &answer->held, .runtime = server->runtime};
    uint64_t running = ++server->running_count;
    uint8_t status;
    bool failed, is_short;
    int http_status;

    settings->threads = server->thread_count / running > 0 ? server->thread_count / running : 1;
    errno = 0;
    status = (uint8_t)(answer->request.format == REQUEST_FILES ? answering_list(answer)
                                                               : job_run(&job, settings));
    failed = status == EXIT_ERROR && !answer->begun;
    /* What the job opened was closed, which keeps errno. */
    is_short = failed && (is_shortage(errno) ||
                          request_refusal(&answer->request.guard, &http_status) != NULL);
    if (failed && (is_short || answer->request.format != REQUEST_FRAMES))
        answering_refuse(answer, is_short ? 503 : 400,
                         *answer->message != '\0' ? answer->message : "the search failed");
    else if (!answer->begun && answer->request.format >= REQUEST_COLUMNS)
        answering_write(answer, NULL);
    answering_begins(answer);
    output_flush(&answer->output);
    if (answer->truncated || answer->cut)
        tell_cut(answer, &status);
    /* Before the last bytes, since who has them ends the answer; a refused one ends at once. */
    if (answer->request.guard.cancelled && answer->http_status == 0)
        server->cancelled_count++;
    else
        add_latency(server, now_ns() - answer->begin_ns);
    server->running_count--;
    output_frame(&answer->output, OUTPUT_FRAME_EXIT, &status, 1);
    answer->whole = answer->output.error == 0;
    output_close(&answer->output);
    close(answer->descriptors[1]);
    answer->descriptors[1] = -1;
    return NULL;
}

/* ---- Which collection -------------------------------------------------------------------------
 */

/* Does the collection hold what the request names? *missing: the first that it does not. */
static bool holds_paths(const struct collection *collection, const struct request *request,
                        const char **missing)
{
    const struct value_list *operands = &request->settings.operands;

    for (size_t i = 0; i < operands->count || (i == 0 && request->directory != NULL); i++) {
        const char *operand = operands->count > 0 ? operands->items[i].text : ".";

        if (operand[0] != '/' && request->directory == NULL)
            continue; /* of the collection's root */
        if (!collection_has(collection, request->directory != NULL ? request->directory : "",
                            operand)) {
            *missing = operands->count > 0 ? operand : request->directory;
            return false;
        }
    }
    return true;
}

/* NULL: message and *http_status. */
static struct collection *choose(const struct server *server, const struct request *request,
                                 int *http_status, char *message)
{
    const char *missing = NULL;
    struct collection *chosen = NULL;
    size_t count = 0;

    *http_status = 404;
    for (size_t i = 0; i < server->collection_count; i++) {
        struct collection_facts facts;

        if (request->collection != NULL) {
            collection_facts(server->collections[i], &facts);
            if (strcmp(facts.name, request->collection) == 0)
                return server->collections[i];
        } else if (holds_paths(server->collections[i], request, &missing)) {
            chosen = chosen == NULL ? server->collections[i] : chosen;
            count++;
        }
    }
    if (request->collection != NULL) {
        (void)snprintf(message, SETTINGS_ERROR_BYTES, "there is no collection '%.200s'",
                       request->collection);
    } else if (chosen == NULL) {
        (void)snprintf(message, SETTINGS_ERROR_BYTES, "no collection holds '%.400s'",
                       missing != NULL ? missing : "");
    } else if (count > 1 && request->directory == NULL) {
        *http_status = request->format == REQUEST_FILES ? 404 : 400;
        (void)snprintf(message, SETTINGS_ERROR_BYTES, "collection: which of the %zu is meant?",
                       count);
        return NULL;
    }
    return chosen;
}

/* ---- The interface ----------------------------------------------------------------------------
 */

static void free_answer(struct served_answer *answer)
{
    if (answer->view != NULL)
        view_drop(answer->view);
    if (answer->state != NULL)
        state_drop(answer->state);
    pass_free(&answer->pass);
    for (int i = 0; i < 2; i++)
        if (answer->descriptors[i] >= 0)
            close(answer->descriptors[i]);
    request_free(&answer->request);
    free(answer->kept);
    pthread_mutex_destroy(&answer->lock);
    free(answer);
}

static bool start(struct served_answer *answer)
{
    struct surroundings *surroundings = &answer->request.settings.surroundings;
    struct collection_facts facts;

    if (pipe2(answer->descriptors, O_CLOEXEC) != 0) {
        answer->descriptors[0] = answer->descriptors[1] = -1;
        return false;
    }
    (void)fcntl(answer->descriptors[1], F_SETPIPE_SZ, PIPE_BYTES);
    collection_facts(answer->collection, &facts);
    surroundings->directory =
        answer->request.directory != NULL ? answer->request.directory : facts.root;
    output_open(&answer->output, -1);
    answer->output.sink = answering_sink;
    answer->output.sink_context = answer;
    answer->lines_left = answer->request.results_max;
    answer->line_end =
        answer->request.settings.null_data || (answer->request.settings.null_after_name &&
                                               answer->request.settings.list != LIST_NONE)
            ? '\0'
            : '\n';
    answer->request.guard.deadline_ns =
        answer->begin_ns +
        (answer->request.seconds_max < SECONDS_MAX ? answer->request.seconds_max : SECONDS_MAX) *
            SECOND_NS;
    return pthread_create(&answer->thread, NULL, work, answer) == 0;
}

struct served_answer *answer_begin(struct server *server, struct request *request, uint64_t client,
                                   int *http_status, char *message)
{
    struct collection *collection = choose(server, request, http_status, message);
    struct served_answer *answer = collection == NULL || !guard_take(&request->guard, ANSWER_BYTES)
                                       ? NULL
                                       : malloc(sizeof *answer);

    if (answer == NULL) {
        if (collection != NULL) {
            const char *why = request_refusal(&request->guard, http_status);

            (void)snprintf(message, SETTINGS_ERROR_BYTES, "%s",
                           why != NULL ? why : "memory exhausted");
        }
        request_free(request);
        return NULL;
    }
    memset(answer, 0, offsetof(struct served_answer, output));
    answer->server = server;
    answer->request = *request;
    answer->request.settings.guard = &answer->request.guard;
    memset(request, 0, sizeof *request);
    answer->collection = collection;
    answer->client = client;
    answer->begin_ns = now_ns();
    answer->held =
        (struct held){answer, begin_files, next_file, open_file,
                      answer->request.format >= REQUEST_COLUMNS ? answering_count : NULL};
    answer->descriptors[0] = answer->descriptors[1] = -1;
    answer->shared_count = 1;
    pthread_mutex_init(&answer->lock, NULL);
    if (!start(answer)) {
        *http_status = 503;
        (void)snprintf(message, SETTINGS_ERROR_BYTES, "no search can begin: %s", strerror(errno));
        free_answer(answer);
        return NULL;
    }
    server->request_count[answer->request.format]++;
    return answer;
}

/* Ends the search when its time is over. */
static bool wait_for_bytes(struct served_answer *answer, int connection)
{
    struct pollfd ends[] = {{answer->descriptors[0], POLLIN, 0}, {connection, POLLRDHUP, 0}};

    for (;;) {
        uint64_t now = now_ns();
        uint64_t deadline_ns = answer->request.guard.deadline_ns;
        bool in_time = now < deadline_ns;
        int wait_ms = in_time ? (int)((deadline_ns - now) / 1000000 % INT_MAX) + 1 : -1;
        int count;

        if (!in_time && !answer->truncated)
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
        got = read(answer->descriptors[0], to, room);
    while (got < 0 && errno == EINTR);
    return got == 0 && !answer->whole ? -1 : got;
}

void answer_end(struct served_answer *answer)
{
    pthread_mutex_lock(&answer->lock);
    answer->request.guard.cancelled = true;
    end_pass(answer);
    pthread_mutex_unlock(&answer->lock);
    close(answer->descriptors[0]);
    answer->descriptors[0] = -1;
    (void)pthread_join(answer->thread, NULL);
    free_answer(answer);
}
