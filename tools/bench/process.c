/* process: run a program, or two joined by a pipe, to the end and say what that took. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

#define CANNOT_RUN 127 /* a shell's exit status for that */
#define SINK_PIPE_BYTES (1 << 20)
#define FNV_OFFSET 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

static void open_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        fail("pipe: %s", strerror(errno));
}

/* The program with stdin and stdout as given (-1: the null device); -1: it cannot be run. No copy
 * of this process is made on the way, as fork makes one: that would be counted as the program's
 * time. */
static pid_t start(const char *const *program, int input, int output)
{
    posix_spawn_file_actions_t files;
    pid_t child;
    int failed = posix_spawn_file_actions_init(&files);

    if (failed == 0)
        failed = input >= 0 ? posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
                            : posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
                                                               O_RDONLY, 0);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (failed != 0)
        fail("starting %s: %s", program[0], strerror(failed));
    failed =
        posix_spawnp(&child, program[0], &files, NULL, (char *const *)(uintptr_t)program, environ);
    posix_spawn_file_actions_destroy(&files);
    return failed == 0 ? child : -1;
}

struct lines_hash {
    uint64_t sum;
    uint64_t line; /* of the line that has no end yet */
};

static uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * FNV_PRIME;
    return hash;
}

/* One line's hash begins anew after its end, and the sum of them knows no order. */
static void hash_lines(struct lines_hash *lines, const uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        lines->line = (lines->line ^ bytes[i]) * FNV_PRIME;
        if (bytes[i] == '\n') {
            lines->sum += lines->line ^ lines->line >> 32;
            lines->line = FNV_OFFSET;
        }
    }
}

uint64_t process_hash(const uint8_t *bytes, uint64_t count)
{
    return hash_bytes(FNV_OFFSET, bytes, count);
}

/* Read and look at the bytes; a step ends where the head does. Returns 0 at the end. */
static uint64_t drain_read(int descriptor, struct lines_hash *lines, struct outcome *outcome)
{
    static uint8_t buffer[256 << 10];
    bool head = outcome->output_bytes < OUTPUT_HEAD_BYTES;
    uint64_t most = head ? OUTPUT_HEAD_BYTES - outcome->output_bytes : sizeof buffer;
    ssize_t got;

    do
        got = read(descriptor, buffer, most);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        fail("reading a command's output: %s", strerror(errno));
    outcome->output_hash = hash_bytes(outcome->output_hash, buffer, (uint64_t)got);
    hash_lines(lines, buffer, (uint64_t)got);
    if (head)
        outcome->head_hash = outcome->output_hash;
    outcome->output_bytes += (uint64_t)got;
    return (uint64_t)got;
}

static uint64_t drain_unseen(int descriptor, int null_device, struct outcome *outcome)
{
    ssize_t got;

    do
        got = splice(descriptor, NULL, null_device, NULL, SINK_PIPE_BYTES, SPLICE_F_MOVE);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        fail("emptying a command's pipe: %s", strerror(errno));
    outcome->output_bytes += (uint64_t)got;
    return (uint64_t)got;
}

/* Empty the pipe to its end. */
static void drain(int descriptor, bool hash_all, struct outcome *outcome)
{
    int null_device = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct lines_hash lines = {0, FNV_OFFSET};
    uint64_t got;

    outcome->head_hash = outcome->output_hash = FNV_OFFSET;
    do
        got = hash_all || outcome->output_bytes < OUTPUT_HEAD_BYTES || null_device < 0
                  ? drain_read(descriptor, &lines, outcome)
                  : drain_unseen(descriptor, null_device, outcome);
    while (got > 0);
    if (hash_all)
        outcome->lines_hash = lines.sum ^ lines.line;
    else
        outcome->output_hash = 0;
    if (null_device >= 0)
        close(null_device);
}

static int wait_for(pid_t child, struct rusage *usage)
{
    int status;

    if (child < 0)
        return CANNOT_RUN;
    while (wait4(child, &status, 0, usage) < 0)
        if (errno != EINTR)
            fail("wait: %s", strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void process_run(const struct command *command, bool hash_all, struct outcome *outcome)
{
    int sink[2], between[2] = {-1, -1};
    struct rusage usage = {.ru_maxrss = 0};
    pid_t feeder = -1, child;
    double begin;

    memset(outcome, 0, sizeof *outcome);
    open_pipe(sink);
    (void)fcntl(sink[0], F_SETPIPE_SZ, SINK_PIPE_BYTES); /* a wish */
    if (command->feeder != NULL)
        open_pipe(between); /* of the system's usual size, as a shell makes it */
    begin = clock_seconds();
    if (command->feeder != NULL)
        feeder = start(command->feeder, -1, between[1]);
    child = start(command->program, between[0], sink[1]);
    close(sink[1]);
    if (command->feeder != NULL) {
        close(between[0]);
        close(between[1]);
    }
    drain(sink[0], hash_all, outcome);
    outcome->status = wait_for(child, &usage);
    if (command->feeder != NULL) {
        struct rusage unused;

        wait_for(feeder, &unused);
    }
    outcome->seconds = clock_seconds() - begin;
    outcome->memory_bytes = (uint64_t)usage.ru_maxrss << 10;
    close(sink[0]);
}
