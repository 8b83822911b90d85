/* interrupted: a signal again and again, whose handler lets system calls end with EINTR. Reads
 * that wait go on. Files are never waited for, so no test had met that. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <unistd.h>

#include "calls.h"

#define ENOUGH 5 /* signals while a call waits */
#define TEXT "a needle, and another needle.\n"

static _Atomic int signals;

static void count_signal(int number)
{
    (void)number;
    atomic_fetch_add(&signals, 1);
}

/* Every so often from now on; 0: no more. */
static void signal_every(int microseconds)
{
    struct itimerval times = {{0, microseconds}, {0, microseconds}};
    struct sigaction action = {.sa_handler = count_signal};

    if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &times, NULL) != 0)
        exit(1);
}

/* Let the signals come to the other thread, and wait until some have. */
static void wait_for_signals(void)
{
    int until = atomic_load(&signals) + ENOUGH;
    sigset_t others;

    (void)sigemptyset(&others);
    (void)sigaddset(&others, SIGALRM);
    (void)pthread_sigmask(SIG_BLOCK, &others, NULL);
    while (atomic_load(&signals) < until)
        (void)sched_yield();
}

struct slow_pipe {
    int ends[2];
    const uint8_t *bytes; /* to write */
    uint64_t bytes_count;
};

/* Two halves, late; the reader may be gone. */
static void *write_late(void *context)
{
    const struct slow_pipe *slow = context;
    uint64_t half = slow->bytes_count / 2;
    bool good;

    wait_for_signals();
    good = write(slow->ends[1], slow->bytes, half) == (ssize_t)half;
    wait_for_signals();
    good = good && write(slow->ends[1], slow->bytes + half, slow->bytes_count - half) ==
                       (ssize_t)(slow->bytes_count - half);
    if (!good)
        printf("  the reader left early\n");
    close(slow->ends[1]);
    return NULL;
}

static void slow_begin(struct slow_pipe *slow, pthread_t *other)
{
    if (pipe(slow->ends) != 0 || pthread_create(other, NULL, write_late, slow) != 0)
        exit(1);
}

static void texts(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan("needle");

    for (int compressed = 0; compressed < 2; compressed++) { /* what could be, and is not */
        struct slow_pipe slow = {.bytes = (const uint8_t *)TEXT, .bytes_count = sizeof TEXT - 1};
        struct trawl_text *text = NULL;
        uint64_t count = 0;
        pthread_t other;

        slow_begin(&slow, &other);
        MUST((compressed ? trawl_text_from_compressed
                         : trawl_text_from_descriptor)(slow.ends[0], "pipe", &text, NULL));
        CHECK_STATUS(trawl_count(searcher, plan, text, &count, NULL), TRAWL_OK);
        TEST_CHECK_U64(count, 2);
        trawl_text_close(text);
        close(slow.ends[0]);
        (void)pthread_join(other, NULL);
    }
}

int main(void)
{
    test_begin("interrupted");
    (void)signal(SIGPIPE, SIG_IGN);
    signal_every(1000);
    texts();
    signal_every(0);
    return test_end();
}
