/* stream: an answer's frames, read as its client wants them.
 *
 * One thread uses a stream. It waits for the answer and watches the client's connection meanwhile:
 * a client that closes its end, also for writing alone, is gone.
 */
#ifndef SERVE_STREAM_H
#define SERVE_STREAM_H

#include <sys/types.h>

#include "serve/answer.h"

#define STREAM_HEAD_BYTES 5              /* of a frame: its kind, and how many bytes follow */
#define STREAM_LINE_BYTES_MAX (1u << 20) /* of a message; longer ones are cut off */

struct answer_stream {
    struct served_answer *answer; /* borrowed, as the connection's descriptor */
    enum request_format format;
    int connection;
    uint8_t head[STREAM_HEAD_BYTES];
    size_t head_count;
    uint32_t left;     /* bytes of the frame that are to come */
    bool ended;        /* the frame of the exit status began */
    bool waited;       /* for the answer, since the caller looked */
    uint8_t *gathered; /* a frame that is no output */
    size_t gathered_count;
    char *line; /* what stands for it; NULL: none */
    size_t line_count, line_sent;
    size_t begin, end; /* of what was read, in `bytes` */
    uint8_t bytes[64u << 10];
};

#define STREAM_END ((ssize_t)-1)
#define STREAM_BROKEN ((ssize_t)-2) /* the client is gone, or the answer ended early */

/* At least one byte, at most room of what the client gets; STREAM_END, STREAM_BROKEN. */
ssize_t stream_read(struct answer_stream *stream, uint8_t *to, size_t room);

/* Wait until the answer begins or ends. False: the client is gone. */
bool stream_wait(struct answer_stream *stream);

void stream_close(struct answer_stream *stream);

#endif
