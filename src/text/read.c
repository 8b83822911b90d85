/* read: reads a stream's bytes, and decompresses a compressed stream. */
#include "text/read.h"

#include "text/descriptor.h"
#include "text/unpack.h"

bool read_is_ready(const struct trawl_text *text, uint32_t wait_ns)
{
    return text->unpack != NULL ? unpack_is_ready(text, wait_ns) : read_is_ready_of(text, wait_ns);
}

enum trawl_status read_stream(const struct trawl_text *text, int wake, uint64_t offset,
                              uint8_t *buffer, uint64_t count, uint64_t *read_bytes,
                              struct trawl_error *error)
{
    enum trawl_status status;

    if (text->unpack == NULL)
        return read_bytes_of(text, text->is_regular, wake, offset, buffer, count, read_bytes,
                             error);
    status = unpack_read(text, wake, buffer, count, read_bytes, error);
    TRAWL_ASSERT(*read_bytes <= count);
    if (status != TRAWL_OK && error != NULL)
        error->text_offset = offset;
    return status;
}
