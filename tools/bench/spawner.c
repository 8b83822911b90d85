/* spawner: a small process that runs commands for a large one. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/spawner.h"
#include "bench/util.h"

#define ARGUMENTS_MAX 24u
#define LINE_BYTES_MAX (16u << 10)

/* A command line: its arguments one after another, each with its NUL. */
struct request {
    uint32_t argument_count, bytes_count;
    bool hash_all;
    char bytes[LINE_BYTES_MAX];
};

/* All bytes, or false at the pipe's end. */
static bool take(int descriptor, void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t got = read(descriptor, (char *)bytes + done, count - done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static void give(int descriptor, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t put = write(descriptor, (const char *)bytes + done, count - done);

        if (put < 0 && errno != EINTR)
            fail("the process that runs commands: %s", strerror(errno));
        done += put > 0 ? (size_t)put : 0;
    }
}

static void serve(int request_pipe, int reply_pipe)
{
    static struct request request;
    const char *program[ARGUMENTS_MAX + 1];
    struct command command = {program, NULL};
    struct outcome outcome;

    while (take(request_pipe, &request, sizeof request)) {
        const char *at = request.bytes;

        for (uint32_t i = 0; i < request.argument_count; i++, at += strlen(at) + 1)
            program[i] = at;
        program[request.argument_count] = NULL;
        process_run(&command, request.hash_all, &outcome);
        give(reply_pipe, &outcome, sizeof outcome);
    }
    _exit(0);
}

void spawner_open(struct spawner *spawner)
{
    int request[2], reply[2];
    pid_t child;

    if (pipe2(request, O_CLOEXEC) != 0 || pipe2(reply, O_CLOEXEC) != 0)
        fail("pipe: %s", strerror(errno));
    fflush(NULL);
    child = fork();
    if (child < 0)
        fail("fork: %s", strerror(errno));
    if (child == 0) {
        close(request[1]);
        close(reply[0]);
        serve(request[0], reply[1]);
    }
    close(request[0]);
    close(reply[1]);
    *spawner = (struct spawner){request[1], reply[0], child};
}

void spawner_close(struct spawner *spawner)
{
    close(spawner->request);
    close(spawner->reply);
    while (waitpid(spawner->child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

void spawner_run(const struct spawner *spawner, const char *const *program, bool hash_all,
                 struct outcome *outcome)
{
    static struct request request;
    uint64_t used = 0;
    uint32_t count = 0;

    memset(&request, 0, sizeof request);
    for (; program[count] != NULL; count++) {
        size_t bytes = strlen(program[count]) + 1;

        if (count == ARGUMENTS_MAX || used + bytes > sizeof request.bytes)
            fail("a command line is too long: %s", program[0]);
        memcpy(request.bytes + used, program[count], bytes);
        used += bytes;
    }
    request.argument_count = count;
    request.bytes_count = (uint32_t)used;
    request.hash_all = hash_all;
    give(spawner->request, &request, sizeof request);
    if (!take(spawner->reply, outcome, sizeof *outcome))
        fail("the process that runs commands has ended");
}
