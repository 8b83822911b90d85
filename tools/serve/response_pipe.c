/* response_pipe: passes on what the job of a response prints, in the format of the request. */
#include "serve/response_inside.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/json.h"
#include "trawl/text/command_clock.h"
#include "trawl/text/grow.h"

#define FRAME_BYTES_MAX (1u << 30)
#define LAST_LINE_NS SECOND_NS

/* Writes bytes into the pipe. Before the response begins, keeps the bytes in memory instead,
 * because the request may still be rejected. Returns 0 or an errno. */
static int put(struct response *response, const void *bytes, size_t bytes_count)
{
    if (!response->pipe.begun) {
        if (!GROW(response->pipe.kept, response->pipe.kept_capacity, 256,
                  response->pipe.kept_count + bytes_count))
            return ENOMEM;
        memcpy(response->pipe.kept + response->pipe.kept_count, bytes, bytes_count);
        response->pipe.kept_count += bytes_count;
        return 0;
    }
    for (const uint8_t *at = bytes; bytes_count > 0;) {
        ssize_t written = output_write_some(response->pipe.descriptors[1], at, bytes_count);

        if (written < 0)
            return errno;
        at += written;
        bytes_count -= (size_t)written;
        response->server->answer_bytes += (uint64_t)written;
    }
    return 0;
}

/* Writes bytes as frames (a type, a length and at most FRAME_BYTES_MAX bytes each). Returns 0 or an
 * errno. */
static int put_frame(struct response *response, enum output_frame frame, const uint8_t *bytes,
                     size_t bytes_count)
{
    size_t kept_count = response->pipe.kept_count;
    int os_code = 0;

    for (uint32_t count; bytes_count > 0 && os_code == 0; bytes += count, bytes_count -= count) {
        count = bytes_count < FRAME_BYTES_MAX ? (uint32_t)bytes_count : FRAME_BYTES_MAX;
        os_code = put(response,
                      (uint8_t[]){(uint8_t)frame, (uint8_t)count, (uint8_t)(count >> 8),
                                  (uint8_t)(count >> 16), (uint8_t)(count >> 24)},
                      5);
        if (os_code == 0)
            os_code = put(response, bytes, count);
    }
    if (os_code != 0)
        response->pipe.kept_count = kept_count; /* keep no part of a frame */
    return os_code;
}

/* Writes a message or the exit status as a JSON line, for REQUEST_JSON. Returns 0 or an errno. */
static int put_line(struct response *response, enum output_frame frame, const uint8_t *bytes,
                    size_t bytes_count)
{
    bool is_exit = frame == OUTPUT_FRAME_EXIT;
    const struct json_answer_values values = {.status_exit = is_exit ? bytes[0] : 0,
                                              .status_truncated = response->truncated,
                                              .status_searched = response->searched,
                                              .status_seconds =
                                                  (double)(now_ns() - response->begin_ns) * 1e-9,
                                              .status_shared = response->shared_count};
    json_t *data = is_exit
                       ? json_answer_pack(JSON_status, &values)
                       : json_pack("{s:o}", "text", text_value((const char *)bytes, bytes_count));
    char *line =
        text_line(json_pack("{s:s, s:o}", "type", is_exit ? "status" : "message", "data", data));
    /* If the last line was truncated (in_line), end that line first. */
    int os_code = line == NULL ? ENOMEM : put(response, "\n", response->pipe.in_line);

    response->pipe.in_line = false;
    if (os_code == 0 && is_exit && response->pipe.file_end != NULL)
        os_code = put(response, response->pipe.file_end, strlen(response->pipe.file_end));
    if (os_code == 0)
        os_code = put(response, line, strlen(line));
    free(line);
    return os_code;
}

static bool begins_with(const uint8_t *at, size_t bytes_count, const char *text)
{
    return bytes_count >= strlen(text) && memcmp(at, text, strlen(text)) == 0;
}

/* Called for each line of REQUEST_JSON that the job writes in one call, as it does the `begin` and
 * `end` lines of a file (json.c). After a `begin`, prepares the `end` line that must follow if the
 * response is truncated later. If out of memory, that line will be missing. */
static void follow_file(struct response *response, const uint8_t *line, size_t bytes_count)
{
    static const char begin[] = "{\"type\":\"begin\"", rest[] = "}}\n";
    bool begins = begins_with(line, bytes_count, begin);

    if (!begins && !begins_with(line, bytes_count, "{\"type\":\"end\""))
        return;
    free(response->pipe.file_end);
    response->pipe.file_end = NULL;
    if (begins &&
        asprintf(&response->pipe.file_end, "{\"type\":\"end\"%.*s,\"binary_offset\":null}}\n",
                 (int)(bytes_count - strlen(begin) - strlen(rest)),
                 (const char *)line + strlen(begin)) < 0)
        response->pipe.file_end = NULL;
}

/* Returns the byte that ends a line of output, once settings_build has chosen the report. */
static uint8_t line_end_of(const struct settings *settings)
{
    const struct report *report = settings->report;
    bool is_null = report->prints == PRINTS_NAME || settings->files.names_only
                       ? settings->heads.null_after_name
                       : settings->null_data && report->prints == PRINTS_TEXT;

    return is_null && !settings->json ? '\0' : '\n';
}

/* Returns how many of the bytes come before the first result beyond pipe.lines_left, and sets
 * response->pipe.cut if there is such a result. Each line is a result; with REQUEST_JSON, each line
 * of type "match". The job writes a line's type together with the line's first bytes (put_beginning
 * of json.c), so the type is known where the line begins. */
static size_t bytes_within_limit(struct response *response, const uint8_t *bytes,
                                 size_t bytes_count)
{
    bool is_json = response->request.format == REQUEST_JSON;
    const char *prefix = is_json ? "{\"type\":\"match\"" : "";
    const uint8_t *at = bytes, *end = bytes + bytes_count, *line_end;
    const uint8_t ends_line = line_end_of(&response->request.settings);

    for (; at < end; at = line_end == NULL ? end : line_end + 1) {
        line_end = memchr(at, ends_line, (size_t)(end - at));
        if (!response->pipe.in_line) {
            response->pipe.line_counts = begins_with(at, (size_t)(end - at), prefix);
            response->pipe.cut = response->pipe.line_counts && response->pipe.lines_left == 0;
            if (response->pipe.cut)
                break;
        }
        if (is_json && !response->pipe.in_line && line_end != NULL)
            follow_file(response, at, (size_t)(line_end + 1 - at));
        response->pipe.in_line = line_end == NULL;
        response->pipe.lines_left -=
            response->pipe.line_counts && !response->pipe.in_line && response->pipe.lines_left > 0;
    }
    return (size_t)(at - bytes);
}

/* Returns true if output stops immediately, even inside a line: the client is gone, or the deadline
 * passed more than LAST_LINE_NS ago. Before that, the current line is still
 * completed. */
static bool is_late(const struct response *response)
{
    const struct guard *guard = &response->request.guard;
    uint64_t now = now_ns();

    return guard->cancelled ||
           (now > guard->deadline_ns && now - guard->deadline_ns > LAST_LINE_NS);
}

int response_sink(void *context, enum output_frame frame, const void *bytes, size_t bytes_count)
{
    struct response *response = context;
    enum request_format format = response->request.format;
    int os_code = 0;

    if (frame == OUTPUT_FRAME_OUTPUT) {
        if (format <= REQUEST_FRAMES && response_is_over(response)) {
            response->pipe.lines_left = 0;
            if (is_late(response))
                return ECANCELED;
        }
        if (format == REQUEST_JSON ||
            (format == REQUEST_FRAMES && response->pipe.lines_left != UINT64_MAX))
            bytes_count = bytes_within_limit(response, bytes, bytes_count);
    } else if (frame == OUTPUT_FRAME_MESSAGE && !response->pipe.begun &&
               *response->message == '\0') {
        (void)snprintf(response->message, sizeof response->message, "%.*s", (int)bytes_count,
                       /* this message is the reason if the request is rejected */
                       (const char *)bytes);
    }
    if (format == REQUEST_FRAMES)
        os_code = put_frame(response, frame, bytes, bytes_count);
    else if (frame == OUTPUT_FRAME_OUTPUT)
        os_code = put(response, bytes, bytes_count);
    else if (format == REQUEST_JSON)
        os_code = put_line(response, frame, bytes, bytes_count);
    return os_code == 0 && response->pipe.cut ? ECANCELED : os_code;
}

bool response_is_over(struct response *response)
{
    if (!guard_is_over(&response->request.guard))
        return response->truncated;
    if (!response->request.guard.cancelled)
        response->truncated = true;
    return true;
}

void response_accept(struct response *response)
{
    if (response->pipe.begun || response->http_status != 0)
        return;
    response->pipe.begun = true;
    if (response->pipe.kept_count > 0)
        (void)put(response, response->pipe.kept, response->pipe.kept_count);
}

void response_refuse(struct response *response, int http_status, const char *message)
{
    int guard_status;
    const char *why = request_refusal(&response->request.guard, &guard_status);

    if (response->pipe.begun || response->http_status != 0)
        return;
    if (why != NULL) {
        message = why;
        http_status = guard_status;
    }
    if (message != response->message)
        (void)snprintf(response->message, sizeof response->message, "%s", message);
    response->http_status = http_status;
}
