/* unpack: reads a compressed text as a stream of unpacked bytes. */
#include "text/unpack.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "text/ahead.h"
#include "text/codec.h"
#include "text/decoder.h"
#include "text/descriptor.h"

struct text_unpack {
    const struct codec *codec; /* NULL: not known yet, or, if `decided`, not compressed */
    bool decided;
    bool from_file;
    bool has_begun; /* the decoder has a library */
    uint32_t threads;
    struct ahead *ahead;     /* NULL: no thread unpacks ahead */
    struct piece *piece;     /* a piece of `ahead` that is read before the decoder goes on */
    struct decoder *decoder; /* owned */
};

enum trawl_status unpack_open(const struct codec *codec, struct text_unpack **unpack_out,
                              struct trawl_error *error)
{
    struct text_unpack *unpack;
    enum trawl_status status;

    TRAWL_TRY(MEMORY_ZEROED(unpack, 1, error));
    status = MEMORY_NEW(unpack->decoder, 1, error);
    if (status != TRAWL_OK) {
        memory_release(unpack, 1, sizeof *unpack);
        return status;
    }
    decoder_open(unpack->decoder, 0);
    unpack->codec = codec;
    unpack->decided = unpack->from_file = codec != NULL;
    unpack->threads = 1;
    *unpack_out = unpack;
    return TRAWL_OK;
}

void unpack_close(struct text_unpack *unpack)
{
    decoder_close(unpack->decoder);
    memory_release(unpack->decoder, 1, sizeof *unpack->decoder);
    memory_release(unpack, 1, sizeof *unpack);
}

void unpack_share(const struct trawl_text *text, uint32_t threads, uint64_t ahead_bytes,
                  uint64_t cell_bytes)
{
    struct text_unpack *unpack = text->unpack;

    if (threads < 2 || ahead_bytes == 0 || !unpack->from_file || unpack->has_begun)
        return;
    unpack->threads = threads;
    /* without the memory, the reader alone decodes */
    (void)ahead_open(text, unpack->codec, threads, ahead_bytes, cell_bytes, &unpack->ahead, NULL);
}

bool unpack_help(const struct trawl_text *text)
{
    return text->unpack->ahead != NULL && ahead_help(text->unpack->ahead);
}

void unpack_stop(const struct trawl_text *text)
{
    if (text->unpack->ahead != NULL)
        ahead_stop(text->unpack->ahead);
}

void unpack_unshare(const struct trawl_text *text)
{
    if (text->unpack->ahead != NULL)
        ahead_close(text->unpack->ahead);
    text->unpack->ahead = NULL;
    text->unpack->piece = NULL;
}

/* Learns from a stream's first bytes whether the stream is compressed. */
static enum trawl_status decide(struct text_unpack *unpack, const struct decoder_source *source)
{
    struct decoder *decoder = unpack->decoder;
    bool undecided = true;

    for (;;) {
        unpack->codec = codec_of(decoder->input, decoder->count, &undecided);
        if (!undecided || unpack->codec != NULL || decoder->input_ended)
            break;
        TRAWL_TRY(decoder_fill(decoder, source));
    }
    if (unpack->codec != NULL)
        TRAWL_TRY(codec_load(unpack->codec, source->text->name, source->error));
    unpack->decided = true;
    return TRAWL_OK;
}

static enum trawl_status pass_through(struct decoder *decoder, const struct decoder_source *source,
                                      uint8_t *buffer, uint64_t count, uint64_t *read_bytes)
{
    if (decoder->at == decoder->count && decoder->input_ended) {
        *read_bytes = 0;
        return TRAWL_OK;
    }
    if (decoder->at == decoder->count)
        return read_bytes_of(source->text, source->from_file, source->wake, 0, buffer, count,
                             read_bytes, source->error);
    TRAWL_ASSERT(decoder->at < decoder->count);
    *read_bytes = min_u64(count, decoder->count - decoder->at);
    memcpy(buffer, decoder->input + decoder->at, (size_t)*read_bytes);
    decoder->at += *read_bytes;
    TRAWL_ASSERT(*read_bytes > 0 && decoder->at <= decoder->count);
    return TRAWL_OK;
}

/* Reads from the piece. At the piece's end its decoder becomes the reader's. */
static void read_piece(struct text_unpack *unpack, uint8_t *buffer, uint64_t count,
                       uint64_t *read_bytes)
{
    struct piece *piece = unpack->piece;
    struct decoder *decoder = unpack->decoder;

    *read_bytes = min_u64(count, piece->count - piece->at);
    if (*read_bytes > 0)
        memcpy(buffer, piece->bytes + piece->at, (size_t)*read_bytes);
    piece->at += *read_bytes;
    if (piece->at < piece->count)
        return;
    unpack->decoder = piece->decoder;
    piece->decoder = decoder;
    unpack->piece = NULL;
    ahead_give(unpack->ahead, piece);
}

static enum trawl_status unpack_more(struct text_unpack *unpack,
                                     const struct decoder_source *source, uint8_t *buffer,
                                     uint64_t count, uint64_t *read_bytes)
{
    enum decoder_stop stop;

    for (;;) {
        *read_bytes = 0;
        if (unpack->piece != NULL) {
            read_piece(unpack, buffer, count, read_bytes);
        } else {
            TRAWL_TRY(decoder_read(unpack->decoder, source, buffer, count, read_bytes, &stop));
            if (stop == DECODER_ENDED)
                return TRAWL_OK;
            if (stop == DECODER_MEMBER && unpack->ahead != NULL)
                unpack->piece = ahead_take(unpack->ahead, unpack->decoder->file_offset);
            if (stop == DECODER_MEMBER && unpack->piece == NULL)
                TRAWL_TRY(decoder_next(unpack->decoder, source));
        }
        if (*read_bytes > 0)
            return TRAWL_OK;
    }
}

enum trawl_status unpack_read(const struct trawl_text *text, int wake, uint8_t *buffer,
                              uint64_t count, uint64_t *read_bytes, struct trawl_error *error)
{
    struct text_unpack *unpack = text->unpack;
    struct decoder_source source = {text, unpack->from_file, wake, error};

    *read_bytes = 0;
    if (!unpack->decided)
        TRAWL_TRY(decide(unpack, &source));
    if (unpack->codec == NULL)
        return pass_through(unpack->decoder, &source, buffer, count, read_bytes);
    if (!unpack->has_begun)
        TRAWL_TRY(decoder_begin(unpack->decoder, unpack->codec, unpack->threads, &source));
    unpack->has_begun = true;
    return unpack_more(unpack, &source, buffer, count, read_bytes);
}

bool unpack_is_ready(const struct trawl_text *text)
{
    const struct text_unpack *unpack = text->unpack;

    return unpack->from_file || unpack->decoder->at < unpack->decoder->count ||
           unpack->decoder->out_was_full || read_is_ready_of(text);
}
