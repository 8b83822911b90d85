/* late: delays threads, and watches for a program that hangs. CMake's trawl_test_late links this
 * file into a test, in which a thread then waits at random before some locks and after some
 * unlocks. Bugs that need a slow thread then appear in more runs.
 *
 * A separate thread watches the test. If no thread works and no check is made for WATCH_STEPS
 * seconds, it prints a line and fails the test, long before ctest's time limit would.
 *
 * TRAWL_TEST_LATE=0: no thread is delayed.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

#define LATE_ONE_IN 24u      /* one of 24 calls to late() yields, or waits for up to LATE_US */
#define LATE_LONG_ONE_IN 32u /* one of 32 such calls waits for up to LATE_LONG_US instead */
#define LATE_US 60u
#define LATE_LONG_US 1500u
#define WATCH_STEP_S 1
#define WATCH_STEPS 20 /* after this many steps without progress the program counts as hung */
/* A program that uses this many milliseconds of processor time in a step does not hang. */
#define WATCH_WORK_MS 20u

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

static atomic_uint threads, waiting;
static bool is_late;

static void late(void)
{
    static _Thread_local struct test_random random;

    if (!is_late)
        return;
    if (random.state == 0)
        random.state = test_setting("TRAWL_TEST_SEED", 1) * 1000003 + atomic_fetch_add(&threads, 1);
    if (!test_random_one_in(&random, LATE_ONE_IN))
        return;
    if (test_random_one_in(&random, LATE_LONG_ONE_IN))
        (void)usleep((useconds_t)test_random_below(&random, LATE_LONG_US));
    else if (test_random_one_in(&random, 2))
        (void)usleep((useconds_t)test_random_below(&random, LATE_US));
    else
        (void)sched_yield();
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    late();
    return __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int code = __real_pthread_mutex_unlock(mutex);

    late();
    return code;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    int code;

    atomic_fetch_add(&waiting, 1);
    code = __real_pthread_cond_wait(condition, mutex);
    atomic_fetch_sub(&waiting, 1);
    return code;
}

static uint64_t worked_ms(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* Returns true if another thread of the program runs, is ready to run, or waits for a disk. On an
 * overloaded machine a thread may be ready for seconds without running. */
static bool somebody_can_work(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    bool found = false;

    while (tasks != NULL && !found && (task = readdir(tasks)) != NULL) {
        char path[300], line[300] = "";
        const char *state;
        FILE *file;

        if (strtol(task->d_name, NULL, 10) == syscall(SYS_gettid) || task->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
        file = fopen(path, "re");
        state = file != NULL && fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
        found = state != NULL && (strncmp(state, ") R", 3) == 0 || strncmp(state, ") D", 3) == 0);
        if (file != NULL)
            fclose(file);
    }
    if (tasks != NULL)
        closedir(tasks);
    return found;
}

/* Watches the number of checks and the processor time. */
__attribute__((no_sanitize("thread"))) static void *watch(void *context)
{
    uint64_t checks = 0, ms = 0;
    uint32_t steps = 0;

    (void)context;
    while (steps < WATCH_STEPS) {
        struct timespec step = {WATCH_STEP_S, 0};

        (void)nanosleep(&step, NULL);
        steps++;
        if (test_checks != checks || worked_ms() - ms >= WATCH_WORK_MS || somebody_can_work())
            steps = 0;
        checks = test_checks;
        ms = worked_ms();
    }
    printf("it hangs after %" PRIu64 " checks: %u threads wait for a condition, and nobody works\n",
           test_checks, atomic_load(&waiting));
    (void)fflush(stdout);
    _exit(1);
}

__attribute__((constructor)) static void late_begin(void)
{
    pthread_t thread;

    is_late = test_setting("TRAWL_TEST_LATE", 1) != 0;
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        (void)pthread_detach(thread);
}
