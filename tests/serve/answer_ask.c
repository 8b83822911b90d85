/* answer_ask: a command line, both ways: by the command, and as a request that is answered. */
#include "tests/serve/answer_ask.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct server server = {
    .limits = {1 << 20, 1000, 1 << 20, 1 << 20, 600},
    .thread_count = 3,
};
const char *command;
_Thread_local struct output_bytes json_lines;

static void append(struct output_bytes *to, const void *bytes, size_t bytes_count)
{
    to->bytes = realloc(to->bytes, to->count + bytes_count + 1);
    memcpy(to->bytes + to->count, bytes, bytes_count);
    to->count += bytes_count;
    to->bytes[to->count] = '\0';
}

static void read_all(int descriptor, struct output_bytes *to)
{
    char bytes[65536];
    ssize_t got;

    append(to, "", 0);
    while ((got = read(descriptor, bytes, sizeof bytes)) > 0)
        append(to, bytes, (size_t)got);
}

void free_printed(struct printed *printed)
{
    free(printed->output.bytes);
    free(printed->messages.bytes);
}

/* Times differ. */
void mask_elapsed(struct output_bytes *output)
{
    char *at = output->bytes, *to = at, *end = at + output->count;

    while (at < end) {
        if ((size_t)(end - at) > 8 && memcmp(at, "\"elapsed", 8) == 0)
            at = memchr(at, '}', (size_t)(end - at));
        *to++ = *at++;
    }
    output->count = (size_t)(to - output->bytes);
}

void run_command(char **arguments, struct printed *printed)
{
    FILE *output = tmpfile(), *messages = tmpfile();
    pid_t child = fork();
    int status = 0;

    memset(printed, 0, sizeof *printed);
    if (child == 0) {
        if (chdir(getenv("PWD")) != 0)
            _exit(98);
        dup2(fileno(output), 1);
        dup2(fileno(messages), 2);
        execvp(command, arguments);
        _exit(99);
    }
    waitpid(child, &status, 0);
    printed->status = WEXITSTATUS(status);
    lseek(fileno(output), 0, SEEK_SET);
    lseek(fileno(messages), 0, SEEK_SET);
    read_all(fileno(output), &printed->output);
    read_all(fileno(messages), &printed->messages);
    fclose(output);
    fclose(messages);
}

static void append_line(const struct served_answer *answer, enum output_frame frame,
                        const uint8_t *bytes, size_t bytes_count)
{
    size_t line_bytes = 0;
    char *line = answer_line(answer, frame, bytes, bytes_count, &line_bytes);

    append(&json_lines, line, line_bytes);
    free(line);
}

/* As the server reads: no longer than the answer may take. */
static void read_frames(struct served_answer *answer, struct output_bytes *frames)
{
    struct pollfd end = {answer_descriptor(answer), POLLIN, 0};

    while (poll(&end, 1, answer_left_ms(answer)) == 0)
        ;
    read_all(end.fd, frames);
}

/* False: refused, with printed->status and the message. */
bool ask(json_t *body, enum request_format format, struct printed *printed)
{
    struct request request;
    struct served_answer *answer = NULL;
    char message[SETTINGS_ERROR_BYTES] = "", *text = json_dumps(body, 0);
    const char *prefix = json_is_true(json_object_get(body, "tg")) ? "tg: " : "trawl: ";
    struct output_bytes frames = {NULL, 0};

    memset(printed, 0, sizeof *printed);
    append(&printed->output, "", 0);
    append(&printed->messages, "", 0);
    if (request_read(&request, text, strlen(text), format, &server.limits, &printed->status,
                     message))
        answer = answer_begin(&server, &request, 1, &printed->status, message);
    else
        request_free(&request);
    free(text);
    if (answer != NULL && !answer_begun(answer, &printed->status, message)) {
        answer_end(answer);
        answer = NULL;
    }
    if (answer == NULL) {
        append(&printed->messages, message, strlen(message));
        return false;
    }
    printed->status = -1;
    read_frames(answer, &frames);
    for (size_t at = 0; at + 5 <= frames.count;) {
        const uint8_t *head = (const uint8_t *)frames.bytes + at;
        size_t bytes_count = head[1] | (size_t)head[2] << 8 | (size_t)head[3] << 16;

        if (head[0] == OUTPUT_FRAME_OUTPUT) {
            append(&printed->output, head + 5, bytes_count);
        } else if (head[0] == OUTPUT_FRAME_MESSAGE) {
            append(&printed->messages, prefix, strlen(prefix));
            append(&printed->messages, head + 5, bytes_count);
            append(&printed->messages, "\n", 1);
        } else {
            printed->status = head[0] == OUTPUT_FRAME_EXIT && at + 6 == frames.count ? head[5] : -2;
        }
        if (head[0] != OUTPUT_FRAME_OUTPUT)
            append_line(answer, (enum output_frame)head[0], head + 5, bytes_count);
        at += 5 + bytes_count;
    }
    free(frames.bytes);
    answer_end(answer);
    return true;
}
