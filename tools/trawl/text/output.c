/* output: standard output, in a buffer that is written with write(2).
 *
 * All printing goes through these functions; a server's request writes to a sink instead of a
 * descriptor. A write error is kept in output->error, after which nothing is written.
 */
#include "trawl/text/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trawl/text/bar.h"
#include "trawl/text/grow.h"

#define NUMBER_ROOM (OUTPUT_NUMBER_BYTES / 3) /* room for a number's digits: 3 words of 8 bytes */

void output_open(struct output *output, int descriptor)
{
    memset(output, 0, offsetof(struct output, initial)); /* the buffer would be slow to clear */
    output->descriptor = descriptor;
    output->bytes = output->initial;
    output->capacity = OUTPUT_BYTES;
}

void output_close(struct output *output)
{
    if (output->bytes != output->initial)
        free(output->bytes);
    output->bytes = output->initial;
    output->capacity = OUTPUT_BYTES;
}

static void send_frame(struct output *output, enum output_frame frame, const void *bytes,
                       size_t bytes_count)
{
    if (output->error == 0 && bytes_count > 0)
        output->error = output->sink(output->sink_context, frame, bytes, bytes_count);
}

/* Reads a byte of each page. If the bytes are in a mapped file that was truncated, the handler of
 * SIGBUS (bus.h) repairs the mapping; write(2) would raise no signal, but fail with EFAULT. */
static void touch_pages(const uint8_t *bytes, size_t bytes_count)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t i = 0; i < bytes_count; i += page)
        (void)*(const volatile uint8_t *)(bytes + i);
    (void)*(const volatile uint8_t *)(bytes + bytes_count - 1);
}

ssize_t output_write_some(int descriptor, const uint8_t *bytes, size_t bytes_count)
{
    ssize_t written;

    while ((written = write(descriptor, bytes, bytes_count)) < 0 &&
           (errno == EINTR || errno == EFAULT))
        if (errno == EFAULT)
            touch_pages(bytes, bytes_count);
    return written;
}

/* Writes bytes to the descriptor. A failure sets output->error. */
static void write_bytes(struct output *output, const uint8_t *bytes, size_t bytes_count)
{
    while (bytes_count > 0 && output->error == 0) {
        bool barred = bar_lock(output->descriptor);
        ssize_t written = output_write_some(output->descriptor, bytes, bytes_count);

        if (written < 0) {
            output->error = errno;
        } else {
            bytes += written;
            bytes_count -= (size_t)written;
        }
        if (barred)
            bar_unlock(written > 0 && bytes[-1] != '\n');
    }
}

/* Writes the lines that a limit allows; a line whose end has not come yet waits. */
static void write_lines(struct output *output, const uint8_t *bytes, size_t bytes_count)
{
    struct output_limit *limit = output->limit;
    const uint64_t room = limit->left - limit->count;
    const size_t fits = bytes_count < room ? bytes_count : (size_t)room;
    const uint8_t *end = memrchr(bytes, limit->line_end, fits);
    const size_t whole = end != NULL ? (size_t)(end + 1 - bytes) : 0, rest = bytes_count - whole;

    if (output->error != 0)
        return;
    if (whole > 0) {
        write_bytes(output, limit->line, limit->count);
        write_bytes(output, bytes, whole);
        limit->left -= limit->count + whole;
        limit->count = 0;
    }
    if (limit->count + rest > limit->left) {
        limit->reached = true;
        output->error = ECANCELED;
    } else if (!GROW(limit->line, limit->capacity, 256, limit->count + rest)) {
        output->error = ENOMEM;
    } else if (rest > 0) {
        memcpy(limit->line + limit->count, bytes + whole, rest);
        limit->count += rest;
    }
}

void output_end_limit(struct output *output)
{
    struct output_limit *limit = output->limit;

    if (limit == NULL)
        return;
    output_flush(output);
    output->limit = NULL;
    if (limit->reached)
        output->error = 0;
    else
        write_bytes(output, limit->line, limit->count);
    free(limit->line);
}

/* Writes bytes to the descriptor, to the sink, or to output->through. A failure sets
 * output->error. */
static void write_output(struct output *output, const uint8_t *bytes, size_t bytes_count)
{
    output->written += bytes_count;
    if (output->through != NULL) {
        write_output(output->through, bytes, bytes_count);
        output->error = output->through->error;
    } else if (output->sink != NULL) {
        send_frame(output, OUTPUT_FRAME_OUTPUT, bytes, bytes_count);
    } else if (output->limit != NULL) {
        write_lines(output, bytes, bytes_count);
    } else {
        write_bytes(output, bytes, bytes_count);
    }
}

void output_frame(struct output *output, enum output_frame frame, const void *bytes,
                  size_t bytes_count)
{
    output_flush(output);
    send_frame(output, frame, bytes, bytes_count);
}

void output_write(struct output *output)
{
    if (output->full != NULL)
        return;
    write_output(output, output->bytes, output->committed);
    output->used -= output->committed;
    if (output->used > 0 && output->committed > 0)
        memmove(output->bytes, output->bytes + output->committed, output->used);
    output->committed = 0;
}

void output_flush(struct output *output)
{
    output_commit(output);
    output_write(output);
}

/* Enlarges the buffer so that bytes_count more bytes fit. False: no memory, or the buffer would
 * exceed `max`. */
static bool grow(struct output *output, size_t bytes_count, size_t max)
{
    size_t capacity = output->capacity;
    uint8_t *bytes;

    while (capacity - output->used < bytes_count && capacity < max)
        capacity *= 2;
    bytes = capacity - output->used < bytes_count ? NULL : malloc(capacity);
    if (bytes == NULL)
        return false;
    memcpy(bytes, output->bytes, output->used);
    if (output->bytes != output->initial)
        free(output->bytes);
    output->bytes = bytes;
    output->capacity = capacity;
    return true;
}

/* Returns true if bytes_count more bytes can be kept. If not, calls full(), and from then on bytes
 * are written. */
static bool keep_bytes(struct output *output, size_t bytes_count)
{
    if (output->capacity - output->used >= bytes_count ||
        grow(output, bytes_count, OUTPUT_KEPT_MAX))
        return true;
    output->full(output->full_context);
    return false;
}

void output_make_room(struct output *output, size_t bytes_count)
{
    const struct output *last = output->through != NULL ? output->through : output;

    if (output->full != NULL && keep_bytes(output, bytes_count))
        return;
    output_write(output);
    if (output->capacity - output->used >= bytes_count)
        return;
    /* Holding back fewer bytes is not an error: it only makes the report about a binary file less
     * exact. Callers request at most half of the first buffer. */
    if (!grow(output, bytes_count,
              output->holds && last->sink == NULL ? OUTPUT_BLOCK_MAX : OUTPUT_HELD_MAX)) {
        output_flush(output);
        output->overflowed = true;
    }
}

void output_bytes_large(struct output *output, const void *bytes, size_t bytes_count)
{
    const uint8_t *at = bytes;
    size_t part = OUTPUT_BYTES / 2;

    if (output->full != NULL && keep_bytes(output, bytes_count)) {
        memcpy(output->bytes + output->used, bytes, bytes_count);
        output->used += bytes_count;
        return;
    }
    for (; output->holds && bytes_count > 0; at += part, bytes_count -= part) {
        part = bytes_count < part ? bytes_count : part;
        output_bytes(output, at, part);
    }
    if (output->holds)
        return;
    output_flush(output);
    write_output(output, bytes, bytes_count);
}

void output_format(struct output *output, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        output->error = ENOMEM;
    else
        output_text(output, text);
    va_end(arguments);
    free(text);
}

void output_number(struct output *output, uint64_t number, unsigned width)
{
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    uint8_t *digits;
    size_t at = NUMBER_ROOM;

    /* The digits are written after their place and then moved. A local array would cost a check by
     * the stack protector, and with _FORTIFY_SOURCE a copy of two digits to a variable offset would
     * be a function call. */
    output_need(output, OUTPUT_NUMBER_BYTES);
    digits = output->bytes + output->used + NUMBER_ROOM;
    for (; number >= 10; number /= 100) {
        digits[--at] = (uint8_t)pairs[2 * (number % 100) + 1];
        digits[--at] = (uint8_t)pairs[2 * (number % 100)];
    }
    if (number > 0 || at == NUMBER_ROOM)
        digits[--at] = (uint8_t)('0' + number);
    while (NUMBER_ROOM - at < width && at > 0)
        digits[--at] = ' ';
    /* The length is fixed. The next output overwrites the bytes after the digits. */
    memcpy(output->bytes + output->used, digits + at, NUMBER_ROOM);
    output->used += NUMBER_ROOM - at;
}
