/* memory_test: how much memory the server and how many cores library and tools may use. They
 * compute that from files like those of /proc and /sys, which this test makes, and guards divide it
 * among requests. For example, a server in a control group of 150 MB must not use half of the
 * machine's memory. Guards let requests run in order of deadline, too.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trawl/text/groups.h"
#include "base/cores.h"
#include "tests/test.h"
#include "trawl/text/guard.h"
#include "trawl/text/thread.h"

static char root[] = "/tmp/serve_memory.XXXXXX";

/* Writes a file below `root`, with its folders. If `text` is "", removes the file. */
static void write_file(const char *path, const char *text)
{
    char whole[512];
    FILE *file;

    (void)snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *at = strchr(whole + sizeof root, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(whole, 0700);
        *at = '/';
    }
    if (*text == '\0') {
        (void)remove(whole);
        return;
    }
    file = fopen(whole, "w");
    TEST_CHECK(file != NULL && fputs(text, file) >= 0);
    TEST_CHECK(file != NULL && fclose(file) == 0);
}

static void check_groups(void)
{
    static const struct {
        const char *groups;      /* contents of /proc/self/cgroup */
        const char *path, *text; /* path and contents of the limit's file */
        uint64_t expected;
    } rows[] = {
        {"0::/\n", "/sys/fs/cgroup/none", "1\n", 4096000},
        {"0::/\n", "/sys/fs/cgroup/memory.max", "157286400\n", 4096000},
        {"0::/\n", "/sys/fs/cgroup/memory.max", "1572864\n", 1572864},
        {"0::/\n", "/sys/fs/cgroup/memory.max", "max\n", 4096000},
        {"0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max", "1000\n", 1000},
        {"0::/a/b\n", "/sys/fs/cgroup/a/memory.max", "1001\n", 1001},
        {"0::/a/b\n", "/sys/fs/cgroup/memory.max", "1002\n", 1002},
        {"3:cpu:/\n4:memory:/a\n0::/\n", "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1003\n",
         1003},
        {"4:memory:/a\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "1004\n", 1004},
        {"4:memory:/a\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n",
         4096000},
        {"no group\n", "/sys/fs/cgroup/memory.max", "5\n", 4096000},
    };

    write_file("/proc/meminfo", "MemTotal: 8000 kB\nMemAvailable:   4000 kB\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_file("/proc/self/cgroup", rows[i].groups);
        write_file(rows[i].path, rows[i].text);
        if (!TEST_CHECK_U64(groups_memory(root), rows[i].expected))
            printf("  row %zu\n", i);
        write_file(rows[i].path, "");
    }
    TEST_CHECK(groups_memory("") > 0);
}

/* Quotas of cores, as the library and the tools read them. */
static void check_quotas(void)
{
    static const struct {
        const char *groups; /* contents of /proc/self/cgroup */
        const char *path, *text, *period_path, *period;
        uint64_t expected; /* 0: no limit */
    } rows[] = {
#define V2(group) "/sys/fs/cgroup" group "/cpu.max"
#define QUOTA(group) "/sys/fs/cgroup/cpu" group "/cpu.cfs_quota_us"
#define PERIOD(group) "/sys/fs/cgroup/cpu" group "/cpu.cfs_period_us"
        {"0::/\n", V2(""), "200000 100000\n", NULL, NULL, 2},
        {"0::/\n", V2(""), "max 100000\n", NULL, NULL, 0},
        {"0::/\n", V2(""), "150000 100000\n", NULL, NULL, 2},
        {"0::/\n", V2(""), "100000 100000\n", NULL, NULL, 1},
        {"0::/\n", V2(""), "1000 100000\n", NULL, NULL, 1},
        {"0::/\n", V2(""), "6400000 50000\n", NULL, NULL, 128},
        {"0::/\n", V2(""), "100000 0\n", NULL, NULL, 0},
        {"0::/\n", V2(""), "100000\n", NULL, NULL, 0},
        {"0::/\n", V2(""), "0 100000\n", NULL, NULL, 0},
        {"0::/\n", V2(""), "-1 100000\n", NULL, NULL, 0},
        {"0::/\n", V2(""), "nonsense\n", NULL, NULL, 0},
        {"0::/a/b\n", V2("/a/b"), "300000 100000\n", V2("/a"), "200000 100000\n", 2},
        {"0::/a/b\n", V2("/a/b"), "300000 100000\n", V2("/a"), "max 100000\n", 3},
        {"0::/a/b\n", V2("/a/b"), "300000 100000\n", V2(""), "100000 100000\n", 1},
        {"0::/a/b\n", V2("/a/c"), "100000 100000\n", NULL, NULL, 0},
        {"0::/docker/1\n", V2(""), "400000 100000\n", NULL, NULL, 4},
        {"4:cpu,cpuacct:/a\n", QUOTA("/a"), "250000\n", PERIOD("/a"), "100000\n", 3},
        {"4:cpuacct,cpu:/a\n", QUOTA(""), "50000\n", PERIOD(""), "25000\n", 2},
        {"4:cpu:/a\n", QUOTA("/a"), "-1\n", PERIOD("/a"), "100000\n", 0},
        {"4:cpuset:/a\n5:cpuacct:/a\n", QUOTA("/a"), "100000\n", PERIOD("/a"), "100000\n", 0},
        {"4:cpu:/a\n0::/\n", QUOTA("/a"), "100000\n", PERIOD("/a"), "100000\n", 1},
        {"4:cpu:/a\n", QUOTA("/a"), "100000\n", NULL, NULL, 0},
        {"no group\n", V2(""), "100000 100000\n", NULL, NULL, 0},
        {"", V2(""), "100000 100000\n", NULL, NULL, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t wanted = rows[i].expected > 0 ? rows[i].expected : UINT64_MAX;
        uint32_t quota = wanted > UINT32_MAX ? UINT32_MAX : (uint32_t)wanted;
        bool good;

        write_file("/proc/self/cgroup", rows[i].groups);
        write_file(rows[i].path, rows[i].text);
        if (rows[i].period != NULL)
            write_file(rows[i].period_path, rows[i].period);
        good = TEST_CHECK_U64(cores_quota(root), quota);
        good = TEST_CHECK_U64(groups_cores(root), wanted) && good;
        if (!good)
            printf("  row %zu\n", i);
        write_file(rows[i].path, "");
        if (rows[i].period != NULL)
            write_file(rows[i].period_path, "");
    }
    TEST_CHECK(cores_available() > 0);
}

static uint32_t machine_cores; /* cores of a machine that check_cores invents; 0: this machine's */

/* Replaces the C library's function. Like Linux, rejects sets with less room than the machine's
 * cores. */
int sched_getaffinity(pid_t id, size_t bytes, cpu_set_t *set)
{
    if (machine_cores == 0)
        return syscall(SYS_sched_getaffinity, id, bytes, set) < 0 ? -1 : 0;
    if (bytes * 8 < machine_cores) {
        errno = EINVAL;
        return -1;
    }
    memset(set, 0, bytes);
    for (uint32_t i = 0; i < machine_cores; i++)
        CPU_SET_S(i, bytes, set);
    return 0;
}

/* A fixed set of the C library has room for 1,024 cores. */
static void check_cores(void)
{
    static const uint32_t rows[] = {1, 2, 1023, 1024, 1025, 4096, 8192};
    uint32_t quota = cores_quota("");

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t wanted = rows[i] < quota ? rows[i] : quota;

        machine_cores = rows[i];
        TEST_CHECK_U64(cores_available(), wanted);
        TEST_CHECK_U64(thread_cores(), wanted);
    }
    machine_cores = 0;
}

static void check_guards(void)
{
    struct guard all = {.bytes_max = 100};
    struct guard one = {.all = &all, .bytes_max = 60}, other = {.all = &all, .bytes_max = 60};

    TEST_CHECK(guard_take(NULL, UINT64_MAX) && !guard_is_over(NULL));
    TEST_CHECK(guard_take(&one, 60) && one.refusal == GUARD_NONE);
    TEST_CHECK(!guard_take(&one, 1) && one.refusal == GUARD_OWN);
    TEST_CHECK(!guard_take(&other, 41) && other.refusal == GUARD_ALL);
    TEST_CHECK(guard_take(&other, 40));
    TEST_CHECK(!guard_take(&other, UINT64_MAX));
    guard_give(&one, 20);
    TEST_CHECK(guard_take(&other, 20) && !guard_take(&other, 1));
    guard_end(&one);
    guard_end(&other);
    TEST_CHECK_U64(all.bytes, 0);
    TEST_CHECK(!guard_is_over(&one));
    one.deadline_ns = now_ns() - 1;
    TEST_CHECK(guard_is_over(&one));
    other.cancelled = true;
    TEST_CHECK(guard_is_over(&other));
}

/* A search that waits for its turn in a thread, and which of all of them it was. */
struct turn {
    struct guard guard;
    pthread_t thread;
    atomic_int id;
    int place; /* -1: it was over before its turn */
};

static atomic_int places;

static void *take_turn(void *context)
{
    struct turn *turn = context;

    turn->id = (int)gettid();
    turn->place = guard_admit(&turn->guard) ? places++ : -1;
    guard_leave(&turn->guard);
    return NULL;
}

/* Starts the search's thread, and waits until it waits. */
static void start_turn(struct turn *turn)
{
    char path[64], state = 0;

    TEST_CHECK(pthread_create(&turn->thread, NULL, take_turn, turn) == 0);
    while (turn->id == 0 || state != 'S') {
        FILE *file;

        (void)snprintf(path, sizeof path, "/proc/self/task/%d/stat", turn->id);
        file = turn->id == 0 ? NULL : fopen(path, "r");
        if (file == NULL || fscanf(file, "%*d %*s %c", &state) != 1)
            state = 0;
        if (file != NULL)
            fclose(file);
    }
}

static void check_turns(void)
{
    static const int order[] = {2, 0, -1, 1}; /* by deadline; the third is cancelled */
    struct guard all = {.thread_count = 2};
    struct guard runs = {.all = &all}, too = {.all = &all}, third = {.all = &all};
    struct turn turns[4] = {0};

    TEST_CHECK(guard_admit(&runs) && guard_admit(&too));
    too.run_ns -= GUARD_RUN_NS; /* a search that has run for long does not count */
    TEST_CHECK(guard_admit(&third));
    for (int i = 0; i < 4; i++) {
        turns[i].guard.all = &all;
        turns[i].guard.deadline_ns = UINT64_MAX - 9 + (uint64_t)(order[i] + 1);
        start_turn(&turns[i]);
    }
    turns[2].guard.cancelled = true;
    TEST_CHECK(pthread_join(turns[2].thread, NULL) == 0 && places == 0);
    guard_leave(&third);
    for (int i = 0; i < 4; i++) {
        TEST_CHECK(i == 2 || pthread_join(turns[i].thread, NULL) == 0);
        if (!TEST_CHECK(turns[i].place == order[i]))
            printf("  search %d came as number %d\n", i, turns[i].place);
    }
    guard_leave(&runs);
    guard_leave(&too);
    guard_leave(&too);
    all.thread_count = 0; /* no limit */
    TEST_CHECK(guard_admit(&runs) && guard_admit(&too) && guard_admit(&third));
}

int main(void)
{
    char command[sizeof root + 16];

    test_begin("serve_memory");
    TEST_CHECK(mkdtemp(root) != NULL);
    check_groups();
    check_quotas();
    check_cores();
    check_guards();
    check_turns();
    (void)snprintf(command, sizeof command, "rm -r '%s'", root);
    TEST_CHECK(system(command) == 0);
    return test_end();
}
