/* text: opens and closes texts (memory, files, streams), and answers questions about texts. */
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/fault.h"
#include "base/memory.h"
#include "base/options.h"
#include "text/codec.h"
#include "text/descriptor.h"
#include "text/unpack.h"

/* The largest buffer that an unprivileged process may request for a pipe. If that fails, the pipe
 * keeps its buffer. */
#define PIPE_BYTES (1 << 20)
#define SPARSE_MIN (1 << 20) /* below, holes are not worth a system call per chunk */

enum trawl_status text_from_memory(const void *bytes, uint64_t bytes_count,
                                   struct trawl_text **text_out, struct trawl_error *error)
{
    struct trawl_text *text;

    if (bytes == NULL && bytes_count > 0)
        return TRAWL_FAIL(error, ARGUMENT, "bytes is NULL but bytes_count is %" PRIu64,
                          bytes_count);
    TRAWL_TRY(MEMORY_ZEROED(text, 1, error));
    text->kind = TEXT_MEMORY;
    text->bytes = (const uint8_t *)bytes;
    text->bytes_count = bytes_count;
    *text_out = text;
    return TRAWL_OK;
}

/* Reserves unreadable pages, which cost only address space, so that a text on a GPU also has
 * addresses on the host. */
static enum trawl_status reserve_pages(struct trawl_text *text, struct trawl_error *error)
{
    void *pages = MAP_FAILED;

    if (fault_hit())
        errno = ENOMEM;
    else if (text->bytes_count <= PTRDIFF_MAX)
        pages = mmap(NULL, (size_t)text->bytes_count, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return TRAWL_FAIL(error, MEMORY, "no address space for a text of %" PRIu64 " bytes",
                          text->bytes_count);
    text->bytes = (const uint8_t *)pages;
    return TRAWL_OK;
}

enum trawl_status text_from_device(uint64_t address, uint64_t bytes_count,
                                   struct trawl_text **text_out, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct trawl_text *text = NULL;

    if (address == 0 && bytes_count > 0)
        return TRAWL_FAIL(error, ARGUMENT, "address is 0 but bytes_count is %" PRIu64, bytes_count);
    TRAWL_TRY(text_from_memory(NULL, 0, &text, error));
    text->bytes_count = bytes_count;
    if (bytes_count > 0)
        TRAWL_TRY_DONE(reserve_pages(text, error));
    text->device_address = bytes_count > 0 ? address : 0;
    *text_out = text;
    text = NULL;
done:
    trawl_text_close(text);
    return status;
}

enum trawl_status text_host_begin(struct trawl_text *text, struct trawl_error *error)
{
    void *pages = (void *)(uintptr_t)text->bytes;

    if (fault_hit() || mprotect(pages, (size_t)text->bytes_count, PROT_READ | PROT_WRITE) != 0)
        return TRAWL_FAIL(error, MEMORY, "no memory for a device's text of %" PRIu64 " bytes",
                          text->bytes_count);
    return TRAWL_OK;
}

/* Sets the text's kind, from its descriptor. A regular file of size 0 is read like a stream,
 * because files in /proc have size 0 whatever they contain. */
static enum trawl_status text_examine(struct trawl_text *text, struct trawl_error *error)
{
    struct stat facts;
    off_t at;

    if (fault_hit() ? (errno = EIO, true) : fstat(text->descriptor, &facts) != 0) {
        int code = errno;

        return TRAWL_FAIL_OS(error, OPEN, code, "%s: %s", text->name, strerror(code));
    }
    if (S_ISDIR(facts.st_mode))
        return TRAWL_FAIL_OS(error, OPEN, EISDIR, "%s: %s", text->name, strerror(EISDIR));
    text->kind = TEXT_STREAM;
    if (S_ISFIFO(facts.st_mode)) /* with a larger pipe, the writer can be further ahead */
        (void)fcntl(text->descriptor, F_SETPIPE_SZ, PIPE_BYTES);
    at = lseek(text->descriptor, 0, SEEK_CUR);
    if (!S_ISREG(facts.st_mode) || at < 0)
        return TRAWL_OK;
    text->is_regular = true;
    text->descriptor_begin = (uint64_t)at;
    if (facts.st_size <= 0)
        return TRAWL_OK;
    text->kind = TEXT_FILE;
    text->bytes_count = facts.st_size > at ? (uint64_t)(facts.st_size - at) : 0;
    text->is_sparse = facts.st_size / 512 - facts.st_blocks > SPARSE_MIN / 512;
    TRAWL_ASSERT(text->bytes_count <= INT64_MAX - text->descriptor_begin);
    return TRAWL_OK;
}

/* Prepares to decompress. Reads the first bytes of a regular file to see whether it is compressed;
 * for a stream, the first read decides. */
static enum trawl_status text_unpack_begin(struct trawl_text *text, struct trawl_error *error)
{
    uint8_t first[CODEC_MAGIC_BYTES_MAX];
    const struct codec *codec = NULL;
    uint64_t got = 0;
    bool undecided, is_regular = text->is_regular;

    if (is_regular) {
        if (text->kind != TEXT_FILE)
            return TRAWL_OK; /* an empty file, or one in /proc */
        TRAWL_TRY(read_file(text, 0, first, sizeof first, &got, error));
        codec = codec_of(first, got, &undecided);
        if (codec == NULL)
            return TRAWL_OK;
        TRAWL_TRY(codec_load(codec, text->name, error));
    }
    TRAWL_TRY(unpack_open(codec, &text->unpack, error));
    text->kind = TEXT_STREAM;
    text->is_regular = false;
    text->bytes_count = 0;
    return TRAWL_OK;
}

static enum trawl_status text_from_open(int descriptor, bool is_ours, const char *name,
                                        uint32_t flags, struct trawl_text **text_out,
                                        struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    uint64_t name_bytes = strlen(name) + 1;
    struct trawl_text *text;

    TRAWL_TRY(MEMORY_ZEROED(text, 1, error));
    TRAWL_TRY_DONE(MEMORY_NEW(text->name, name_bytes, error));
    text->name_bytes = name_bytes;
    memcpy(text->name, name, (size_t)name_bytes);
    text->descriptor = descriptor;
    TRAWL_TRY_DONE(text_examine(text, error));
    if ((flags & TRAWL_TEXT_UNPACK) != 0)
        TRAWL_TRY_DONE(text_unpack_begin(text, error));
    if ((flags & TRAWL_TEXT_MAP) != 0 && text->kind == TEXT_FILE && text->bytes_count > 0 &&
        mapping_open(&text->mapping, descriptor, text->descriptor_begin, text->bytes_count)) {
        text->kind = TEXT_MEMORY;
        text->is_regular = false;
        text->bytes = mapping_at(&text->mapping, 0);
    }
    text->descriptor_is_ours = is_ours;
    *text_out = text;
    text = NULL;
done:
    trawl_text_close(text);
    return status;
}

static enum trawl_status open_path(const char *path, uint32_t flags, struct trawl_text **text_out,
                                   struct trawl_error *error)
{
    enum trawl_status status;
    int descriptor = -1;

    if (path == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "path is NULL");
    if (fault_hit())
        errno = EMFILE;
    else
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) {
        int code = errno;

        return TRAWL_FAIL_OS(error, OPEN, code, "%s: %s", path, strerror(code));
    }
    status = text_from_open(descriptor, true, path, flags, text_out, error);
    if (status != TRAWL_OK)
        (void)close(descriptor);
    return status;
}

static enum trawl_status from_descriptor(int descriptor, const char *name, uint32_t flags,
                                         struct trawl_text **text_out, struct trawl_error *error)
{
    char made_name[32];

    if (descriptor < 0)
        return TRAWL_FAIL(error, ARGUMENT, "descriptor is negative");
    (void)snprintf(made_name, sizeof made_name, "descriptor %d", descriptor);
    return text_from_open(descriptor, false, name != NULL ? name : made_name, flags, text_out,
                          error);
}

static enum trawl_status check_options(const struct trawl_text_options *given,
                                       struct trawl_error *error)
{
    const bool is_file =
        given->source == TRAWL_SOURCE_PATH || given->source == TRAWL_SOURCE_DESCRIPTOR;
    /* a file has no filter, as its bytes may change */
    const uint32_t known = is_file ? TRAWL_TEXT_UNPACK | TRAWL_TEXT_MAP
                           : given->source == TRAWL_SOURCE_DEVICE ? TRAWL_TEXT_STAY
                                                                  : TRAWL_TEXT_FILTER;
    const char *unused = given->reserved != 0                 ? "reserved"
                         : is_file && given->bytes != NULL    ? "bytes"
                         : is_file && given->bytes_count != 0 ? "bytes_count"
                         : given->descriptor > 0 && given->source != TRAWL_SOURCE_DESCRIPTOR
                             ? "descriptor"
                             : NULL;

    if ((uint32_t)given->source > TRAWL_SOURCE_DEVICE)
        return TRAWL_FAIL(error, ARGUMENT, "unknown source %d", (int)given->source);
    if ((given->flags & ~known) != 0)
        return TRAWL_FAIL(error, ARGUMENT, "text flags 0x%x are unknown, or not for this source",
                          given->flags & ~known);
    if (unused != NULL)
        return TRAWL_FAIL(error, ARGUMENT,
                          "text options: %s is set, which this source does not use", unused);
    return TRAWL_OK;
}

enum trawl_status trawl_text_open(const char *path, const struct trawl_text_options *options,
                                  struct trawl_text **text_out, struct trawl_error *error)
{
    struct trawl_text_options given = TRAWL_TEXT_OPTIONS_INIT;

    if (text_out == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "text is NULL");
    TRAWL_TRY(options_read(&given, sizeof given, options, sizeof given, "text options", error));
    TRAWL_TRY(check_options(&given, error));
    switch (given.source) {
    case TRAWL_SOURCE_PATH:
        return open_path(path, given.flags, text_out, error);
    case TRAWL_SOURCE_DESCRIPTOR:
        return from_descriptor(given.descriptor, path, given.flags, text_out, error);
    case TRAWL_SOURCE_MEMORY:
        TRAWL_TRY(text_from_memory(given.bytes, given.bytes_count, text_out, error));
        break;
    default:
        TRAWL_TRY(
            text_from_device((uint64_t)(uintptr_t)given.bytes, given.bytes_count, text_out, error));
        (*text_out)->stays = (given.flags & TRAWL_TEXT_STAY) != 0;
    }
    (*text_out)->filters = (given.flags & TRAWL_TEXT_FILTER) != 0;
    return TRAWL_OK;
}

void trawl_text_close(struct trawl_text *text)
{
    if (text == NULL)
        return;
    if (text->device_address != 0)
        (void)munmap((void *)(uintptr_t)text->bytes, (size_t)text->bytes_count);
    if (text->mapping.slot != NULL)
        mapping_close(&text->mapping);
    if (text->descriptor_is_ours)
        (void)close(text->descriptor);
    if (text->unpack != NULL)
        unpack_close(text->unpack);
    memory_release(text->name, text->name_bytes, 1);
    memory_release(text, 1, sizeof *text);
}

bool trawl_map_repair(const void *address)
{
    return mapping_repair(address);
}

static bool is_seekable(const struct trawl_text *text)
{
    return text->kind == TEXT_MEMORY || text->is_regular;
}

enum trawl_status trawl_text_tell(const struct trawl_text *text, struct trawl_text_told *given,
                                  struct trawl_error *error)
{
    struct trawl_text_told told = {.text_bytes = UINT64_MAX};
    struct stat facts;

    if (text == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "text is NULL");
    told.is_seekable = is_seekable(text);
    if (text->kind != TEXT_STREAM)
        told.text_bytes = text->bytes_count;
    if (text->kind == TEXT_FILE && fstat(text->descriptor, &facts) == 0)
        told.text_bytes = (uint64_t)facts.st_size > text->descriptor_begin
                              ? (uint64_t)facts.st_size - text->descriptor_begin
                              : 0;
    if (text->kind == TEXT_MEMORY && !text_is_hidden(text))
        told.bytes = text->bytes;
    /* If the file was truncated inside its last page, only its size shows that. */
    told.is_cut = text->mapping.slot != NULL &&
                  (mapping_was_repaired(&text->mapping) ||
                   (fstat(text->descriptor, &facts) == 0 &&
                    (uint64_t)facts.st_size < text->descriptor_begin + text->bytes_count));
    told.filter_bytes = atomic_load(&text->filter_bytes);
    if (text->unpack != NULL)
        told.compression = unpack_format(text->unpack);
    else if (text->kind == TEXT_MEMORY && !text_is_hidden(text))
        told.compression = codec_name(text->bytes, text->bytes_count);
    return options_report(given, &told, sizeof told, "told", error);
}

enum trawl_status trawl_text_read(const struct trawl_text *text, uint64_t offset, void *buffer,
                                  uint64_t buffer_bytes, uint64_t *read_bytes,
                                  struct trawl_error *error)
{
    if (text == NULL || read_bytes == NULL || (buffer == NULL && buffer_bytes > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          text == NULL         ? "text"
                          : read_bytes == NULL ? "read_bytes"
                                               : "buffer");
    if (!is_seekable(text))
        return TRAWL_FAIL(error, UNSUPPORTED, "%s: a stream cannot be read again", text->name);
    if (text->is_regular)
        return read_file(text, offset, (uint8_t *)buffer, buffer_bytes, read_bytes, error);
    if (text_is_hidden(text))
        return TRAWL_FAIL(error, UNSUPPORTED, "the text lies in a device's memory");
    *read_bytes =
        offset < text->bytes_count ? min_u64(buffer_bytes, text->bytes_count - offset) : 0;
    if (*read_bytes > 0)
        memcpy(buffer, text->bytes + offset, (size_t)*read_bytes);
    return TRAWL_OK;
}
