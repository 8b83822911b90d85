/* command: whole programs as contestants, timed from their start to the end of wait4.
 *
 * kind=command argv=PROGRAM|ARGUMENT|...   | stands for the byte 0x1f
 * Of the question: bag=1, lines may come in any order.
 * The kernel's account of a program's memory begins with what the process holds that starts it. So
 * rows of commands ask about no text.
 * The answer is the output: the same bytes and the same status as the row's first contestant's.
 * Standard output is a pipe that this process empties; never the null device, with which some
 * programs stop at their first match.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

#define ARGUMENTS_MAX 24u
#define SEPARATOR "\x1f"
#define CANNOT_RUN 127 /* a shell's exit status for that */
#define SINK_PIPE_BYTES (1 << 20)
#define HEAD_BYTES (64u << 10) /* of the output, looked at in each run */
#define FNV_OFFSET 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

struct program {
    char *bytes;
    const char *argument[ARGUMENTS_MAX + 1];
};

/* ---- What a program writes ----------------------------------------------------------------- */

struct written {
    uint64_t bytes, seen; /* all, and those that were looked at: what follows is of these */
    uint64_t hash;
    uint64_t lines; /* in whatever order they came: the sum of the lines' hashes */
    uint64_t line;  /* of the line that has no end yet */
};

static void look_at(struct written *output, const uint8_t *bytes, uint64_t count)
{
    output->seen += count;
    for (uint64_t i = 0; i < count; i++) {
        output->hash = (output->hash ^ bytes[i]) * FNV_PRIME;
        output->line = (output->line ^ bytes[i]) * FNV_PRIME;
        if (bytes[i] == '\n') {
            output->lines += output->line ^ output->line >> 32;
            output->line = FNV_OFFSET;
        }
    }
}

/* Empty the pipe to its end. What is not looked at is moved out of it without a copy, the same way
 * for every program. */
static void drain(int descriptor, bool all, struct written *output)
{
    static uint8_t buffer[HEAD_BYTES];
    int null_device = open("/dev/null", O_WRONLY | O_CLOEXEC);
    ssize_t got;

    do {
        bool look = all || output->bytes < HEAD_BYTES;

        got = look ? read(descriptor, buffer, sizeof buffer)
                   : splice(descriptor, NULL, null_device, NULL, SINK_PIPE_BYTES, SPLICE_F_MOVE);
        if (got < 0 && errno != EINTR)
            fail("emptying a command's pipe: %s", strerror(errno));
        output->bytes += got > 0 ? (uint64_t)got : 0;
        if (look && got > 0)
            look_at(output, buffer, (uint64_t)got);
    } while (got != 0);
    close(null_device);
}

/* ---- Processes ----------------------------------------------------------------------------- */

/* -1: it cannot be run. No copy of this process is made on the way, as fork makes one: that would
 * be counted as the program's time. */
static pid_t start(const char *const *program, int output)
{
    posix_spawn_file_actions_t files;
    pid_t child;
    int failed = posix_spawn_file_actions_init(&files);

    if (failed == 0)
        failed = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (failed != 0)
        fail("starting %s: %s", program[0], strerror(failed));
    failed =
        posix_spawnp(&child, program[0], &files, NULL, (char *const *)(uintptr_t)program, environ);
    posix_spawn_file_actions_destroy(&files);
    return failed == 0 ? child : -1;
}

/* Its exit status; 128 + n after signal n. */
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

static void run_program(const struct program *program, bool all, struct written *output,
                        struct bench_run *run)
{
    struct rusage usage = {.ru_maxrss = 0};
    double begin;
    pid_t child;
    int sink[2];

    if (pipe2(sink, O_CLOEXEC) != 0)
        fail("pipe: %s", strerror(errno));
    (void)fcntl(sink[0], F_SETPIPE_SZ, SINK_PIPE_BYTES); /* a wish */
    begin = clock_seconds();
    child = start(program->argument, sink[1]);
    close(sink[1]);
    drain(sink[0], all, output);
    run->status = wait_for(child, &usage);
    run->seconds = clock_seconds() - begin;
    run->memory_bytes = (uint64_t)usage.ru_maxrss << 10; /* the largest resident set */
    close(sink[0]);
}

/* ---- Contestants --------------------------------------------------------------------------- */

static void run_command(struct contestant *it, bool full, struct bench_run *run)
{
    bool bag = field(&it->question->fields, "bag", NULL) != NULL;
    struct written output = {0, 0, FNV_OFFSET, 0, FNV_OFFSET};

    run_program((const struct program *)it->state, full, &output, run);
    if (run->status > 1)
        snprintf(run->why, sizeof run->why, "it ended with status %d", run->status);
    run->output_bytes = run->answer.count = output.bytes;
    run->answer.summed = output.seen == output.bytes; /* else its length has to do */
    run->answer.sum =
        answer_mix(bag ? output.lines ^ output.line : output.hash, (uint64_t)run->status, 0);
}

static void close_command(struct contestant *it)
{
    struct program *program = (struct program *)it->state;

    free(program->bytes);
    free(program);
}

bool command_contestant(struct contestant *contestant, const char *kind)
{
    const char *argv = field(&contestant->fields, "argv", NULL);
    struct program *program;
    char *rest, *word;
    uint32_t count = 0;

    if (strcmp(kind, "command") != 0)
        return false;
    if (argv == NULL)
        fail("a command without argv: %s", contestant->name);
    program = (struct program *)allocate(sizeof *program);
    rest = program->bytes = copy_text(argv);
    while ((word = strsep(&rest, SEPARATOR)) != NULL) {
        if (count == ARGUMENTS_MAX)
            fail("a command has more than %u words", ARGUMENTS_MAX);
        program->argument[count++] = word;
    }
    contestant->state = program;
    contestant->agrees = true;
    contestant->run = run_command;
    contestant->close = close_command;
    return true;
}
