/* descriptor: calls pread, read and poll, and repeats calls that a signal has interrupted. Tests
 * can make each call fail. */
#include "text/descriptor.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/fault.h"

/* maximum number of bytes per call; Linux transfers at most 2 GiB less a page */
#define READ_BYTES_MAX (1u << 30)

static enum trawl_status read_failed(const struct trawl_text *text, uint64_t offset, int code,
                                     struct trawl_error *error)
{
    enum trawl_status status =
        TRAWL_FAIL_OS(error, READ, code, "%s: %s", text->name, strerror(code));

    if (error != NULL)
        error->text_offset = offset;
    return status;
}

/* Reads the file at this offset, or the stream if the offset is -1. */
static ssize_t faulty_read(int descriptor, void *buffer, size_t count, off_t offset)
{
    if (fault_hit()) {
        errno = EIO;
        return -1;
    }
    return offset < 0 ? read(descriptor, buffer, count) : pread(descriptor, buffer, count, offset);
}

enum trawl_status read_file(const struct trawl_text *text, uint64_t offset, uint8_t *buffer,
                            uint64_t count, uint64_t *read_bytes, struct trawl_error *error)
{
    uint64_t got = 1;

    TRAWL_ASSERT(text->descriptor >= 0);
    for (*read_bytes = 0; *read_bytes < count && got > 0; *read_bytes += got)
        TRAWL_TRY(read_bytes_of(text, true, -1, saturating_add(offset, *read_bytes),
                                buffer + *read_bytes, count - *read_bytes, &got, error));
    return TRAWL_OK;
}

bool read_is_ready(int from, uint32_t wait_ns)
{
    struct pollfd descriptor = {from, POLLIN, 0};
    const struct timespec wait = {0, wait_ns};

    return from >= 0 && ppoll(&descriptor, 1, &wait, NULL) > 0;
}

/* Waits until the stream can be read. Returns false if `wake` becomes readable first. */
static bool wait_for_bytes(const struct trawl_text *text, int wake)
{
    struct pollfd descriptors[2] = {{text->descriptor, POLLIN, 0}, {wake, POLLIN, 0}};

    while (poll(descriptors, wake >= 0 ? 2 : 1, -1) < 0)
        if (errno != EINTR)
            return true; /* the next read will report the error */
    return wake < 0 || descriptors[1].revents == 0;
}

enum trawl_status read_bytes_of(const struct trawl_text *text, bool from_file, int wake,
                                uint64_t offset, uint8_t *buffer, uint64_t count,
                                uint64_t *read_bytes, struct trawl_error *error)
{
    const size_t bytes = (size_t)min_u64(count, READ_BYTES_MAX);
    const uint64_t at = saturating_add(text->descriptor_begin, offset);
    ssize_t got;

    TRAWL_ASSERT(count > 0); /* reading 0 bytes would look like the stream's end */
    for (;;) {
        if (!from_file && wake >= 0 && !wait_for_bytes(text, wake))
            return TRAWL_STOPPED;
        got = from_file && at > INT64_MAX
                  ? 0
                  : faulty_read(text->descriptor, buffer, bytes, from_file ? (off_t)at : -1);
        if (got >= 0) {
            *read_bytes = (uint64_t)got;
            return TRAWL_OK;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) /* the descriptor is non-blocking, so wait */
            (void)wait_for_bytes(text, -1);
        else if (errno != EINTR)
            return read_failed(text, offset, errno, error);
    }
}
