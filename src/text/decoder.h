/* decoder: decodes a compressed text, one member after the other, starting at an offset of the
 * file. A member is what can be decoded without earlier bytes, like a gzip member.
 *
 * The compressed bytes go through an input buffer of 64 KiB. If the format has a faster library for
 * the decoder's threads (codec.h) and the text is a file, that library decodes. A member that it
 * finds damaged is decoded again by the format's own library, and the bytes that were delivered
 * before are dropped. So only the format's own library decides what is damaged, and where.
 */
#ifndef TRAWL_TEXT_DECODER_H
#define TRAWL_TEXT_DECODER_H

#include "text/codec.h"
#include "text/text.h"

#define DECODER_INPUT_BYTES (64u << 10)
#define DECODER_WHAT_BYTES 64u

/* Where a decoder reads compressed bytes, and where errors are reported. */
struct decoder_source {
    const struct trawl_text *text;
    bool from_file; /* read by pread from a file; false: read a stream */
    int wake;       /* eventfd that ends a wait for bytes (struct text_need); -1: none */
    struct trawl_error *error;
};

struct decoder {
    struct decoder *next;        /* in a list of decoders */
    const struct codec *codec;   /* codec of the format; NULL: not known yet */
    const struct codec *library; /* the codec that decodes: `codec` or codec->fast */
    void *state;
    uint32_t threads; /* number of threads that the library may start */
    bool input_ended;
    bool out_was_full; /* the last call filled the output, so the library may have more */
    bool between;      /* a member has ended, and the next member has not begun */
    /* An error was found. The next read reports it or, if a faster library has found it, decodes
     * the member again. */
    bool failed;
    enum codec_result fault;
    char what[DECODER_WHAT_BYTES];
    uint64_t file_offset;  /* file offset of input[at] */
    uint64_t member_begin; /* file offset where the current member begins */
    uint64_t member_bytes; /* number of bytes of the member that were delivered */
    /* If the member was started again: how many of the next decoded bytes to drop, because they
     * were delivered before. */
    uint64_t skip_bytes;
    /* only for a codec whose head_bytes (codec.h) is not 0: the most bytes of input that the next
     * call of codec.step gets */
    uint64_t wanted;
    uint64_t at, count; /* input[at, count) was read, but is not decoded yet */
    uint8_t input[DECODER_INPUT_BYTES];
};

/* Prepares a decoder that will start to read at this file offset. */
void decoder_open(struct decoder *decoder, uint64_t file_offset);
/* Starts a member of this format, whose first bytes are the decoder's next input. May be called
 * after any use. threads: number of threads that the library may start. */
enum trawl_status decoder_begin(struct decoder *decoder, const struct codec *codec,
                                uint32_t threads, const struct decoder_source *source);
/* Moves the decoder to this file offset, and drops the input that is not decoded yet. */
void decoder_move(struct decoder *decoder, uint64_t file_offset);
void decoder_close(struct decoder *decoder);
/* Returns how many bytes the library's window takes now, or 0 if the codec does not tell. Headers
 * may change the size. */
uint64_t decoder_memory(const struct decoder *decoder);

/* Reads more compressed bytes after the input. */
enum trawl_status decoder_fill(struct decoder *decoder, const struct decoder_source *source);

enum decoder_stop { DECODER_MORE, DECODER_MEMBER, DECODER_ENDED };
/* Decodes 1 to `count` bytes. *read_bytes is 0 if decoding stopped: the text has ended, or
 * another member begins, for which decoder_next prepares. Each call after an error returns the
 * same status. */
enum trawl_status decoder_read(struct decoder *decoder, const struct decoder_source *source,
                               uint8_t *buffer, uint64_t count, uint64_t *read_bytes,
                               enum decoder_stop *stop);
enum trawl_status decoder_next(struct decoder *decoder, const struct decoder_source *source);
/* Begins the member at this offset again with the format's own library. The decoder then drops the
 * first given_bytes decoded bytes. */
enum trawl_status decoder_anew(struct decoder *decoder, const struct decoder_source *source,
                               uint64_t member_begin, uint64_t given_bytes);

#endif
