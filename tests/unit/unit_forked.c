/* unit_forked: checks that a child of fork() can use and close all that its parent has opened, at
 * whatever moment the parent forks. A call that the parent had begun fails in the child. No call
 * may hang: each child has WAIT_S seconds. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "runtime/runtime.h"

#define TEXT_BYTES (1u << 20)
#define PERIOD 10u /* a match begins every 10 bytes */
#define MATCHES ((TEXT_BYTES + PERIOD - 1) / PERIOD)
#define WAIT_S 60u

static uint8_t bytes[TEXT_BYTES];
static char path[] = "/tmp/trawl-forked-XXXXXX";

/* The objects that the parent has open when it forks. */
struct opened {
    struct trawl_runtime *runtime;
    struct trawl_searcher *idle, *busy, *pulling;
    struct trawl_plan *plan, *set;
    struct trawl_plan *expression; /* needs PCRE2; NULL: that is not installed */
    struct trawl_text *memory, *file;
    struct trawl_search *search;
    _Atomic bool ends;
    bool forks; /* the sink forks at the next matches */
    pid_t child;
};

/* Searches repeatedly, so that threads are inside the library while the process forks. */
static void *search_on(void *context)
{
    struct opened *opened = (struct opened *)context;
    uint64_t count = 0;

    while (!atomic_load(&opened->ends))
        if (trawl_count(opened->busy, opened->plan, opened->memory, &count, NULL) != TRAWL_OK)
            abort();
    return NULL;
}

/* In a child: uses and closes all that the parent has opened. */
static void use_all(struct opened *opened)
{
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_searcher *searchers[] = {opened->idle, opened->busy, opened->pulling};
    struct trawl_searcher *fresh = must_searcher_of(opened->runtime, 0);

    CHECK_STATUS(trawl_search_next(opened->search, &batch, NULL), TRAWL_UNSUPPORTED);
    trawl_search_close(opened->search);
    TEST_CHECK_U64(must_count(fresh, opened->plan, opened->file), MATCHES);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t lines = 0;

        trawl_searcher_cancel(searchers[i], false);
        TEST_CHECK_U64(must_count(searchers[i], opened->plan, opened->memory), MATCHES);
        TEST_CHECK_U64(must_count(searchers[i], opened->set, opened->file), MATCHES);
        if (opened->expression != NULL)
            TEST_CHECK_U64(must_count(searchers[i], opened->expression, opened->file), MATCHES);
        MUST(ask_count_lines(searchers[i], opened->plan, opened->file, false, UINT64_MAX, &lines,
                             NULL));
        TEST_CHECK_U64(lines, 1);
        trawl_searcher_close(searchers[i]);
    }
    trawl_searcher_close(fresh);
    MUST(trawl_runtime_close(opened->runtime, NULL));
    trawl_text_close(opened->memory);
    trawl_text_close(opened->file);
    trawl_plan_free(opened->plan);
    trawl_plan_free(opened->set);
    trawl_plan_free(opened->expression);
}

static void check_child(pid_t child)
{
    int status = -1;

    TEST_CHECK(child > 0 && waitpid(child, &status, 0) == child);
    TEST_CHECK_U64((uint64_t)status, 0);
}

/* The sink of a search; forks once. In the child the call fails, and then the child uses all open
 * objects. */
static int fork_once(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct opened *opened = (struct opened *)context;

    (void)matches;
    (void)match_count;
    if (opened->forks) {
        opened->forks = false;
        opened->child = fork();
        if (opened->child == 0)
            (void)alarm(WAIT_S);
    }
    return 0;
}

static void open_all(struct opened *opened, const struct trawl_pattern *patterns)
{
    opened->runtime = must_runtime(TRAWL_ENGINE_CPU, 4, 0);
    opened->idle = must_searcher_of(opened->runtime, 4096);
    opened->busy = must_searcher_of(opened->runtime, 4096);
    opened->pulling = must_searcher_of(opened->runtime, 4096);
    opened->plan = must_plan("x");
    MUST(trawl_plan_build(patterns, 3, NULL, &opened->set, NULL));
    /* The first search makes this plan's tables, which loads libraries while locks are held. */
    if (trawl_plan_build(&(struct trawl_pattern){"x(?=[.])", 8}, 1,
                         PLAN_WITH(.syntax = TRAWL_PERL, .flags = TRAWL_PCRE), &opened->expression,
                         NULL) == TRAWL_UNSUPPORTED)
        opened->expression = NULL;
    opened->memory = must_text(bytes, TEXT_BYTES);
    opened->file = must_file(path);
    TEST_CHECK_U64(must_count(opened->idle, opened->plan, opened->memory), MATCHES);
    MUST(trawl_search_open(opened->pulling, opened->plan, opened->file, 0, &opened->search, NULL));
}

/* Forks `times` times while the library's threads work. */
static void forks(uint64_t times)
{
    const struct trawl_pattern patterns[] = {{"x.", 2}, {"absent", 6}, {"yet another", 11}};
    struct trawl_batch batch = {.size = sizeof batch};
    struct opened opened = {.child = -1};
    pthread_t thread;

    open_all(&opened, patterns);
    MUST(trawl_search_next(opened.search, &batch, NULL));
    if (pthread_create(&thread, NULL, search_on, &opened) != 0)
        exit(1);
    for (uint64_t i = 0; i < times; i++) {
        enum trawl_status status = TRAWL_OK;

        opened.child = -1;
        opened.forks = i % 2 == 0;
        status = ask_positions(opened.idle, opened.plan, i % 4 < 2 ? opened.memory : opened.file,
                               fork_once, &opened, NULL);
        if (opened.child != 0)
            CHECK_STATUS(status, TRAWL_OK);
        if (i % 2 == 1 && (opened.child = fork()) == 0)
            (void)alarm(WAIT_S);
        if (opened.child == 0) {
            CHECK_STATUS(status, i % 2 == 0 ? TRAWL_UNSUPPORTED : TRAWL_OK);
            /* ThreadSanitizer lets no child start threads. Under AddressSanitizer, a child could
             * wait forever for a lock of the sanitizer's allocator that another thread of the
             * parent held. */
            if (!TEST_SANITIZED)
                use_all(&opened);
            _exit(test_failures == 0 ? 0 : 1);
        }
        check_child(opened.child);
    }
    atomic_store(&opened.ends, true);
    (void)pthread_join(thread, NULL);
    trawl_search_close(opened.search);
    TEST_CHECK_U64(must_count(opened.pulling, opened.plan, opened.file), MATCHES);
    trawl_searcher_close(opened.idle);
    trawl_searcher_close(opened.busy);
    trawl_searcher_close(opened.pulling);
    MUST(trawl_runtime_close(opened.runtime, NULL));
    trawl_text_close(opened.memory);
    trawl_text_close(opened.file);
    trawl_plan_free(opened.plan);
    trawl_plan_free(opened.set);
    trawl_plan_free(opened.expression);
}

static const char packed_name[] = "/tmp/trawl-forked-packed";
static struct trawl_text_options packed = TRAWL_TEXT_OPTIONS_INIT;

/* In a child: opens the compressed text again, searches it and closes it, closes the parent's
 * searcher and runtime, checks the memory in use, and ends the child. */
static void use_unpacking(struct opened *opened)
{
    enum trawl_status status;

    (void)lseek(packed.descriptor, 0, SEEK_SET);
    status = trawl_text_open(packed_name, &packed, &opened->file, NULL);
    if (status != TRAWL_UNSUPPORTED) { /* this build can decompress the format */
        MUST(status);
        TEST_CHECK_U64(must_count(opened->idle, opened->plan, opened->file), 2000);
        trawl_text_close(opened->file);
    }
    trawl_searcher_close(opened->idle);
    /* Only the workers' buffers remain. */
    TEST_CHECK(atomic_load(&opened->runtime->memory_used) < 4 * 8192);
    MUST(trawl_runtime_close(opened->runtime, NULL));
    _exit(test_failures == 0 ? 0 : 1);
}

static void *fork_here(void *context)
{
    struct opened *opened = (struct opened *)context;

    opened->forks = false;
    opened->child = fork();
    if (opened->child == 0 && alarm(WAIT_S) == 0)
        use_unpacking(opened);
    check_child(opened->child);
    return NULL;
}

/* A sink that lets a new thread fork. The child has only that thread, so in the child the sink's
 * own call is over. */
static int fork_beside(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct opened *opened = (struct opened *)context;
    pthread_t thread;

    if (opened->forks && !TEST_SANITIZED && pthread_create(&thread, NULL, fork_here, opened) == 0)
        (void)pthread_join(thread, NULL);
    return matches == NULL || match_count == 0;
}

/* Forks in the sink of a stream, and in sinks of searches of a compressed text. The library that
 * decompresses the text may have threads; these exist only in the parent, so a child that closes
 * the text must not wait for them. */
static void forks_unpacking(const uint8_t *sample, size_t sample_bytes)
{
    struct opened opened = {.runtime = must_runtime(TRAWL_ENGINE_CPU, 4, 0)};
    struct trawl_stream *stream = NULL;
    enum trawl_status status;

    packed.flags = TRAWL_TEXT_UNPACK;
    packed.source = TRAWL_SOURCE_DESCRIPTOR;
    packed.descriptor = memfd_create(packed_name, MFD_CLOEXEC);
    for (int i = 0; i < 2000; i++)
        if (write(packed.descriptor, sample, sample_bytes) != (ssize_t)sample_bytes)
            exit(1);
    opened.idle = must_searcher_of(opened.runtime, 4096);
    opened.plan = must_plan("needle");
    for (int i = 0; i < 4; i++) {
        (void)lseek(packed.descriptor, 0, SEEK_SET);
        opened.forks = true;
        opened.child = -1;
        if (i > 0) {
            if (trawl_text_open(packed_name, &packed, &opened.file, NULL) == TRAWL_UNSUPPORTED)
                break; /* the library that decompresses the format is not installed */
            status = ask_positions(opened.idle, opened.plan, opened.file,
                                   i < 3 ? fork_once : fork_beside, &opened, NULL);
            trawl_text_close(opened.file);
        } else {
            MUST(trawl_stream_open(opened.plan, NULL, &stream, NULL));
            status = trawl_stream_feed(opened.idle, stream, "needle", 6, fork_once, &opened, NULL);
            trawl_stream_close(stream);
        }
        if (opened.child == 0) {
            CHECK_STATUS(status, TRAWL_UNSUPPORTED);
            if (!TEST_SANITIZED)
                use_unpacking(&opened);
            _exit(test_failures == 0 ? 0 : 1);
        }
        CHECK_STATUS(status, TRAWL_OK);
        if (i < 3)
            check_child(opened.child);
    }
    close(packed.descriptor);
    trawl_searcher_close(opened.idle);
    MUST(trawl_runtime_close(opened.runtime, NULL));
    trawl_plan_free(opened.plan);
}

/* A sink whose child closes the searcher that is calling the sink. */
static int close_within(void *context, const struct trawl_window *window)
{
    struct opened *opened = (struct opened *)context;

    if (opened->forks && (opened->child = fork()) == 0) {
        (void)alarm(WAIT_S);
        trawl_searcher_close(opened->idle);
        TEST_CHECK_U64(atomic_load(&opened->runtime->memory_used), 0);
        MUST(trawl_runtime_close(opened->runtime, NULL));
        _exit(test_failures == 0 ? 0 : 1);
    }
    opened->forks = false;
    return window->bytes == NULL;
}

/* The buffers of a searcher's first search were once not subtracted from the runtime's memory, so
 * in a child that closed both an assertion failed (2026-11-27). */
static void forks_closing(void)
{
    for (uint32_t i = 0; i < 6 && !TEST_SANITIZED; i++) {
        struct opened opened = {.forks = true, .child = -1};
        int ends[2];

        opened.runtime = must_runtime(TRAWL_ENGINE_CPU, 1 + i % 2 * 3, i % 3 == 0 ? 8 << 20 : 0);
        opened.idle = must_searcher_of(opened.runtime, 0);
        opened.plan = must_plan("x");
        if (pipe(ends) != 0 || write(ends[1], bytes, 60000) != 60000 || close(ends[1]) != 0)
            exit(1);
        opened.file = i < 4 ? must_descriptor(ends[0]) : must_file(path);
        MUST(trawl_windows(opened.idle, opened.plan, opened.file, 0, close_within, &opened, NULL));
        check_child(opened.child);
        trawl_text_close(opened.file);
        close(ends[0]);
        trawl_searcher_close(opened.idle);
        MUST(trawl_runtime_close(opened.runtime, NULL));
        trawl_plan_free(opened.plan);
    }
}

int main(void)
{
    int file = mkstemp(path);

    test_begin("forked");
    (void)alarm(10 * WAIT_S); /* ends the test even if fork() itself waits for a lock forever */
    for (uint32_t i = 0; i < TEXT_BYTES; i++)
        bytes[i] = i % PERIOD == 0 ? 'x' : '.';
    if (file < 0 || write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes || close(file) != 0)
        exit(1);
    /* A new plan in each round, so that in some rounds its tables are made in the child. */
    for (uint64_t i = 0; i < 2; i++)
        forks(test_amount(20, 2000));
    forks_closing();
    (void)unlink(path);
#define SAMPLE(format, ...) \
    forks_unpacking((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}));
#include "unit/compressed.def"
    return test_end();
}
