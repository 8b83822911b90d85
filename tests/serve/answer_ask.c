/* answer_ask: runs a command line both ways: by the command, and as a request to the server's
 * code. */
#include "tests/serve/answer_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/serve/short_memory.h"

struct server server = {
    .limits = {1 << 20, 1000, 1 << 20, 1 << 20, 600},
    .thread_count = 3,
};
const char *command;
_Thread_local struct output_bytes json_lines;
long ask_short_after = -1, ask_short_count;

static void append(struct output_bytes *to, const void *bytes, size_t bytes_count)
{
    char *larger;

    do
        larger = realloc(to->bytes, to->count + bytes_count + 1);
    while (larger == NULL); /* the fault is over */
    to->bytes = larger;
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

/* Removes times, which differ between runs. */
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

/* Reads as the server does: no longer than the answer may take. */
static void read_answer(struct served_answer *answer, struct output_bytes *to)
{
    char bytes[65536];
    ssize_t got;

    append(to, "", 0);
    while ((got = answer_read(answer, -1, bytes, sizeof bytes)) > 0)
        append(to, bytes, (size_t)got);
    if (got < 0)
        append(to, "ended early", 11);
}

static void say(struct printed *printed, const char *prefix, const char *text, size_t bytes_count)
{
    append(&printed->messages, prefix, strlen(prefix));
    append(&printed->messages, text, bytes_count);
    append(&printed->messages, "\n", 1);
}

static void take_frames(struct printed *printed, const char *prefix, struct output_bytes *frames)
{
    for (size_t at = 0; at + 5 <= frames->count;) {
        const uint8_t *head = (const uint8_t *)frames->bytes + at;
        size_t bytes_count = head[1] | (size_t)head[2] << 8 | (size_t)head[3] << 16;

        if (head[0] == OUTPUT_FRAME_OUTPUT)
            append(&printed->output, head + 5, bytes_count);
        else if (head[0] == OUTPUT_FRAME_MESSAGE)
            say(printed, prefix, (const char *)head + 5, bytes_count);
        else
            printed->status =
                head[0] == OUTPUT_FRAME_EXIT && at + 6 == frames->count ? head[5] : -2;
        at += 5 + bytes_count;
    }
}

/* Separates what the command prints from lines about messages and the status. */
static void take_lines(struct printed *printed, const char *prefix, struct output_bytes *lines)
{
    char *line_end;

    for (char *at = lines->bytes; (line_end = strchr(at, '\n')) != NULL; at = line_end + 1) {
        size_t bytes_count = (size_t)(line_end + 1 - at);
        json_t *line, *data;

        if (strncmp(at, "{\"type\":\"message\"", 17) != 0 &&
            strncmp(at, "{\"type\":\"status\"", 16) != 0) {
            append(&printed->output, at, bytes_count);
            continue;
        }
        append(&json_lines, at, bytes_count);
        line = json_loadb(at, bytes_count, 0, NULL);
        data = json_object_get(line, "data");
        if (at[9] == 'm')
            say(printed, prefix, json_string_value(json_object_get(data, "text")),
                json_string_length(json_object_get(data, "text")));
        else
            printed->status =
                line_end[1] == '\0' ? (int)json_integer_value(json_object_get(data, "exit")) : -2;
        json_decref(line);
    }
}

/* Asks for an answer. False: the request was refused; `printed` has the status and the message. */
bool ask(json_t *body, enum request_format format, struct printed *printed)
{
    struct request request;
    struct served_answer *answer = NULL;
    char message[SETTINGS_ERROR_BYTES] = "", *text = json_dumps(body, 0);
    const char *prefix = json_is_true(json_object_get(body, "tg")) ? "tg: " : "trawl: ";
    const char *wanted = json_string_value(json_object_get(body, "format"));
    struct output_bytes bytes = {NULL, 0};

    memset(printed, 0, sizeof *printed);
    append(&printed->output, "", 0);
    append(&printed->messages, "", 0);
    if (ask_short_after >= 0)
        short_memory(ask_short_after, ask_short_count);
    if (request_read(&request, text, strlen(text), format, &server.limits, &printed->status,
                     message))
        answer = answer_begin(&server, &request, 1, &printed->status, message);
    else
        request_free(&request);
    free(text);
    if (answer != NULL && !answer_begun(answer, -1, &printed->status, message)) {
        answer_end(answer);
        answer = NULL;
    }
    if (answer == NULL) {
        (void)short_memory_ends();
        append(&printed->messages, message, strlen(message));
        return false;
    }
    printed->status = -1;
    read_answer(answer, &bytes);
    (void)short_memory_ends();
    if (format == REQUEST_JSON && (wanted == NULL || strcmp(wanted, "json") == 0))
        take_lines(printed, prefix, &bytes);
    else if (format == REQUEST_JSON && strcmp(wanted, "frames") == 0)
        take_frames(printed, prefix, &bytes);
    else
        append(&printed->output, bytes.bytes, bytes.count);
    free(bytes.bytes);
    answer_end(answer);
    return true;
}
