/* unit_cancelled: other threads and signal handlers cancel calls at any moment, on texts of every
 * kind, for strings and for expressions. No call may hang, and each call returns either a complete
 * answer or STOPPED. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "calls.h"

#define TEXT_BYTES 60000u /* fewer bytes than fit into a pipe */
#define BRIEF_BYTES 200u
#define PERIOD 10u /* each line has 10 bytes, and a match begins in it */

static uint8_t bytes[TEXT_BYTES];
static char path[] = "/tmp/trawl-cancelled-XXXXXX";

/* PIPE and SOCKET stay open for writing, so a search of PIPE or SOCKET ends only if it is
 * cancelled, or if it wants only the first match. */
enum kind { BRIEF, MEMORY, FILE_READ, FILE_MAPPED, PIPE, SOCKET, KINDS };
/* Who cancels: another thread, or a signal handler in the calling thread itself. */
enum way { BY_THREAD, BY_HANDLER, WAYS };

/* Each round makes one call and cancels once, before, during or after the call. */
struct storm {
    struct trawl_searcher *searcher;
    pthread_t caller;
    enum way way;
    uint64_t rounds;
    _Atomic uint64_t round;  /* the round that the caller has begun; from 1 */
    _Atomic uint64_t cancel; /* the last round that was cancelled */
};

static struct trawl_searcher *_Atomic handled;

static void handle(int number)
{
    (void)number;
    trawl_searcher_cancel(atomic_load(&handled), true);
}

static void *cancel(void *context)
{
    struct storm *storm = (struct storm *)context;
    struct test_random random = {.state = 7};

    for (uint64_t i = 1; i <= storm->rounds; i++) {
        while (atomic_load(&storm->round) < i)
            (void)sched_yield();
        for (uint64_t n = test_random_below(&random, 3000); n > 0; n--)
            atomic_signal_fence(memory_order_seq_cst);
        if (storm->way == BY_HANDLER)
            (void)pthread_kill(storm->caller, SIGUSR1);
        else
            trawl_searcher_cancel(storm->searcher, true);
        atomic_store(&storm->cancel, i);
    }
    return NULL;
}

static struct trawl_text *open_kind(enum kind kind, int ends[2])
{
    struct trawl_text *text = NULL;

    ends[0] = ends[1] = -1;
    switch (kind) {
    case BRIEF:
        return must_text(bytes, BRIEF_BYTES);
    case MEMORY:
        return must_text(bytes, TEXT_BYTES);
    case FILE_READ:
    case FILE_MAPPED:
        return must_file(path);
    case PIPE:
    case SOCKET:
    case KINDS:
        break;
    }
    if ((kind == PIPE ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) != 0 ||
        write(ends[1], bytes, TEXT_BYTES) != (ssize_t)TEXT_BYTES)
        exit(1);
    MUST(call_descriptor(ends[0], "stream", 0, &text, NULL));
    return text;
}

/* Makes a call. Checks that the answer is complete and right, or that the call returns STOPPED and
 * does not change its outputs. */
static enum trawl_status ask(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_text *text, uint64_t call, enum kind kind)
{
    uint64_t count = UINT64_MAX;
    uint64_t expected = (kind == BRIEF ? BRIEF_BYTES : TEXT_BYTES) / PERIOD;
    struct trawl_error error = {.status = TRAWL_OK};
    struct trawl_match match = {.end = 77};
    enum trawl_status status;
    bool found = false;

    if (call == 0)
        status = trawl_first(searcher, plan, text, &match, &found, &error);
    else if (call == 1)
        status = ask_positions(searcher, plan, text, ignore_matches, NULL, &error);
    else if (call == 2)
        status = ask_count_lines(searcher, plan, text, false, UINT64_MAX, &count, &error);
    else
        status = trawl_count(searcher, plan, text, &count, &error);
    if (status == TRAWL_STOPPED)
        TEST_CHECK(count == UINT64_MAX && match.end == 77 && !found);
    else if (call == 0)
        TEST_CHECK(status == TRAWL_OK && found && match.begin == 0);
    else if (call == 1)
        TEST_CHECK(status == TRAWL_OK);
    else
        TEST_CHECK(status == TRAWL_OK && count == expected);
    TEST_CHECK(error.status == TRAWL_OK); /* untouched: STOPPED is not a failure */
    return status;
}

static void rounds(struct storm *storm, const struct trawl_plan *plan, enum kind kind)
{
    uint64_t stopped = 0;

    for (uint64_t i = 1; i <= storm->rounds; i++) {
        struct trawl_text *text;
        enum trawl_status status;
        int ends[2];

        text = open_kind(kind, ends);
        atomic_store(&storm->round, i);
        status = ask(storm->searcher, plan, text, i % 6, kind);
        stopped += status == TRAWL_STOPPED;
        /* only cancelling ends a search of an open pipe for more than the first match */
        TEST_CHECK(status == TRAWL_STOPPED || i % 6 == 0 || (kind != PIPE && kind != SOCKET));
        while (atomic_load(&storm->cancel) < i)
            (void)sched_yield();
        trawl_text_close(text);
        for (uint32_t end = 0; end < 2 && ends[end] >= 0; end++)
            (void)close(ends[end]);
    }
    TEST_CHECK(stopped > 0);
}

static void storm(const struct trawl_plan *plan, enum kind kind, enum way way, uint32_t threads)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct storm storm = {.caller = pthread_self(), .way = way};
    struct trawl_text *text;
    pthread_t thread;
    uint64_t count = 0;

    options.engine = TRAWL_ENGINE_CPU;
    options.threads = threads;
    options.chunk_bytes = 16 + threads * 1000;
    options.map = kind == FILE_MAPPED ? TRAWL_MAP_ALWAYS : TRAWL_MAP_NEVER;
    storm.rounds = test_amount(1500, 90000) / threads;
    MUST(trawl_searcher_open(&options, &storm.searcher, NULL));
    atomic_store(&handled, storm.searcher);
    if (pthread_create(&thread, NULL, cancel, &storm) != 0)
        exit(1);
    rounds(&storm, plan, kind);
    (void)pthread_join(thread, NULL);
    /* If the last cancel came too late for the last call, it ends the next call instead. */
    text = must_text(bytes, TEXT_BYTES);
    if (trawl_count(storm.searcher, plan, text, &count, NULL) == TRAWL_STOPPED)
        MUST(trawl_count(storm.searcher, plan, text, &count, NULL));
    TEST_CHECK_U64(count, TEXT_BYTES / PERIOD);
    trawl_text_close(text);
    trawl_searcher_close(storm.searcher);
}

/* Checks that trawl_searcher_cancel with `or_next` ends the next call, and only that call. */
static void cancel_before(const struct trawl_plan *plan)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_TEXT text = must_text(bytes, TEXT_BYTES);
    uint64_t count = 0;

    trawl_searcher_cancel(NULL, true);
    /* no call is running, so without `or_next` no call is cancelled */
    trawl_searcher_cancel(searcher, false);
    TEST_CHECK_U64(must_count(searcher, plan, text), TEXT_BYTES / PERIOD);
    trawl_searcher_cancel(searcher, true);
    trawl_searcher_cancel(searcher, true);
    CHECK_STATUS(trawl_count(searcher, plan, text, &count, NULL), TRAWL_STOPPED);
    TEST_CHECK_U64(must_count(searcher, plan, text), TEXT_BYTES / PERIOD);
}

int main(void)
{
    static const struct {
        const char *pattern;
        enum trawl_syntax syntax;
        uint32_t flags;
    } plans[] = {{"x", TRAWL_LITERAL, 0},
                 {"[xy]\\.+", TRAWL_PERL, 0},
                 {"[^.]\\.{8}", TRAWL_EXTENDED, 0},
                 {"x(?=\\.+)", TRAWL_PERL, TRAWL_PCRE}};
    struct sigaction action = {.sa_handler = handle};
    int file = mkstemp(path);

    test_begin("cancelled");
    for (uint32_t i = 0; i < TEXT_BYTES; i++)
        bytes[i] = i % PERIOD == 0 ? 'x' : i % PERIOD == PERIOD - 1 ? '\n' : '.';
    if (file < 0 || write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes || close(file) != 0 ||
        sigaction(SIGUSR1, &action, NULL) != 0)
        exit(1);
    for (uint32_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const struct trawl_pattern pattern = {plans[i].pattern, strlen(plans[i].pattern)};
        AUTO_PLAN plan = NULL;
        enum trawl_status status = trawl_plan_build(
            &pattern, 1, PLAN_WITH(.syntax = plans[i].syntax, .flags = plans[i].flags), &plan,
            NULL);

        if (!TEST_CHECK(status == TRAWL_OK || plans[i].flags == TRAWL_PCRE) || status != TRAWL_OK)
            continue; /* PCRE2 is not installed */
        cancel_before(plan);
        for (enum kind kind = BRIEF; kind < KINDS; kind++)
            for (enum way way = BY_THREAD; way < WAYS; way++)
                for (uint32_t threads = 1; threads <= 3; threads += 2)
                    storm(plan, kind, way, threads);
    }
    (void)unlink(path);
    return test_end();
}
