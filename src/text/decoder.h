/* decoder: decodes a compressed text member by member, from a file offset on.
 *
 * The compressed bytes go through an input buffer of 64 KiB. If the format has a faster library
 * (codec.h) and the text is a file, that library decodes. What it finds damaged is decoded once
 * more by the format's own library, from the member's begin on, without the bytes that were given
 * out before. So the format's own library alone decides what is damaged, and where.
 */
#ifndef TRAWL_TEXT_DECODER_H
#define TRAWL_TEXT_DECODER_H

#include "text/codec.h"
#include "text/text.h"

#define DECODER_INPUT_BYTES (64u << 10)
#define DECODER_WHAT_BYTES 64u

/* Where the compressed bytes come from, and where errors go. */
struct decoder_source {
    const struct trawl_text *text;
    bool from_file; /* the text is a file that pread reads; false: a stream */
    int wake;       /* as in struct text_need */
    struct trawl_error *error;
};

struct decoder {
    struct decoder *next;        /* in a list of decoders */
    const struct codec *codec;   /* the format; NULL: not known yet */
    const struct codec *library; /* what decodes: codec or codec->fast */
    void *state;
    uint32_t threads; /* threads that the library may have */
    bool input_ended;
    bool out_was_full; /* the library may give more bytes without more input */
    bool between;      /* a member has ended and the next has not begun */
    /* the next read reports a fault: this read found the fault after bytes that could be
     * unpacked */
    bool failed;
    enum codec_result fault;
    char what[DECODER_WHAT_BYTES];
    uint64_t file_offset;  /* the file offset of input[at] */
    uint64_t member_begin; /* the file offset of the current member */
    uint64_t member_bytes; /* bytes of the member that were given out */
    uint64_t skip_bytes;   /* bytes of the member that were given out before, and come again */
    uint64_t wanted;       /* for a codec with head_bytes: the most bytes for the next step */
    uint64_t at, count;    /* input[at, count) is read and not decoded yet */
    uint8_t input[DECODER_INPUT_BYTES];
};

/* Clears a decoder, which reads from this file offset on. */
void decoder_open(struct decoder *decoder, uint64_t file_offset);
/* Makes the decoder ready for a member of this format, which begins at the decoder's input. A
 * decoder may begin again after any use. threads: those that the library may have. */
enum trawl_status decoder_begin(struct decoder *decoder, const struct codec *codec,
                                uint32_t threads, const struct decoder_source *source);
/* Moves a decoder that has begun before to this file offset. */
void decoder_move(struct decoder *decoder, uint64_t file_offset);
void decoder_close(struct decoder *decoder);
/* Returns the bytes that the library holds for the window, as far as members have told. */
uint64_t decoder_memory(const struct decoder *decoder);

/* Reads more compressed bytes behind the input. */
enum trawl_status decoder_fill(struct decoder *decoder, const struct decoder_source *source);

enum decoder_stop { DECODER_MORE, DECODER_MEMBER, DECODER_ENDED };
/* Decodes 1 to `count` bytes, or stops with *read_bytes == 0: the text has ended, or a further
 * member begins, for which decoder_next prepares. Each call after a fault returns the same
 * status. */
enum trawl_status decoder_read(struct decoder *decoder, const struct decoder_source *source,
                               uint8_t *buffer, uint64_t count, uint64_t *read_bytes,
                               enum decoder_stop *stop);
enum trawl_status decoder_next(struct decoder *decoder, const struct decoder_source *source);
/* Begins the member at this offset once more with the format's own library, which gives out nothing
 * of the first given_bytes. */
enum trawl_status decoder_anew(struct decoder *decoder, const struct decoder_source *source,
                               uint64_t member_begin, uint64_t given_bytes);

#endif
