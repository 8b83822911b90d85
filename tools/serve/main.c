/* main: the server, from its command line to its end. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "serve/http.h"
#include "serve/options.h"
#include "trawl/interrupt.h"
#include "trawl/message.h"
#include "trawl/run.h"
#include "trawl/searchers.h"
#include "trawl/version.h"
#include "trawl/whole.h"

#define LOOK_NS 50000000L /* between looks at what goes on, while something does */
#define MAPPED_BYTES_MIN (32 << 20)

/* Static, since it is large. */
static struct output standard_output;

struct serving {
    struct serve_options options;
    struct server server;
    struct listener listener;
    struct http *http;
    char *token, *certificate, *key;
    bool *is_loading; /* for each collection: it is not yet said that it is loaded */
    sigset_t signals;
};

static bool fail(char *message, const char *what, const char *why)
{
    (void)snprintf(message, SETTINGS_ERROR_BYTES, "%s: %s", what, why);
    return false;
}

/* All of a file; NULL in *text where no file is named. */
static bool read_secret(const char *path, char **text, char *message)
{
    size_t bytes_count;

    if (path == NULL)
        return true;
    if (!whole_read(path, text, &bytes_count, message))
        return false;
    (*text)[bytes_count] = '\0'; /* where the file's end was looked for */
    return true;
}

/* Certificates and token; what is not loopback needs all of them. */
static bool read_secrets(struct serving *serving, char *message)
{
    const struct serve_options *options = &serving->options;

    if (!read_secret(options->token_file, &serving->token, message) ||
        !read_secret(options->certificate, &serving->certificate, message) ||
        !read_secret(options->key, &serving->key, message))
        return false;
    if (serving->token != NULL) {
        serving->token[strcspn(serving->token, "\r\n")] = '\0';
        if (*serving->token == '\0')
            return fail(message, options->token_file, "the token is empty");
    }
    if ((serving->certificate == NULL) != (serving->key == NULL))
        return fail(message, "--certificate, --key", "one needs the other");
    if (serving->certificate != NULL && serving->listener.is_unix)
        return fail(message, "--certificate", "a Unix socket has no TLS");
    if (serving->listener.is_loopback || (serving->token != NULL && serving->certificate != NULL))
        return true;
    return fail(message, serving->listener.shown,
                "other machines reach this address, so --token-file, --certificate and --key are "
                "needed");
}

static bool open_runtime(struct serving *serving, char *message)
{
    struct trawl_runtime_options wanted = TRAWL_RUNTIME_OPTIONS_INIT;
    const struct settings *settings = &serving->options.settings;
    struct trawl_error error;

    wanted.engine = searchers_engine(settings, NULL);
    wanted.threads = (uint32_t)settings->threads;
    wanted.device_memory_bytes = serving->options.device_bytes;
    if (trawl_runtime_open(&wanted, &serving->server.runtime, &error) == TRAWL_OK)
        return true;
    return fail(message, "--engine", error.message);
}

static bool open_collections(struct serving *serving, char *message)
{
    struct serve_options *options = &serving->options;
    struct server *server = &serving->server;

    server->collections = calloc(options->root_count, sizeof(struct collection *));
    serving->is_loading = calloc(options->root_count, sizeof *serving->is_loading);
    if (server->collections == NULL || serving->is_loading == NULL)
        return fail(message, "the collections", "memory exhausted");
    for (size_t i = 0; i < options->root_count; i++) {
        const struct collection_options wanted = {
            .name = options->roots[i].name,
            .root = options->roots[i].path,
            .settings = &options->settings,
            .runtime = server->runtime,
            .host_bytes_max = options->host_bytes / options->root_count,
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
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    server->limits = options->limits;
    server->thread_count = options->settings.threads > 0 ? (uint32_t)options->settings.threads
                           : cores > 0                   ? (uint32_t)cores
                                                         : 1;
    if (!listen_open(&serving->listener, options->listen, message) ||
        !read_secrets(serving, message) || !open_runtime(serving, message) ||
        !passes_open(&server->passes, server->runtime, message) ||
        !open_collections(serving, message))
        return false;
    wanted.listener = &serving->listener;
    wanted.token = serving->token;
    wanted.certificate = serving->certificate;
    wanted.key = serving->key;
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
    free(serving->token);
    free(serving->certificate);
    free(serving->key);
}

/* Say what was loaded since the last look. Returns whether something is loading. */
static bool report_loaded(struct serving *serving)
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

/* The signal that came; 0: none within the time, in nanoseconds, < 0: any time. */
static int wait_signal(const sigset_t *signals, long wait_ns)
{
    const struct timespec wait = {.tv_sec = 0, .tv_nsec = wait_ns};
    int number;

    do
        number = wait_ns < 0 ? sigwaitinfo(signals, NULL) : sigtimedwait(signals, NULL, &wait);
    while (number < 0 && errno == EINTR);
    return number > 0 ? number : 0;
}

static void reload(struct serving *serving)
{
    for (size_t i = 0; i < serving->server.collection_count; i++) {
        collection_reload(serving->server.collections[i]);
        serving->is_loading[i] = true;
    }
}

/* Until the last answer is sent, or its time is over, or another signal comes. */
static void drain(struct serving *serving)
{
    uint64_t looks = serving->options.drain_seconds * UINT64_C(1000000000) / LOOK_NS;

    listen_notify("STOPPING=1");
    http_quiesce(serving->http);
    listen_close(&serving->listener);
    while (http_running(serving->http) > 0 && looks-- > 0) {
        int number = wait_signal(&serving->signals, LOOK_NS);

        if (number == SIGTERM || number == SIGINT)
            _exit(EXIT_ERROR);
    }
}

static void serve(struct serving *serving)
{
    bool loading = true;

    message_print("serves at %s%s",
                  serving->listener.is_unix      ? ""
                  : serving->certificate != NULL ? "https://"
                                                 : "http://",
                  serving->listener.shown);
    listen_notify("READY=1");
    for (;;) {
        int number = wait_signal(&serving->signals, loading ? LOOK_NS : -1);

        if (number == SIGTERM || number == SIGINT)
            break;
        if (number == SIGHUP)
            reload(serving);
        loading = report_loaded(serving);
    }
    drain(serving);
}

/* Standard input is the null device; what else is closed, too, so that no socket gets its number.
 */
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

/* Signals are for wait_signal, and a client or a file that goes away is no reason to end. */
static void set_up_process(struct serving *serving)
{
    struct rlimit limit;

    /* What a request takes and gives back is to stay mapped: 64 threads that map and unmap wait for
     * each other. */
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN);
    (void)mallopt(M_TRIM_THRESHOLD, 2 * MAPPED_BYTES_MIN);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(&serving->signals);
    (void)sigaddset(&serving->signals, SIGHUP);
    (void)sigaddset(&serving->signals, SIGTERM);
    (void)sigaddset(&serving->signals, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &serving->signals, NULL);
    interrupt_guard_maps();
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int print_document(const struct serve_options *options)
{
    struct command_job job = {.output = &standard_output};

    if (options->help)
        serve_options_print_help(&standard_output);
    else if (options->manual)
        serve_options_print_manual(&standard_output);
    else
        version_print(&standard_output);
    return job_end_document(&job);
}

int main(int argument_count, char **arguments)
{
    static struct serving serving;
    char message[SETTINGS_ERROR_BYTES] = "";
    int status = EXIT_ERROR;

    serving.listener.descriptor = -1;
    output_open(&standard_output, STDOUT_FILENO);
    if (!take_standard_descriptors()) {
        message_print("/dev/null: %s", strerror(errno));
    } else if (!serve_options_read(&serving.options, argument_count, arguments, message)) {
        message_print("%s", message);
    } else if (serving.options.help || serving.options.version || serving.options.manual) {
        status = print_document(&serving.options);
    } else {
        set_up_process(&serving);
        if (open_all(&serving, message)) {
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
