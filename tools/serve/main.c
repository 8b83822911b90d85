/* main: starts the server, handles signals, and ends the server.
 *
 * To read the server's code, follow a request: http.h receives it, request.h parses its JSON,
 * response.h makes the response from a collection (collection.h: states, blocks and views of
 * files), and pass.h searches for several requests at once. watch.h and refresh.c keep the
 * collection up to date with its files.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "serve/json.h"
#include "serve/http.h"
#include "trawl/text/groups.h"
#include "serve/serve_options.h"
#include "trawl/text/bus.h"
#include "trawl/text/message.h"
#include "trawl/run/run.h"
#include "trawl/job/searchers.h"
#include "trawl/text/thread.h"

/* milliseconds between two checks, while collections load or answers are completed */
#define LOOK_MS 50
#define LAST_MS 2000
#define MAPPED_BYTES_MIN (4 << 20)

/* Static, because the buffer is too large for the stack. */
static struct output standard_output;

struct serving {
    struct serve_options options;
    struct server server;
    struct listener listener;
    struct http *http;
    /* For each collection: whether the message that it is loaded must still be printed. */
    bool *is_loading;
};

/* Reads the token, the certificate and the key. If other machines can reach the address, all three
 * are required. Returns false on failure; message says why. */
static bool read_secrets(const struct serving *serving, char *message)
{
    const struct secret_files *files = &serving->options.secrets;

    if (files->certificate != NULL && serving->listener.is_unix)
        return message_fail(message, "%s: %s", "--certificate", "a Unix socket has no TLS");
    if (!serving->listener.is_loopback && (files->token == NULL || files->certificate == NULL))
        return message_fail(
            message, "%s: %s", serving->listener.shown,
            "other machines can reach this address, so give --token-file, --certificate and "
            "--key");
    return secrets_read(files, message);
}

static bool open_runtime(struct serving *serving, char *message)
{
    struct trawl_searcher_options wanted = TRAWL_SEARCHER_OPTIONS_INIT;
    const struct settings *settings = &serving->options.settings;
    struct trawl_error error;

    wanted.engine = searchers_engine(settings, NULL);
    wanted.threads = (uint32_t)settings->search.threads;
    wanted.device_memory_bytes = serving->options.device_bytes;
    if (trawl_runtime_open(&wanted, &serving->server.runtime, &error) == TRAWL_OK)
        return true;
    return message_fail(message, "%s: %s", "--engine", error.message);
}

static bool open_collections(struct serving *serving, char *message)
{
    struct serve_options *options = &serving->options;
    struct server *server = &serving->server;
    uint64_t host_bytes = options->host_bytes > 0 ? options->host_bytes : groups_memory("") / 2;

    server->collections = calloc(options->root_count, sizeof(struct collection *));
    serving->is_loading = calloc(options->root_count, sizeof *serving->is_loading);
    if (server->collections == NULL || serving->is_loading == NULL)
        return message_fail(message, "the collections: memory exhausted");
    for (size_t i = 0; i < options->root_count; i++) {
        const struct collection_options wanted = {
            .name = options->roots[i].name,
            .root = options->roots[i].path,
            .settings = &options->settings,
            .from = options->from,
            .until = options->until,
            .runtime = server->runtime,
            /* at least 1, because 0 would mean half of the free memory */
            .host_bytes_max =
                host_bytes >= options->root_count ? host_bytes / options->root_count : 1,
            .no_filter = options->no_filter,
            .watch = true,
        };

        if (!collection_open(&server->collections[i], &wanted, message))
            return false;
        serving->is_loading[i] = true;
        server->collection_count++;
    }
    return true;
}

static bool open_all(struct serving *serving, char *message)
{
    const struct serve_options *options = &serving->options;
    struct server *server = &serving->server;
    struct http_options wanted = options->http;

    server->all.bytes_max =
        options->request_bytes > 0 ? options->request_bytes : groups_memory("") / 4;
    server->link = options->link;
    server->limits = options->limits;
    server->limits.all = &server->all;
    if (server->limits.memory_max > server->all.bytes_max)
        server->limits.memory_max = server->all.bytes_max;
    server->thread_count = searchers_threads(&options->settings);
    server->all.thread_count = server->thread_count;
    if (!listen_open(&serving->listener, options->listen, message) ||
        !read_secrets(serving, message) || !open_runtime(serving, message) ||
        !passes_open(&server->passes, server->runtime, message) ||
        !open_collections(serving, message))
        return false;
    wanted.listener = &serving->listener;
    wanted.is_tls = options->secrets.certificate != NULL;
    return http_open(&serving->http, server, &wanted, message);
}

static void close_all(struct serving *serving)
{
    struct server *server = &serving->server;
    struct trawl_error error;

    if (serving->http != NULL)
        http_close(serving->http);
    for (size_t i = 0; i < server->collection_count; i++)
        collection_close(server->collections[i]);
    if (server->passes != NULL)
        passes_close(server->passes);
    if (server->runtime != NULL)
        (void)trawl_runtime_close(server->runtime, &error);
    listen_close(&serving->listener);
    free(server->collections);
    free(serving->is_loading);
    secrets_free();
}

/* Prints a message for each collection that has been loaded since the last call. Returns true if
 * some collection is still loading. */
static bool report_loaded_collections(struct serving *serving)
{
    bool any = false;

    for (size_t i = 0; i < serving->server.collection_count; i++) {
        struct collection_facts facts;

        if (!serving->is_loading[i])
            continue;
        collection_facts(serving->server.collections[i], &facts);
        serving->is_loading[i] = facts.loading;
        any = any || facts.loading;
        if (!facts.loading)
            message_print("%s: %" PRIu64 " files, %" PRIu64 " bytes: %" PRIu64
                          " in memory, %" PRIu64 " on devices; loaded in %.3f s",
                          facts.name, facts.file_count, facts.bytes_count, facts.held_bytes,
                          facts.device_bytes, (double)facts.load_ns * 1e-9);
    }
    return any;
}

static atomic_int end_count; /* number of signals SIGTERM and SIGINT so far */
static atomic_bool is_hung_up;
static int signal_event = -1;

/* Handles a signal. A second SIGTERM or SIGINT ends the process immediately. */
static void at_signal(int number)
{
    uint64_t one = 1;
    int os_code = errno;

    if (number == SIGHUP)
        is_hung_up = true;
    else if (atomic_fetch_add(&end_count, 1) > 0)
        _exit(EXIT_ERROR);
    (void)!write(signal_event, &one, sizeof one);
    errno = os_code;
}

static bool take_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGTERM, SIGINT};
    struct sigaction action = {.sa_handler = at_signal, .sa_flags = SA_RESTART};

    (void)signal(SIGPIPE, SIG_IGN);
    signal_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        (void)sigaction(numbers[i], &action, NULL);
    return signal_event >= 0;
}

/* Waits for a signal, at most wait_ms milliseconds; wait_ms < 0: without limit. */
static void wait_signal(int wait_ms)
{
    struct pollfd event = {signal_event, POLLIN, 0};
    uint64_t ignored;

    if (poll(&event, 1, wait_ms) > 0)
        (void)!read(signal_event, &ignored, sizeof ignored);
}

/* Reads the secrets again, first and at once, then the files. */
static void reload(struct serving *serving)
{
    char message[SETTINGS_ERROR_BYTES];

    if (!secrets_read(&serving->options.secrets, message))
        message_print("%s; the old secrets stay", message);
    for (size_t i = 0; i < serving->server.collection_count; i++) {
        collection_reload(serving->server.collections[i]);
        serving->is_loading[i] = true;
    }
}

/* Stops listening, then waits for the last answer to be sent, at most drain_seconds. After that,
 * unfinished answers get LAST_MS to end with a status. */
static void drain(struct serving *serving)
{
    uint64_t looks = serving->options.drain_seconds * 1000 / LOOK_MS;

    listen_notify("STOPPING=1");
    http_quiesce(serving->http);
    listen_close(&serving->listener);
    for (looks += LAST_MS / LOOK_MS; http_running(serving->http) > 0 && looks > 0; looks--) {
        serving->server.is_ending = looks <= LAST_MS / LOOK_MS;
        wait_signal(LOOK_MS);
    }
}

static void serve(struct serving *serving)
{
    bool loading;

    message_print("serves at %s%s",
                  serving->listener.is_unix                      ? ""
                  : serving->options.secrets.certificate != NULL ? "https://"
                                                                 : "http://",
                  serving->listener.shown);
    listen_notify("READY=1");
    while (end_count == 0) {
        if (atomic_exchange(&is_hung_up, false))
            reload(serving);
        loading = report_loaded_collections(serving);
        wait_signal(loading ? LOOK_MS : -1);
    }
    drain(serving);
}

/* Opens the null device as standard input, and as standard output or standard error if that is
 * closed, so that no socket gets the descriptor 1 or 2. */
static bool take_standard_descriptors(void)
{
    int null = open("/dev/null", O_RDWR);

    while (null >= 0 && null <= STDERR_FILENO)
        null = dup(null);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0)
        return false;
    (void)close(null);
    return true;
}

/* Prepares the process: neither a client that disconnects nor a file that shrinks may end it. */
static bool set_up_process(void)
{
    struct rlimit limit;

    /* Let malloc keep some memory that requests free: otherwise many threads that map and unmap
     * memory would wait for each other. It keeps this much for each of its arenas, of which there
     * are up to 8 per core, so 32 MiB were too much: 40 long lists of columns left 440 MB. */
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN);
    (void)mallopt(M_TRIM_THRESHOLD, 2 * MAPPED_BYTES_MIN);
    bus_install_handler();
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    return take_signals();
}

static int print_document(const struct serve_options *options)
{
    struct command_job job = {.output = &standard_output};

    if (options->help)
        serve_options_print_help(&standard_output);
    else if (options->manual)
        serve_options_print_manual(&standard_output);
    else if (options->answers)
        json_answers_print(&standard_output);
    else
        version_print(&standard_output);
    return run_end_document(&job);
}

int main(int argument_count, char **arguments)
{
    static struct serving serving;
    char message[SETTINGS_ERROR_BYTES] = "";
    int status = EXIT_ERROR;

    message_name = "trawl-serve";
    serving.listener.descriptor = -1;
    output_open(&standard_output, STDOUT_FILENO);
    if (!take_standard_descriptors()) {
        message_print("/dev/null: %s", strerror(errno));
    } else if (!serve_options_read(&serving.options, argument_count, arguments, message)) {
        message_print("%s", message);
    } else if (serving.options.help || serving.options.version || serving.options.manual ||
               serving.options.answers) {
        status = print_document(&serving.options);
    } else {
        if (!set_up_process()) {
            message_print("eventfd: %s", strerror(errno));
        } else if (open_all(&serving, message)) {
            serve(&serving);
            status = EXIT_SELECTED;
        } else {
            message_print("%s", message);
        }
        close_all(&serving);
    }
    serve_options_free(&serving.options);
    output_close(&standard_output);
    return status;
}
