/* stream: frames of an answer's pipe. */
#include "serve/stream.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool stream_wait(struct answer_stream *stream)
{
    struct pollfd ends[] = {{answer_descriptor(stream->answer), POLLIN, 0},
                            {stream->connection, POLLRDHUP, 0}};
    int wait_ms = 0;

    for (;;) {
        int count = poll(ends, 2, wait_ms);

        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0)
            return ends[1].revents == 0;
        stream->waited = true;
        wait_ms = answer_left_ms(stream->answer);
    }
}

/* 0, STREAM_END, STREAM_BROKEN. Answers that are one document have no last frame. */
static ssize_t fill(struct answer_stream *stream)
{
    ssize_t got;

    if (!stream_wait(stream))
        return STREAM_BROKEN;
    do
        got = read(answer_descriptor(stream->answer), stream->bytes, sizeof stream->bytes);
    while (got < 0 && errno == EINTR);
    if (got == 0 && stream->head_count == 0 &&
        (stream->ended || stream->format == REQUEST_COUNT || stream->format == REQUEST_COLUMNS))
        return STREAM_END;
    stream->begin = 0;
    stream->end = got > 0 ? (size_t)got : 0;
    return got > 0 ? 0 : STREAM_BROKEN;
}

static bool is_passed_on(const struct answer_stream *stream)
{
    return stream->format == REQUEST_FRAMES || stream->head[0] == OUTPUT_FRAME_OUTPUT;
}

/* The head is complete. False: out of memory. */
static bool begin_frame(struct answer_stream *stream)
{
    const uint8_t *count = stream->head + 1;

    stream->left =
        count[0] | (uint32_t)count[1] << 8 | (uint32_t)count[2] << 16 | (uint32_t)count[3] << 24;
    stream->ended = stream->head[0] == OUTPUT_FRAME_EXIT;
    if (is_passed_on(stream))
        return true;
    stream->gathered_count = 0;
    stream->gathered =
        malloc(stream->left < STREAM_LINE_BYTES_MAX ? stream->left + 1 : STREAM_LINE_BYTES_MAX);
    return stream->gathered != NULL;
}

/* All of the frame was read. False: out of memory. */
static bool end_frame(struct answer_stream *stream)
{
    enum output_frame kind = (enum output_frame)stream->head[0];
    size_t count = stream->gathered_count;

    stream->head_count = 0;
    if (stream->gathered == NULL)
        return true;
    if (stream->format == REQUEST_JSON) {
        stream->line =
            answer_line(stream->answer, kind, stream->gathered, count, &stream->line_count);
        stream->line_sent = 0;
    }
    free(stream->gathered);
    stream->gathered = NULL;
    return stream->format != REQUEST_JSON || stream->line != NULL;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Go on in what was read, within one frame. Returns how many bytes the client gets; STREAM_BROKEN.
 */
static ssize_t step(struct answer_stream *stream, uint8_t *to, size_t room)
{
    const uint8_t *from = stream->bytes + stream->begin;
    size_t count = stream->end - stream->begin, sent = 0;
    bool in_head = stream->head_count < STREAM_HEAD_BYTES;

    count = least(count, in_head ? STREAM_HEAD_BYTES - stream->head_count : stream->left);
    if (in_head ? stream->format == REQUEST_FRAMES : is_passed_on(stream)) {
        count = sent = least(count, room);
        memcpy(to, from, count);
    }
    stream->begin += count;
    if (in_head) {
        memcpy(stream->head + stream->head_count, from, count);
        stream->head_count += count;
        if (stream->head_count < STREAM_HEAD_BYTES)
            return (ssize_t)sent;
        if (!begin_frame(stream))
            return STREAM_BROKEN;
    } else {
        stream->left -= (uint32_t)count;
        if (!is_passed_on(stream)) {
            size_t kept = least(count, STREAM_LINE_BYTES_MAX - stream->gathered_count);

            memcpy(stream->gathered + stream->gathered_count, from, kept);
            stream->gathered_count += kept;
        }
    }
    return stream->left > 0 || end_frame(stream) ? (ssize_t)sent : STREAM_BROKEN;
}

static size_t send_line(struct answer_stream *stream, uint8_t *to, size_t room)
{
    size_t count = least(stream->line_count - stream->line_sent, room);

    memcpy(to, stream->line + stream->line_sent, count);
    stream->line_sent += count;
    if (stream->line_sent == stream->line_count) {
        free(stream->line);
        stream->line = NULL;
    }
    return count;
}

ssize_t stream_read(struct answer_stream *stream, uint8_t *to, size_t room)
{
    size_t sent = 0;

    while (sent < room) {
        ssize_t state = 0;

        if (stream->line != NULL) {
            sent += send_line(stream, to + sent, room - sent);
            continue;
        }
        if (stream->begin == stream->end) {
            if (sent > 0)
                break;
            state = fill(stream);
        } else {
            state = step(stream, to + sent, room - sent);
        }
        if (state < 0)
            return state;
        sent += (size_t)state;
    }
    return (ssize_t)sent;
}

void stream_close(struct answer_stream *stream)
{
    free(stream->gathered);
    free(stream->line);
}
