/* output: standard output, in one buffer that is written with write(2).
 *
 * Bytes are held until committed: a file's block may turn out to be binary late, and then what was
 * formatted from that block must not appear. At most OUTPUT_HELD_MAX bytes are held; beyond, they
 * are committed.
 *
 * If `sink` is set, what would be written is given to it, as messages are and, at the end, the exit
 * status, in their order. It returns an errno, 0: none; after one nothing more is given to it.
 *
 * If `through` is set, what is written is written by that output instead.
 *
 * If `full` is set, nothing is written: everything is kept, up to OUTPUT_KEPT_MAX bytes. Then
 * full() is called; it must set `full` to NULL, and may remove what was committed.
 */
#ifndef TRAWL_OUTPUT_H
#define TRAWL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OUTPUT_BYTES (128u << 10)
#define OUTPUT_HELD_MAX (4u << 20)
#define OUTPUT_KEPT_MAX (1u << 20)

/* What a sink gets; and what a server sends to the command, as frames: this byte, how many bytes
 * follow (4 bytes, little-endian), and these. */
enum output_frame {
    OUTPUT_FRAME_OUTPUT = 'o',
    OUTPUT_FRAME_MESSAGE = 'm', /* a line for standard error, without the program's name */
    OUTPUT_FRAME_EXIT = 'x'     /* one byte, the exit status; the last frame */
};

struct output {
    int descriptor;
    struct output *through; /* NULL: the descriptor */
    int (*sink)(void *context, enum output_frame frame, const void *bytes, size_t bytes_count);
    void *sink_context;
    uint8_t *bytes;
    size_t capacity;
    size_t used;
    size_t committed; /* <= used */
    bool holds;       /* what comes may have to be forgotten: it is not written around the buffer */
    int error;        /* errno of a failed write; then nothing more is written */
    void (*full)(void *context);
    void *full_context;
    uint8_t initial[OUTPUT_BYTES];
};

/* through is NULL afterwards. */
void output_open(struct output *output, int descriptor);
void output_close(struct output *output);

/* Make room for `bytes_count` more bytes; afterwards output_put_* of that many do not check. */
void output_make_room(struct output *output, size_t bytes_count);
void output_flush(struct output *output); /* commits */
/* After what was printed so far; `sink` is set. */
void output_frame(struct output *output, enum output_frame frame, const void *bytes,
                  size_t bytes_count);

static inline void output_commit(struct output *output)
{
    output->committed = output->used;
}

/* Forget what was not committed. */
static inline void output_discard(struct output *output)
{
    output->used = output->committed;
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

/* More than fits is written around the buffer, unless `holds`. */
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

/* Decimal, filled with blanks on the left to at least `width` places. */
void output_number(struct output *output, uint64_t number, unsigned width);

#endif
