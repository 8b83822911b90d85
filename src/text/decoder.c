/* decoder: decodes a compressed text, member by member, starting at an offset of the file. A
 * *member* can be decoded without earlier bytes, such as a gzip member. */
#include "text/decoder.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "text/descriptor.h"

void decoder_open(struct decoder *decoder)
{
    memset(decoder, 0, offsetof(struct decoder, input));
}

void decoder_close(struct decoder *decoder)
{
    if (decoder->state != NULL)
        decoder->library->close(decoder->state);
    decoder->state = NULL;
}

uint64_t decoder_memory(const struct decoder *decoder)
{
    return decoder->state == NULL || decoder->library->memory == NULL
               ? 0
               : decoder->library->memory(decoder->state);
}

void decoder_move(struct decoder *decoder, uint64_t file_offset)
{
    decoder->file_offset = file_offset;
    decoder->at = decoder->count = 0;
    decoder->input_ended = false;
}

static enum trawl_status no_memory(const struct decoder *decoder,
                                   const struct decoder_source *source)
{
    return TRAWL_FAIL(source->error, MEMORY, "%s: no memory to decompress %s data",
                      source->text->name, decoder->codec->name);
}

/* Opens the library for a member. Resetting what the last member left would save 2 % of the time
 * with gzip members of 64 KiB, 4 % with zstd frames of 256 KiB, and nothing with longer ones. */
static enum trawl_status begin_with(struct decoder *decoder, const struct codec *library,
                                    const struct decoder_source *source)
{
    decoder->between = decoder->failed = decoder->out_was_full = false;
    decoder->what[0] = '\0';
    decoder->wanted = library->head_bytes;
    decoder->member_begin = decoder->file_offset;
    decoder->member_bytes = decoder->skip_bytes = 0;
    decoder_close(decoder);
    decoder->library = library;
    decoder->state = library->open(library->threads_min > 1 ? decoder->threads : 0);
    return decoder->state != NULL ? TRAWL_OK : no_memory(decoder, source);
}

enum trawl_status decoder_begin(struct decoder *decoder, const struct codec *codec,
                                uint32_t threads, const struct decoder_source *source)
{
    const struct codec *fast = codec->fast;
    bool is_fast = fast != NULL && source->from_file && threads >= fast->threads_min &&
                   codec_load(fast, source->text->name, NULL) == TRAWL_OK;

    decoder->codec = codec;
    decoder->threads = threads;
    return begin_with(decoder, is_fast ? fast : codec, source);
}

enum trawl_status decoder_next(struct decoder *decoder, const struct decoder_source *source)
{
    return begin_with(decoder, decoder->library, source);
}

enum trawl_status decoder_anew(struct decoder *decoder, const struct decoder_source *source,
                               uint64_t member_begin, uint64_t given_bytes)
{
    decoder_move(decoder, member_begin);
    TRAWL_TRY(begin_with(decoder, decoder->codec, source));
    decoder->skip_bytes = given_bytes;
    return TRAWL_OK;
}

enum trawl_status decoder_fill(struct decoder *decoder, const struct decoder_source *source)
{
    uint64_t got = 0;

    if (decoder->at > 0) {
        decoder->count -= decoder->at;
        memmove(decoder->input, decoder->input + decoder->at, (size_t)decoder->count);
        decoder->at = 0;
    }
    TRAWL_ASSERT(decoder->at == 0 && decoder->count < DECODER_INPUT_BYTES);
    TRAWL_TRY(read_bytes_of(source->text, source->from_file, source->wake,
                            decoder->file_offset + decoder->count, decoder->input + decoder->count,
                            DECODER_INPUT_BYTES - decoder->count, &got, source->error));
    decoder->count += got;
    decoder->input_ended = got == 0;
    return TRAWL_OK;
}

static enum trawl_status fail(const struct decoder *decoder, const struct decoder_source *source,
                              const char *what)
{
    return TRAWL_FAIL(source->error, READ, "%s: %s data %s at byte %" PRIu64 "%s%s",
                      source->text->name, decoder->codec->name, what, decoder->file_offset,
                      decoder->what[0] != '\0' ? ": " : "", decoder->what);
}

/* Returns true if a skippable frame of zstd or lz4 begins here. Such frames contain no text. */
static bool is_skippable(const struct decoder *decoder, const uint8_t *bytes, uint64_t bytes_count)
{
    return bytes_count >= 4 && (bytes[0] & 0xf0) == 0x50 && bytes[1] == 0x2a && bytes[2] == 0x4d &&
           bytes[3] == 0x18 &&
           (strcmp(decoder->codec->name, "zstd") == 0 || strcmp(decoder->codec->name, "lz4") == 0);
}

/* Skips NULs after a member, and finds out whether another member or the file's end follows. */
static enum trawl_status find_member(struct decoder *decoder, const struct decoder_source *source,
                                     enum decoder_stop *stop)
{
    bool undecided;

    for (;;) {
        const uint8_t *bytes = decoder->input + decoder->at;
        uint64_t count = decoder->count - decoder->at;

        if (count > 0 && bytes[0] == 0) {
            decoder->at++;
            decoder->file_offset++;
            continue;
        }
        *stop = DECODER_MEMBER;
        if (count > 0 && (codec_of(bytes, count, &undecided) == decoder->codec ||
                          is_skippable(decoder, bytes, count)))
            return TRAWL_OK;
        *stop = DECODER_ENDED;
        if (decoder->input_ended && count == 0)
            return TRAWL_OK;
        if (decoder->input_ended || count >= CODEC_MAGIC_BYTES_MAX)
            return fail(decoder, source, "is followed by something else");
        TRAWL_TRY(decoder_fill(decoder, source));
    }
}

/* Counts `bytes` decoded bytes of the member. Drops those that an earlier call has delivered
 * already (skip_bytes), and moves the rest to the start of the buffer. Returns the length of the
 * rest. */
static uint64_t keep_new(struct decoder *decoder, uint8_t *buffer, uint64_t bytes)
{
    uint64_t dropped = min_u64(bytes, decoder->skip_bytes);

    decoder->skip_bytes -= dropped;
    decoder->member_bytes += bytes;
    if (dropped > 0 && dropped < bytes)
        memmove(buffer, buffer + dropped, (size_t)(bytes - dropped));
    return bytes - dropped;
}

/* Returns true if more input must be read before the library is called again. A codec whose
 * head_bytes (codec.h) is not 0 gets a whole block, or as much of it as the input buffer can hold.
 * So damage is found at the same byte, wherever the decoder began to read. */
static bool lacks_input(const struct decoder *decoder)
{
    uint64_t needed =
        decoder->library->head_bytes > 0 ? min_u64(decoder->wanted, DECODER_INPUT_BYTES) : 1;

    return decoder->count - decoder->at < needed && !decoder->input_ended;
}

/* Calls the library once, or once per block for codecs that announce blocks (head_bytes > 0,
 * codec.h). If the last call filled the output, such a codec is first called without input, to
 * flush the rest. *moved says that the library read input or wrote output. */
static enum codec_result step(struct decoder *decoder, uint8_t *buffer, uint64_t count,
                              uint64_t *read_bytes, bool *moved)
{
    const uint64_t head_bytes = decoder->library->head_bytes;
    struct codec_io io = {
        decoder->input + decoder->at, 0, decoder->input_ended, buffer, count, NULL, 0};
    enum codec_result result;
    bool goes_on;

    TRAWL_ASSERT(count > 0); /* without room for output, no call makes progress */
    *moved = false;
    do {
        uint64_t given = decoder->count - decoder->at, room = io.out_count, used;

        if (head_bytes > 0)
            given = decoder->out_was_full ? 0 : min_u64(given, decoder->wanted);
        io.in_count = given;
        result = decoder->library->step(decoder->state, &io);
        /* the library has stayed inside both buffers */
        TRAWL_ASSERT(io.in_count <= given && io.out_count <= room);
        used = given - io.in_count;
        decoder->at += used;
        decoder->file_offset += used;
        decoder->wanted = result == CODEC_MORE ? io.wanted : head_bytes;
        goes_on = used > 0 || io.out_count < room;
        *moved |= goes_on;
        goes_on |= decoder->out_was_full;
        decoder->out_was_full = io.out_count == 0;
    } while (head_bytes > 0 && goes_on && result == CODEC_MORE && decoder->at < decoder->count &&
             !lacks_input(decoder) && io.out_count > 0);
    decoder->between = result == CODEC_END;
    *read_bytes = keep_new(decoder, buffer, count - io.out_count);
    if (result != CODEC_MORE && result != CODEC_END) {
        decoder->failed = true;
        decoder->fault = result;
        (void)snprintf(decoder->what, sizeof decoder->what, "%s", io.what != NULL ? io.what : "");
    }
    return result;
}

enum trawl_status decoder_read(struct decoder *decoder, const struct decoder_source *source,
                               uint8_t *buffer, uint64_t count, uint64_t *read_bytes,
                               enum decoder_stop *stop)
{
    const char *what = "is damaged";
    bool moved;

    *stop = DECODER_MORE;
    for (;;) {
        *read_bytes = 0;
        if (decoder->skip_bytes > 0 && read_is_ready(source->wake, 0))
            return TRAWL_STOPPED;
        if (decoder->failed && decoder->library == decoder->codec)
            return decoder->fault == CODEC_MEMORY ? no_memory(decoder, source)
                   : decoder->fault == CODEC_LARGE
                       ? fail(decoder, source, "needs more memory than the limit")
                       : fail(decoder, source, what);
        if (decoder->failed)
            TRAWL_TRY(decoder_anew(decoder, source, decoder->member_begin, decoder->member_bytes));
        if (decoder->between)
            return find_member(decoder, source, stop);
        while (lacks_input(decoder) && !decoder->out_was_full)
            TRAWL_TRY(decoder_fill(decoder, source));
        (void)step(decoder, buffer, count, read_bytes, &moved);
        if (*read_bytes > 0)
            return TRAWL_OK;
        if (decoder->failed || decoder->between || moved)
            continue;
        if (!decoder->input_ended && (decoder->at > 0 || decoder->count < DECODER_INPUT_BYTES)) {
            if (decoder->at < decoder->count)
                TRAWL_TRY(decoder_fill(decoder, source));
            continue;
        }
        if (decoder->library != decoder->codec) {
            TRAWL_TRY(decoder_anew(decoder, source, decoder->member_begin, decoder->member_bytes));
            continue;
        }
        if (decoder->input_ended && decoder->at == decoder->count)
            what = "ends too early";
        return fail(decoder, source, what);
    }
}
