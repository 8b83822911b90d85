/* unpack: decodes a compressed text, member by member. */
#include "text/unpack.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "text/codec.h"
#include "text/descriptor.h"

#define INPUT_BYTES (64u << 10)
#define WHAT_BYTES 64u

struct text_unpack {
    /* NULL: not known yet, or, if `decided`, the bytes are not compressed */
    const struct codec *codec;
    bool decided;
    bool from_file;
    bool input_ended;
    bool out_was_full; /* the decoder may give more bytes without more input */
    bool between;      /* a member has ended and the next has not begun */
    /* the next read reports a fault: this read found the fault after bytes that could be
     * unpacked */
    bool failed;
    enum codec_result fault;
    char what[WHAT_BYTES];
    void *state;
    uint64_t file_offset; /* the file offset of input[at] */
    uint64_t wanted;      /* for a codec with head_bytes: the most bytes for the next step */
    uint64_t at, count;   /* input[at, count) is read and not decoded yet */
    uint8_t input[INPUT_BYTES];
};

const char *unpack_format(const struct text_unpack *unpack)
{
    return unpack->codec == NULL ? NULL : unpack->codec->name;
}

/* The arguments of a call that reading input needs. */
struct packed_source {
    const struct trawl_text *text;
    int wake;
    struct trawl_error *error;
};

enum trawl_status unpack_open(bool from_file, uint64_t offset, struct text_unpack **unpack,
                              struct trawl_error *error)
{
    TRAWL_TRY(MEMORY_NEW(*unpack, 1, error));
    memset(*unpack, 0, offsetof(struct text_unpack, input));
    (*unpack)->from_file = from_file;
    (*unpack)->file_offset = offset;
    return TRAWL_OK;
}

void unpack_close(struct text_unpack *unpack)
{
    if (unpack->state != NULL)
        unpack->codec->close(unpack->state);
    memory_release(unpack, 1, sizeof *unpack);
}

/* Reads more input behind input[count]. */
static enum trawl_status fill(struct text_unpack *unpack, const struct packed_source *source)
{
    uint64_t got = 0;

    if (unpack->at > 0) {
        unpack->count -= unpack->at;
        memmove(unpack->input, unpack->input + unpack->at, (size_t)unpack->count);
        unpack->at = 0;
    }
    TRAWL_ASSERT(unpack->at == 0 && unpack->count < INPUT_BYTES);
    TRAWL_TRY(read_bytes_of(source->text, unpack->from_file, source->wake,
                            unpack->file_offset + unpack->count, unpack->input + unpack->count,
                            INPUT_BYTES - unpack->count, &got, source->error));
    unpack->count += got;
    TRAWL_ASSERT(unpack->count <= INPUT_BYTES);
    unpack->input_ended = got == 0;
    return TRAWL_OK;
}

static enum trawl_status decide(struct text_unpack *unpack, const struct packed_source *source)
{
    bool undecided = true;

    for (;;) {
        unpack->codec = codec_of(unpack->input, unpack->count, &undecided);
        if (!undecided || unpack->codec != NULL || unpack->input_ended)
            break;
        TRAWL_TRY(fill(unpack, source));
    }
    if (unpack->codec != NULL) {
        TRAWL_TRY(codec_load(unpack->codec, source->text->name, source->error));
        unpack->wanted = unpack->codec->head_bytes;
        unpack->state = unpack->codec->open();
        if (unpack->state == NULL)
            return TRAWL_FAIL(source->error, MEMORY, "%s: no memory to unpack %s data",
                              source->text->name, unpack->codec->name);
    }
    unpack->decided = true;
    return TRAWL_OK;
}

static enum trawl_status pass_through(struct text_unpack *unpack,
                                      const struct packed_source *source, uint8_t *buffer,
                                      uint64_t count, uint64_t *read_bytes)
{
    if (unpack->at == unpack->count && unpack->input_ended) {
        *read_bytes = 0;
        return TRAWL_OK;
    }
    if (unpack->at == unpack->count)
        return read_bytes_of(source->text, unpack->from_file, source->wake, 0, buffer, count,
                             read_bytes, source->error);
    TRAWL_ASSERT(unpack->at < unpack->count);
    *read_bytes = min_u64(count, unpack->count - unpack->at);
    memcpy(buffer, unpack->input + unpack->at, (size_t)*read_bytes);
    unpack->at += *read_bytes;
    TRAWL_ASSERT(*read_bytes > 0 && unpack->at <= unpack->count);
    return TRAWL_OK;
}

static enum trawl_status unpack_fail(const struct text_unpack *unpack,
                                     const struct packed_source *source, const char *what)
{
    return TRAWL_FAIL(source->error, READ, "%s: %s data %s at byte %" PRIu64 "%s%s",
                      source->text->name, unpack->codec->name, what, unpack->file_offset,
                      unpack->what[0] != '\0' ? ": " : "", unpack->what);
}

static enum trawl_status fail_as_told(const struct text_unpack *unpack,
                                      const struct packed_source *source)
{
    if (unpack->fault == CODEC_MEMORY)
        return TRAWL_FAIL(source->error, MEMORY, "%s: no memory to unpack %s data",
                          source->text->name, unpack->codec->name);
    return unpack_fail(unpack, source,
                       unpack->fault == CODEC_LARGE ? "needs more memory than the limit"
                                                    : "is damaged");
}

/* Returns whether a skippable frame begins here. zstd and lz4 have frames without bytes of the
 * text. */
static bool is_skippable(const struct text_unpack *unpack, const uint8_t *bytes,
                         uint64_t bytes_count)
{
    return bytes_count >= 4 && (bytes[0] & 0xf0) == 0x50 && bytes[1] == 0x2a && bytes[2] == 0x4d &&
           bytes[3] == 0x18 &&
           (strcmp(unpack->codec->name, "zstd") == 0 || strcmp(unpack->codec->name, "lz4") == 0);
}

/* Finds out what follows a member: another member, the file's end, or padding NULs up to the end.
 * Sets *ended in the last two cases. */
static enum trawl_status next_member(struct text_unpack *unpack, const struct packed_source *source,
                                     bool *ended)
{
    bool undecided;

    *ended = false;
    for (;;) {
        const uint8_t *bytes = unpack->input + unpack->at;
        uint64_t count = unpack->count - unpack->at;

        TRAWL_ASSERT(unpack->at <= unpack->count);
        if (count > 0 && bytes[0] == 0) {
            unpack->at++;
            unpack->file_offset++;
            continue;
        }
        if (count > 0 && (codec_of(bytes, count, &undecided) == unpack->codec ||
                          is_skippable(unpack, bytes, count)))
            break;
        if (unpack->input_ended && count == 0) {
            *ended = true;
            return TRAWL_OK;
        }
        if (unpack->input_ended || count >= CODEC_MAGIC_BYTES_MAX)
            return unpack_fail(unpack, source, "is followed by something else");
        TRAWL_TRY(fill(unpack, source));
    }
    if (!unpack->codec->again(unpack->state))
        return TRAWL_FAIL(source->error, MEMORY, "%s: no memory to unpack %s data",
                          source->text->name, unpack->codec->name);
    unpack->between = false;
    return TRAWL_OK;
}

/* Calls the decoder: once, or for a codec with head_bytes once for each block, and without input
 * while decoded bytes may wait for room. *moved: the decoder used input or gave output. */
static enum codec_result step(struct text_unpack *unpack, uint8_t *buffer, uint64_t count,
                              uint64_t *read_bytes, bool *moved)
{
    const uint64_t head_bytes = unpack->codec->head_bytes;
    struct codec_io io = {unpack->input + unpack->at, 0, buffer, count, NULL, 0};
    enum codec_result result;
    bool goes_on;

    TRAWL_ASSERT(count > 0); /* without room no step makes progress */
    *moved = false;
    do {
        uint64_t given = unpack->count - unpack->at, room = io.out_count, used;

        if (head_bytes > 0)
            given = unpack->out_was_full ? 0 : min_u64(given, unpack->wanted);
        io.in_count = given;
        result = unpack->codec->step(unpack->state, &io);
        TRAWL_ASSERT(io.in_count <= given && io.out_count <= room); /* inside input and output */
        used = given - io.in_count;
        unpack->at += used;
        unpack->file_offset += used;
        unpack->wanted = result == CODEC_MORE ? io.wanted : head_bytes;
        goes_on = used > 0 || io.out_count < room;
        *moved |= goes_on;
        goes_on |= unpack->out_was_full;
        unpack->out_was_full = io.out_count == 0;
    } while (head_bytes > 0 && goes_on && result == CODEC_MORE && unpack->at < unpack->count &&
             io.out_count > 0);
    unpack->between = result == CODEC_END;
    *read_bytes = count - io.out_count;
    TRAWL_ASSERT(unpack->at <= unpack->count && unpack->count <= INPUT_BYTES);
    if (result != CODEC_MORE && result != CODEC_END) {
        unpack->failed = true;
        unpack->fault = result;
        (void)snprintf(unpack->what, sizeof unpack->what, "%s", io.what != NULL ? io.what : "");
    }
    return result;
}

static enum trawl_status unpack_more(struct text_unpack *unpack, const struct packed_source *source,
                                     uint8_t *buffer, uint64_t count, uint64_t *read_bytes)
{
    bool ended, moved;

    for (;;) {
        *read_bytes = 0;
        if (unpack->failed)
            return fail_as_told(unpack, source);
        if (unpack->between) {
            TRAWL_TRY(next_member(unpack, source, &ended));
            if (ended)
                return TRAWL_OK;
        }
        if (unpack->at == unpack->count && !unpack->input_ended && !unpack->out_was_full)
            TRAWL_TRY(fill(unpack, source));
        (void)step(unpack, buffer, count, read_bytes, &moved);
        if (*read_bytes > 0)
            return TRAWL_OK;
        if (unpack->failed || unpack->between || moved)
            continue;
        if (unpack->input_ended)
            return unpack_fail(unpack, source,
                               unpack->at == unpack->count ? "ends too early" : "is damaged");
        if (unpack->at == 0 && unpack->count == INPUT_BYTES)
            return unpack_fail(unpack, source, "is damaged");
        if (unpack->at < unpack->count)
            TRAWL_TRY(fill(unpack, source));
    }
}

enum trawl_status unpack_read(const struct trawl_text *text, int wake, uint8_t *buffer,
                              uint64_t count, uint64_t *read_bytes, struct trawl_error *error)
{
    struct text_unpack *unpack = text->unpack;
    struct packed_source source = {text, wake, error};

    *read_bytes = 0;
    if (!unpack->decided)
        TRAWL_TRY(decide(unpack, &source));
    if (unpack->codec == NULL)
        return pass_through(unpack, &source, buffer, count, read_bytes);
    return unpack_more(unpack, &source, buffer, count, read_bytes);
}

bool unpack_is_ready(const struct trawl_text *text, uint32_t wait_ns)
{
    const struct text_unpack *unpack = text->unpack;

    return unpack->from_file || unpack->at < unpack->count || unpack->out_was_full ||
           read_is_ready_of(text, wait_ns);
}
