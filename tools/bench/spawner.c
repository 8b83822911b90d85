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

/* A command: the program's arguments one after another, each with its NUL, then the feeder's. */
struct request {
    uint32_t argument_count, feeder_count, bytes_count;
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

/* The next `count` arguments as a list that ends in NULL; what follows them. */
static const char *take_list(const char *at, uint32_t count, const char **list)
{
    for (uint32_t i = 0; i < count; i++, at += strlen(at) + 1)
        list[i] = at;
    list[count] = NULL;
    return at;
}

static void serve(int request_pipe, int reply_pipe)
{
    static struct request request;
    const char *program[ARGUMENTS_MAX + 1], *feeder[ARGUMENTS_MAX + 1];
    struct outcome outcome;

    while (take(request_pipe, &request, sizeof request)) {
        struct command command = {program, request.feeder_count > 0 ? feeder : NULL};

        (void)take_list(take_list(request.bytes, request.argument_count, program),
                        request.feeder_count, feeder);
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

/* Append a list; returns how many arguments it has. */
static uint32_t give_list(struct request *request, const char *const *list)
{
    uint32_t count = 0;

    for (; list[count] != NULL; count++) {
        size_t bytes = strlen(list[count]) + 1;

        if (count == ARGUMENTS_MAX || request->bytes_count + bytes > sizeof request->bytes)
            fail("a command line is too long: %s", list[0]);
        memcpy(request->bytes + request->bytes_count, list[count], bytes);
        request->bytes_count += (uint32_t)bytes;
    }
    return count;
}

void spawner_run(const struct spawner *spawner, const struct command *command, bool hash_all,
                 struct outcome *outcome)
{
    static struct request request;

    memset(&request, 0, sizeof request);
    request.argument_count = give_list(&request, command->program);
    if (command->feeder != NULL)
        request.feeder_count = give_list(&request, command->feeder);
    request.hash_all = hash_all;
    give(spawner->request, &request, sizeof request);
    if (!take(spawner->reply, outcome, sizeof *outcome))
        fail("the process that runs commands has ended");
}
