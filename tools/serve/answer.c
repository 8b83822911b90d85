/* answer: answers a request: takes the request's settings and writes the bytes of the answer.
 *
 * Each answer has a thread, which runs the same job as the command. The job's files come from a
 * view of the collection's state instead of a walk of directories. Often the output shows nothing
 * but the name of a file without an occurrence. Then a pass, which several requests may share,
 * first finds the files with an occurrence.
 */
#include "serve/answer.h"

#include <dirent.h>
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
#include "trawl/command_clock.h"
#include "trawl/grow.h"
#include "trawl/input.h"
#include "trawl/print.h"
#include "trawl/run.h"

#define PIPE_BYTES (1 << 20) /* size of an answer's pipe */
#define LATE_MS 100  /* after the deadline: time from one cancellation of searches to the next */
#define LOOK_MS 1000 /* time between two looks whether the server is ending */
/* A pass searches all files of a state. A pass pays if the view has at least 1 / PASS_PART of the
 * state's files. On devices that part is smaller, since a device searches a text about 100 times as
 * fast as the host searches the same text file by file. */
#define PASS_PART_DEVICE 256u
#define PASS_PART_HOST 4u
/* Before a pass, the job searches some files one by one, so that the first lines come early. The
 * number of these files is 1 / FIRST_FILES_SHARE of the least number for which a pass pays. */
#define FIRST_FILES_SHARE 16u

/* ---- Passes -----------------------------------------------------------------------------------
 */

/* Cancels the answer's pass if pass_run is running, and what the job's searchers do. The caller
 * holds answer->lock. */
static void end_searches(struct served_answer *answer)
{
    if (answer->passing)
        pass_cancel(answer->server->passes, &answer->pass);
    for (size_t i = 0; i < answer->searcher_count; i++)
        trawl_searcher_cancel(answer->searchers[i]);
}

/* The function `watch` of struct supply: keeps the searcher for end_searches; NULL: forgets all
 * searchers. */
static bool watch(void *context, struct trawl_searcher *searcher)
{
    struct served_answer *answer = context;
    struct trawl_searcher **searchers;

    pthread_mutex_lock(&answer->lock);
    searchers = grown(answer->searchers, &answer->searcher_capacity, 8, answer->searcher_count + 1,
                      sizeof(struct trawl_searcher *));
    if (searchers != NULL) {
        answer->searchers = searchers;
        searchers[answer->searcher_count++] = searcher;
    }
    if (searcher == NULL)
        answer->searcher_count = 0;
    pthread_mutex_unlock(&answer->lock);
    return searchers != NULL;
}

/* Marks the answer as truncated by the deadline, and cancels the answer's searches. */
static void expire(struct served_answer *answer)
{
    pthread_mutex_lock(&answer->lock);
    answer->truncated = true;
    end_searches(answer);
    pthread_mutex_unlock(&answer->lock);
}

/* Returns whether the job searches the own or unpacked bytes of every file, as a pass does, and
 * none can be the job's own output. Decides without looking at each file. */
static bool none_is_converted(const struct settings *settings)
{
    return !settings->search_zip &&
           (settings->encoding == NULL || strcmp(settings->encoding, "none") == 0) &&
           !settings->surroundings.output_is_regular;
}

/* Returns whether a pass has shown that the item's file contains no string of the plan. Returns
 * false if there was no pass, or if the pass searched other bytes than the job would. A file whose
 * bit is not set is held, and the block has the bytes that the job would search, unless the job
 * converts these bytes. */
static bool holds_nothing(const struct served_answer *answer, uint32_t item)
{
    const struct settings *settings = &answer->request.settings;
    const struct served_file *file;

    if (!answer->passed || item >= VIEW_SPECIAL ||
        (answer->pass.files[item / 8] >> item % 8 & 1) != 0)
        return false;
    file = answer->state->files[item];
    return !input_is_converted(settings, file->block->bytes + file->block_begin,
                               file->supplied.bytes_count) &&
           !job_is_own_output(settings, &file->supplied.status);
}

/* Returns PASS_PART_DEVICE if the state's largest block is on a device, else PASS_PART_HOST. */
static unsigned pass_part(const struct served_answer *answer)
{
    bool on_device = answer->state->block_count > 0 && answer->state->blocks[0].block->on_device;

    return on_device ? PASS_PART_DEVICE : PASS_PART_HOST;
}

/* Runs a pass that finds the files with an occurrence, if a pass is worth its cost. */
static void look_for_files(struct served_answer *answer, struct command_job *job)
{
    const struct trawl_plan *plan = job->patterns == NULL ? NULL : job->patterns->plan;
    bool is_small = answer->view->file_count < answer->state->file_count / pass_part(answer);

    if (plan == NULL || !job_may_pass_over(job) || is_small ||
        pass_is_frequent(answer->server->passes, answer->state, plan))
        return;
    answer->passed = answering_pass(answer, job->patterns); /* false: the job searches all files */
    answer->silently = job_passes_over_silently(job);
    answer->counts = job->settings->json;
    answer->quickly =
        answer->passed && answer->silently && !answer->counts && none_is_converted(job->settings);
    for (uint64_t i = 0; answer->silently && i < answer->view->file_count; i++)
        if (holds_nothing(answer, answer->view->files[i])) {
            job->has_searched = true;
            return;
        }
}

/* ---- The job's files ------------------------------------------------------------------------- */

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

/* Advances item_at past all files without an occurrence, in one loop, since there may be
 * millions. */
static void skip_files(struct served_answer *answer)
{
    const uint32_t *files = answer->view->files;
    const uint8_t *bits = answer->pass.files;
    uint64_t at = answer->item_at, count = answer->view->file_count;

    while (at < count && files[at] < VIEW_SPECIAL &&
           (bits[files[at] / 8] >> files[at] % 8 & 1) == 0)
        at++;
    answer->item_at = at;
}

static bool next_file(void *context, struct walk_item *item)
{
    struct served_answer *answer = context;
    const struct served_view *view = answer->view;

    if (answer->job != NULL && answer->item_at >= answer->pass_from) {
        look_for_files(answer, answer->job);
        answer->job = NULL;
    }
    if (answer->quickly)
        skip_files(answer);
    while (view != NULL && answer->item_at < view->file_count && !answering_is_over(answer)) {
        uint64_t at = answer->item_at++;
        uint32_t found = view->files[at];
        const struct view_special *special =
            found >= VIEW_SPECIAL ? &view->specials[found - VIEW_SPECIAL] : NULL;
        const struct served_file *file = special == NULL ? answer->state->files[found] : NULL;
        bool nothing = holds_nothing(answer, found);

        if (nothing && answer->silently &&
            !(answer->counts && answer->item_at == view->file_count)) {
            answer->passed_files++;
            answer->passed_bytes += file->supplied.bytes_count;
            continue;
        }
        memset(item, 0, sizeof *item);
        item->passed_files = answer->counts ? answer->passed_files : 0;
        item->passed_bytes = answer->passed_bytes;
        answer->passed_files = answer->passed_bytes = 0;
        item->kind = special != NULL ? special->kind : WALK_FILE;
        item->name = view_name(view, answer->state, at, &answer->names);
        item->type = special != NULL ? DT_UNKNOWN : DT_REG;
        item->is_operand = special != NULL || view->parts[answer->names.part].is_operand;
        item->os_code = special != NULL ? special->os_code : 0;
        item->holds_nothing = nothing;
        if (item->kind == WALK_FILE)
            item->supplied = file == NULL ? &answer->no_file : &file->supplied;
        if (item->name == NULL)
            *item = (struct walk_item){
                .kind = WALK_ERROR, .name = "", .is_operand = true, .os_code = ENOMEM};
        return true;
    }
    return false;
}

static int open_file(void *context, const struct walk_item *item)
{
    struct served_answer *answer = context;
    const char *file = (const char *)item->supplied - offsetof(struct served_file, supplied);

    return collection_open_file(answer->collection, item->supplied == &answer->no_file
                                                        ? NULL
                                                        : (const struct served_file *)file);
}

/* ---- The thread -------------------------------------------------------------------------------
 */

/* Ends an answer that stopped early, so that the client gets a status behind the lines so far. As
 * frames, the client gets a message that says what ended the answer. As JSON, the member
 * `truncated` of the last line is true if a limit ended the answer. */
static void tell_cut(struct served_answer *answer, bool selected, uint8_t *status)
{
    struct output *output = &answer->output;
    bool cut = answer->cut, late = answer->truncated, is_limited = cut || late;
    bool has_stopped = output->error != 0;
    char text[128] = "--server: the answer was cut off: memory exhausted";

    answer->truncated = is_limited;
    answer->cut = false;
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

static void add_latency(struct server *server, uint64_t ns)
{
    uint64_t microseconds = ns / 1000;
    unsigned bucket = 0;

    while (bucket < 31 && microseconds > UINT64_C(1) << bucket)
        bucket++;
    server->latency_counts[bucket]++;
    server->latency_ns += ns;
}

/* Writes the last frame: the status, and for parts of a larger answer what is between the parts. */
static void write_exit(struct served_answer *answer, uint8_t status, bool groups_printed)
{
    struct output *output = &answer->output;
    bool is_part = answer->request.is_part && answer->request.format == REQUEST_FRAMES;
    size_t bytes_count;

    output_flush(output);
    if (is_part && groups_printed)
        status |= EXIT_GROUPS;
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
    bool failed, is_short, is_too_large;
    int http_status;

    settings->threads = server->thread_count / running > 0 ? server->thread_count / running : 1;
    job.groups = answer->request.is_continued ? GROUPS_BEFORE : GROUPS_NONE;
    errno = 0;
    status = (uint8_t)(answer->request.format == REQUEST_FILES ? answering_list(answer)
                                                               : job_run(&job, settings));
    failed = status == EXIT_ERROR && !answer->begun;
    is_too_large = errno == EFBIG; /* of patterns_plan */
    /* errno still says why the job failed: the job closes its files without changing errno. */
    is_short = failed && (is_shortage(errno) ||
                          request_refusal(&answer->request.guard, &http_status) != NULL);
    if (failed && (is_short || answer->request.format != REQUEST_FRAMES))
        answering_refuse(answer,
                         is_short       ? 503
                         : is_too_large ? 413
                                        : 400,
                         *answer->message != '\0' ? answer->message : "the search failed");
    else if (!answer->begun && answer->request.format >= REQUEST_COLUMNS)
        answering_write(answer, NULL);
    answering_begins(answer);
    output_flush(&answer->output);
    if (answer->request.format <= REQUEST_FRAMES &&
        (answer->truncated || answer->cut || answer->output.error != 0))
        tell_cut(answer, job.selected, &status);
    /* Count the answer before its last bytes are written: a client that has read the last bytes
     * ends the answer, which sets `cancelled`. A refused request is ended at once, so `cancelled`
     * does not mean that the client went away. */
    if (answer->request.guard.cancelled && answer->http_status == 0)
        server->cancelled_count++;
    else
        add_latency(server, now_ns() - answer->begin_ns);
    server->running_count--;
    write_exit(answer, status, job.groups == GROUPS_PRINTED);
    answer->whole = answer->output.error == 0;
    output_close(&answer->output);
    close(answer->descriptors[1]);
    answer->descriptors[1] = -1;
    return NULL;
}

/* ---- Which collection -------------------------------------------------------------------------
 */

/* Returns whether the collection holds each path that the request names; collection NULL: whether
 * for each path there is a collection of the server that holds the path. *missing is the first path
 * that is not held. */
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

/* Returns the collection that the request names, or the one that holds the request's paths. NULL:
 * message and *http_status say why there is none. */
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
        } else if (holds_paths(server, server->collections[i], request, &missing)) {
            chosen = chosen == NULL ? server->collections[i] : chosen;
            count++;
        }
    }
    if (request->collection != NULL) {
        (void)snprintf(message, SETTINGS_ERROR_BYTES, "there is no collection '%.200s'",
                       request->collection);
    } else if (chosen == NULL && holds_paths(server, NULL, request, &missing)) {
        (void)snprintf(message, SETTINGS_ERROR_BYTES,
                       "paths: no single collection holds all paths of the request");
    } else if (chosen == NULL) {
        (void)snprintf(message, SETTINGS_ERROR_BYTES, "no collection holds '%.400s'",
                       missing != NULL ? missing : "");
    } else if (count > 1 && request->directory == NULL) {
        *http_status = request->format == REQUEST_FILES ? 404 : 400;
        (void)snprintf(message, SETTINGS_ERROR_BYTES,
                       "collection: the request has to name one of the %zu collections", count);
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
    free(answer->names.bytes);
    free(answer->kept);
    free(answer->file_end);
    free(answer->searchers);
    pthread_mutex_destroy(&answer->lock);
    free(answer);
}

/* Returns the byte that ends a line of output. A line of JSON always ends in '\n'. */
static uint8_t line_end_of(const struct request *request)
{
    const struct settings *settings = &request->settings;
    bool names_end = settings->null_after_name && settings->list != LIST_NONE;

    return request->format == REQUEST_FRAMES && (settings->null_data || names_end) ? '\0' : '\n';
}

/* Opens the pipe and starts the answer's thread. False: errno may say why. */
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
    answer->line_end = line_end_of(&answer->request);
    /* request_limits and --max-seconds have less than 2^32 seconds. */
    answer->request.guard.deadline_ns = answer->begin_ns + answer->request.seconds_max * SECOND_NS;
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
    answer->request.guard.thread_count = (uint32_t)server->thread_count;
    memset(request, 0, sizeof *request);
    answer->collection = collection;
    answer->client = client;
    answer->begin_ns = now_ns();
    answer->supply = (struct supply){
        answer,    begin_files, next_file,
        open_file, watch,       answer->request.format >= REQUEST_COLUMNS ? answering_count : NULL};
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

/* Waits until the pipe has bytes or the writing end is closed. When the deadline has passed or the
 * server ends, ends the searches again and again, since the job may just be beginning a search.
 * Returns false if the client closed its connection. */
static bool wait_for_bytes(struct served_answer *answer, int connection)
{
    struct pollfd ends[] = {{answer->descriptors[0], POLLIN, 0}, {connection, POLLRDHUP, 0}};

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
        got = read(answer->descriptors[0], to, room);
    while (got < 0 && errno == EINTR);
    return got == 0 && !answer->whole ? -1 : got;
}

void answer_end(struct served_answer *answer)
{
    pthread_mutex_lock(&answer->lock);
    answer->request.guard.cancelled = true;
    end_searches(answer);
    pthread_mutex_unlock(&answer->lock);
    close(answer->descriptors[0]);
    answer->descriptors[0] = -1;
    (void)pthread_join(answer->thread, NULL);
    free_answer(answer);
}
