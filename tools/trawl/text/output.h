/* output: standard output, in a buffer that is written with write(2).
 *
 * Bytes are held back until output_commit, because a file's block may turn out to be binary after
 * some of its lines were formatted; then `used` is set back to `committed`. At most OUTPUT_HELD_MAX
 * bytes are held back, or OUTPUT_BLOCK_MAX if a NUL may still discard them and the output goes to
 * no sink (a server's clients share its memory). Beyond that limit the output commits
 * automatically.
 *
 * If `sink` is set, sink() receives the output, the messages and at the end the exit status, in
 * order, and nothing is written to the descriptor. sink() returns 0 or an errno; after an errno,
 * sink() is not called again.
 *
 * If `through` is set, output is passed on to the output that it points to.
 *
 * If `full` is set, nothing is written: up to OUTPUT_KEPT_MAX bytes are kept, then full() is
 * called. full() must set `full` to NULL, and may remove committed bytes.
 */
#ifndef TRAWL_OUTPUT_H
#define TRAWL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "trawl/text/sizes.h"

#define OUTPUT_SIZES 128u << 10, 512u /* size of the initial buffer */
#define OUTPUT_BYTES SIZE_OR_SMALL(OUTPUT_SIZES)
#define OUTPUT_HELD_MAX (4u << 20)
#define OUTPUT_BLOCK_MAX (32u << 20) /* 340 bytes for each byte of a block */
#define OUTPUT_KEPT_MAX SIZE_OR_SMALL(1u << 20, 2000u)

/* The kinds of frames that a sink receives and a server sends to the command. A frame on the wire
 * is this byte, the length of the contents (4 bytes, little-endian), and the contents. */
enum output_frame {
    OUTPUT_FRAME_OUTPUT = 'o',  /* bytes for standard output */
    OUTPUT_FRAME_MESSAGE = 'm', /* a line for standard error, without the program's name */
    /* the exit status, a byte; the last frame. If the request has the `part` member, the byte has
     * more bits, and the separator between two answers follows (write_exit in response.c) */
    OUTPUT_FRAME_EXIT = 'x'
};

/* --max-output: what is written ends with a whole line. */
struct output_limit {
    uint64_t left; /* bytes that may still be written */
    uint8_t line_end;
    bool reached;  /* more was to be written; then output->error is ECANCELED */
    uint8_t *line; /* the start of a line, until its end comes */
    size_t count, capacity;
};

struct output {
    int descriptor;
    struct output_limit *limit; /* NULL: none; not with `through`. Borrowed */
    struct output *through;     /* NULL: write to the descriptor */
    int (*sink)(void *context, enum output_frame frame, const void *bytes, size_t bytes_count);
    void *sink_context;
    uint8_t *bytes; /* the buffer: `initial`, or allocated */
    size_t capacity;
    size_t used;      /* bytes in the buffer */
    size_t committed; /* bytes that may be written; ≤ used */
    /* new bytes may be discarded, so even large output goes through the buffer */
    bool holds;
    bool overflowed;  /* bytes to be held back were committed; the caller resets it */
    uint64_t written; /* bytes that left the buffer, whether or not they could be written */
    int error;        /* errno of a failed write, after which nothing is written */
    void (*full)(void *context);
    void *full_context; /* passed to `full` */
    uint8_t initial[SIZE_ROOM(OUTPUT_SIZES)];
};

/* Calls write(2) until some of the bytes are written or the call fails permanently. The bytes may
 * be in a mapped file that was truncated. */
ssize_t output_write_some(int descriptor, const uint8_t *bytes, size_t bytes_count);

/* Prepares an output that writes to the descriptor, with `through` set to NULL. */
void output_open(struct output *output, int descriptor);
void output_close(struct output *output);

void output_make_room(struct output *output, size_t bytes_count);
void output_write(struct output *output); /* writes the committed bytes, unless `full` is set */
void output_flush(struct output *output); /* commits, then writes all bytes */
/* Ends a limit: what comes now is written whole. Writes a last line without an end, if it fits. */
void output_end_limit(struct output *output);
/* Passes a frame to `sink`, which must be set, after the output so far. */
void output_frame(struct output *output, enum output_frame frame, const void *bytes,
                  size_t bytes_count);

static inline void output_commit(struct output *output)
{
    output->committed = output->used;
}

static inline void output_need(struct output *output, size_t bytes_count)
{
    if (output->capacity - output->used < bytes_count)
        output_make_room(output, bytes_count);
}

static inline void output_byte(struct output *output, uint8_t byte)
{
    output_need(output, 1);
    output->bytes[output->used++] = byte;
}

/* Adds more than OUTPUT_BYTES / 2 bytes. If `holds` is set, or if `full` is set and the bytes can
 * be kept, the bytes go into the buffer. Otherwise the buffer is written, and then the bytes,
 * without a copy. */
void output_bytes_large(struct output *output, const void *bytes, size_t bytes_count);

static inline void output_bytes(struct output *output, const void *bytes, size_t bytes_count)
{
    if (bytes_count > OUTPUT_BYTES / 2) {
        output_bytes_large(output, bytes, bytes_count);
        return;
    }
    output_need(output, bytes_count);
    if (bytes_count > 0)
        memcpy(output->bytes + output->used, bytes, bytes_count);
    output->used += bytes_count;
}

static inline void output_text(struct output *output, const char *text)
{
    output_bytes(output, text, strlen(text));
}

/* Adds a formatted text. Slow, because the text is first written into allocated memory. */
void output_format(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define OUTPUT_NUMBER_BYTES 72u /* room that output_number needs */
/* Adds a decimal number, padded with spaces on the left to at least `width` characters. */
void output_number(struct output *output, uint64_t number, unsigned width);

#endif
