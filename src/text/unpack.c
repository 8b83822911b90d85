/* unpack: reads a compressed text as a stream of decompressed bytes (unpack.h). A *member* can be
 * decoded without earlier bytes, such as a gzip member; a *piece* is what a thread has decompressed
 * ahead of the reader (ahead.h). */
#include "text/unpack.h"

#include <string.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/memory.h"
#include "text/ahead.h"
#include "text/codec.h"
#include "text/decoder.h"
#include "text/descriptor.h"

struct text_unpack {
    /* NULL: the format is not known yet; if `decided`, the text is not compressed. */
    const struct codec *codec;
    bool decided;
    bool from_file;
    bool has_begun; /* the decoder has begun to use a library */
    pid_t process;  /* the process that called unpack_share; 0: none */
    uint32_t threads;
    struct ahead *ahead; /* decompresses ahead; NULL: not done */
    /* the piece of `ahead` that is being read; NULL: none */
    struct piece *piece;
    struct decoder *decoder; /* owned */
    /* A bzip2 stream is being read block by block. */
    bool in_blocks;
    /* file offset of that stream, and how many of its decompressed bytes were read */
    uint64_t stream_begin, stream_bytes;
    uint64_t bit; /* position in the file, in bits, of the next block */
    uint32_t sum; /* sum of the checksums of the blocks so far */
};

const char *unpack_format(const struct text_unpack *unpack)
{
    return unpack->codec == NULL ? NULL : unpack->codec->name;
}

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
    decoder_open(unpack->decoder);
    unpack->codec = codec;
    unpack->decided = unpack->from_file = codec != NULL;
    unpack->threads = 1;
    *unpack_out = unpack;
    return TRAWL_OK;
}

/* Returns true in a child of the process that called unpack_share. The parent's threads do not
 * exist here, so a lock or a library might wait for them forever: the child frees nothing. */
static bool is_of_parent(const struct text_unpack *unpack)
{
    return unpack->process != 0 && unpack->process != getpid();
}

void unpack_close(struct text_unpack *unpack)
{
    if (is_of_parent(unpack))
        return;
    decoder_close(unpack->decoder);
    memory_release(unpack->decoder, 1, sizeof *unpack->decoder);
    memory_release(unpack, 1, sizeof *unpack);
}

void unpack_share(const struct trawl_text *text, const struct text_unpacking *how)
{
    struct text_unpack *unpack = text->unpack;

    unpack->process = getpid();
    if (how->threads < 2 || !unpack->from_file || unpack->has_begun)
        return;
    unpack->threads = how->library_threads;
    unpack->ahead = ahead_open(text, unpack->codec, how);
}

struct ahead *unpack_ahead(const struct trawl_text *text)
{
    return text->unpack == NULL ? NULL : text->unpack->ahead;
}

const uint8_t *unpack_lend(const struct trawl_text *text, uint64_t kept, uint64_t wanted,
                           _Atomic uint32_t **lent)
{
    struct piece *piece = text->unpack == NULL ? NULL : text->unpack->piece;
    const uint8_t *bytes = piece == NULL ? NULL : ahead_lend(piece, kept, wanted);

    if (bytes != NULL)
        *lent = &piece->lent;
    return bytes;
}

uint64_t unpack_memory(const struct trawl_text *text)
{
    return decoder_memory(text->unpack->decoder);
}

void unpack_unshare(const struct trawl_text *text)
{
    if (text->unpack->ahead != NULL && !is_of_parent(text->unpack))
        ahead_close(text->unpack->ahead);
    text->unpack->ahead = NULL;
    text->unpack->piece = NULL;
}

bool unpack_is_of_file(const struct text_unpack *unpack)
{
    return unpack->from_file;
}

bool unpack_rewind(struct text_unpack *unpack)
{
    if (!unpack->from_file || is_of_parent(unpack))
        return false;
    decoder_close(unpack->decoder);
    decoder_open(unpack->decoder);
    *unpack = (struct text_unpack){.codec = unpack->codec,
                                   .decided = true,
                                   .from_file = true,
                                   .threads = 1,
                                   .decoder = unpack->decoder};
    return true;
}

/* Finds out from a stream's first bytes whether it is compressed. */
static enum trawl_status detect_format(struct text_unpack *unpack,
                                       const struct decoder_source *source)
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
    *read_bytes = min_u64(count, decoder->count - decoder->at);
    memcpy(buffer, decoder->input + decoder->at, (size_t)*read_bytes);
    decoder->at += *read_bytes;
    return TRAWL_OK;
}

/* Begins the member whose first bytes are in the decoder's input. */
static enum trawl_status begin_member(struct text_unpack *unpack,
                                      const struct decoder_source *source)
{
    struct decoder *decoder = unpack->decoder;
    uint64_t begin = decoder->file_offset;

    if (unpack->ahead != NULL && ahead_by_blocks(unpack->ahead)) {
        unpack->in_blocks = true;
        unpack->stream_begin = begin;
        unpack->stream_bytes = 0;
        unpack->bit = 8 * (begin + BLOCKS_HEAD_BYTES);
        unpack->sum = 0;
        return TRAWL_OK;
    }
    if (unpack->ahead != NULL && unpack->has_begun)
        unpack->piece = ahead_take(unpack->ahead, begin);
    if (unpack->piece != NULL)
        return TRAWL_OK;
    if (unpack->ahead != NULL && ahead_is_stopped(unpack->ahead))
        return TRAWL_STOPPED;
    return unpack->has_begun ? decoder_next(decoder, source)
                             : decoder_begin(decoder, unpack->codec, unpack->threads, source);
}

/* Takes or makes the next piece of a bzip2 stream that is read block by block, or ends the stream.
 * If that fails, a decoder restarts the stream and skips what was read, because only a decoder of
 * the whole stream can say what is damaged. */
static enum trawl_status next_piece(struct text_unpack *unpack, const struct decoder_source *source)
{
    uint8_t bytes[BLOCKS_END_BITS / 8 + BLOCKS_SLACK_BYTES] = {0};
    enum blocks_mark mark = BLOCKS_NO_MARK;
    uint32_t checksum = 0;
    uint64_t got = 0;

    if (read_bytes_of(source->text, true, -1, unpack->bit / 8, bytes, sizeof bytes, &got, NULL) ==
            TRAWL_OK &&
        8 * got >= unpack->bit % 8 + BLOCKS_END_BITS)
        mark = blocks_mark_at(bytes, unpack->bit % 8, &checksum);
    if (mark == BLOCKS_BEGIN)
        unpack->piece = ahead_take(unpack->ahead, unpack->bit);
    if (mark == BLOCKS_BEGIN && unpack->piece == NULL)
        unpack->piece = ahead_make(unpack->ahead, unpack->bit);
    if (unpack->piece != NULL)
        return TRAWL_OK;
    if (ahead_is_stopped(unpack->ahead))
        return TRAWL_STOPPED;
    unpack->in_blocks = false;
    unpack->has_begun = true;
    if (mark != BLOCKS_END || checksum != unpack->sum) {
        unpack->decoder->codec = unpack->codec;
        return decoder_anew(unpack->decoder, source, unpack->stream_begin, unpack->stream_bytes);
    }
    decoder_move(unpack->decoder, (unpack->bit + BLOCKS_END_BITS + 7) / 8);
    unpack->decoder->codec = unpack->codec;
    unpack->decoder->between = true;
    return TRAWL_OK;
}

/* Reads bytes from the piece. At its end, prepares to read what follows. */
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
    if (unpack->in_blocks) {
        unpack->sum = blocks_add(unpack->sum, &piece->blocks);
        unpack->bit = piece->begin + piece->blocks.bits;
        unpack->stream_bytes += piece->count;
    } else if (piece->is_whole) {
        decoder_move(decoder, piece->end);
        decoder->between = true;
    } else {
        unpack->decoder = piece->decoder;
        piece->decoder = decoder;
    }
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
        } else if (unpack->in_blocks) {
            TRAWL_TRY(next_piece(unpack, source));
        } else {
            TRAWL_TRY(decoder_read(unpack->decoder, source, buffer, count, read_bytes, &stop));
            if (stop == DECODER_ENDED)
                return TRAWL_OK;
            if (stop == DECODER_MEMBER)
                TRAWL_TRY(begin_member(unpack, source));
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
        TRAWL_TRY(detect_format(unpack, &source));
    if (unpack->codec == NULL)
        return pass_through(unpack->decoder, &source, buffer, count, read_bytes);
    if (!unpack->has_begun)
        TRAWL_TRY(begin_member(unpack, &source));
    unpack->has_begun = true;
    return unpack_more(unpack, &source, buffer, count, read_bytes);
}

bool unpack_is_ready(const struct trawl_text *text, uint32_t wait_ns)
{
    const struct text_unpack *unpack = text->unpack;

    return unpack->from_file || unpack->decoder->at < unpack->decoder->count ||
           unpack->decoder->out_was_full || read_is_ready(text->descriptor, wait_ns);
}
