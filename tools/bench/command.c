/* command: runs whole programs as competitors, timed from the start to the end of wait4.
 *
 * Competitor  kind=command argv=PROGRAM|ARGUMENT|..., with the byte 0x1f instead of |
 * Question    bag=1: the lines of the output may come in any order
 *
 * The answer is the output: all competitors must write the same bytes, and end with the same
 * status, as the row's first competitor. Standard output is a pipe that this process empties. The
 * null device is not used, because some programs then stop at the first match.
 * The kernel first counts the memory of the starting process as the program's. So rows of commands
 * have no text, which would be in the memory of the starting process.
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

#define ARGUMENTS_MAX 24u /* most arguments for a program */
#define SEPARATOR "\x1f"  /* between two arguments in a row */
#define CANNOT_RUN 127    /* exit status of a program that could not be started, as in a shell */
#define SINK_PIPE_BYTES (1 << 20) /* size of the pipe for standard output */
/* Each run hashes an output until this many bytes are read. If an output is longer, runs without
 * `all` compare only its length. */
#define HEAD_BYTES (64u << 10)
#define FNV_OFFSET 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u /* FNV-1a with 64 bits */

struct program {
    char *bytes; /* the argument strings */
    const char *argument[ARGUMENTS_MAX + 1];
};

/* ---- A program's output -------------------------------------------------------------------- */

struct output_digest {
    uint64_t bytes, seen; /* length of the output; the part of this length that was hashed */
    uint64_t hash;        /* hash of the output */
    uint64_t lines;       /* sum of the lines' hashes, which does not depend on the lines' order */
    uint64_t line;        /* hash of the current line so far */
};

/* Adds bytes of the output to the hashes of the whole output and of its lines. */
static void look_at(struct output_digest *output, const uint8_t *bytes, uint64_t count)
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

/* Empties the pipe until its end. Bytes that are not hashed are discarded without a copy, for each
 * program alike. */
static void drain(int descriptor, bool all, struct output_digest *output)
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

/* Starts a program; -1: the program cannot be run. fork would copy this process's page tables, and
 * the program would be charged for that time; posix_spawn does not copy them. */
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

/* Waits for the child and returns its exit status; 128 + n after signal n. */
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

static double seconds_in(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

/* Runs a program to its end, and measures the time from before the start until the process has
 * ended; with `works` its processor time. Hashes the output: with `all` to its end, otherwise until
 * at least HEAD_BYTES are read. */
static void run_program(const struct program *program, bool all, bool works,
                        struct output_digest *output, struct bench_run *run)
{
    struct rusage usage = {.ru_maxrss = 0};
    double begin;
    pid_t child;
    int sink[2];

    if (pipe2(sink, O_CLOEXEC) != 0)
        fail("pipe: %s", strerror(errno));
    (void)fcntl(sink[0], F_SETPIPE_SZ, SINK_PIPE_BYTES); /* this may fail */
    begin = clock_seconds();
    child = start(program->argument, sink[1]);
    close(sink[1]);
    drain(sink[0], all, output);
    run->status = wait_for(child, &usage);
    run->seconds =
        works ? seconds_in(&usage.ru_utime) + seconds_in(&usage.ru_stime) : clock_seconds() - begin;
    run->memory_bytes = (uint64_t)usage.ru_maxrss << 10; /* the largest resident set */
    close(sink[0]);
}

/* ---- Competitors --------------------------------------------------------------------------- */

/* Runs the competitor. The answer is the output's hash, or with bag=1 the hash of its lines in any
 * order, and the exit status. A status above 1 makes the run fail. */
static void run_command(struct competitor *it, bool full, struct bench_run *run)
{
    bool bag = field(&it->question->fields, "bag", NULL) != NULL;
    struct output_digest output = {0, 0, FNV_OFFSET, 0, FNV_OFFSET};

    run_program((const struct program *)it->state, full, competitor_works(it), &output, run);
    if (run->status > 1)
        snprintf(run->why, sizeof run->why, "it ended with status %d", run->status);
    run->answer.count = output.bytes;
    run->answer.summed = output.seen == output.bytes; /* false: only lengths are compared */
    run->answer.sum =
        answer_mix(bag ? output.lines ^ output.line : output.hash, (uint64_t)run->status, 0);
}

static void close_command(struct competitor *it)
{
    struct program *program = (struct program *)it->state;

    free(program->bytes);
    free(program);
}

bool command_competitor(struct competitor *competitor, const char *kind)
{
    const char *argv = field(&competitor->fields, "argv", NULL);
    struct program *program;
    char *rest, *word;
    uint32_t count = 0;

    if (strcmp(kind, "command") != 0)
        return false;
    if (argv == NULL)
        fail("a command without argv: %s", competitor->name);
    program = (struct program *)allocate(sizeof *program);
    rest = program->bytes = copy_text(argv);
    while ((word = strsep(&rest, SEPARATOR)) != NULL) {
        if (count == ARGUMENTS_MAX)
            fail("a command has more than %u words", ARGUMENTS_MAX);
        program->argument[count++] = word;
    }
    competitor->state = program;
    competitor->agrees = true;
    competitor->run = run_command;
    competitor->close = close_command;
    return true;
}
