/* decoder: decodes a compressed text, member by member, starting at an offset of the file. A
 * *member* can be decoded without earlier bytes, such as a gzip member.
 *
 * The compressed bytes go through an input buffer of 64 KiB. Some formats have a second, faster
 * library (codec.fast), which decodes files. If it finds a member damaged, the format's own library
 * decodes that member again, and the bytes that were delivered already are dropped. So only the
 * format's own library decides what is damaged, and where.
 *
 * All bytes before damaged data are searched, as by `gzip -dc | grep`. zlib and liblzma deliver
 * these bytes. libbz2, zstd and lz4 do not say how many bytes a failing call has written, so
 * damaged bzip2 data are decoded once more, one byte per call, and zstd and lz4 get at most one
 * block of input per call.
 *
 * The faster decoders are ISA-L, libbz2 with many bytes in each call, and liblzma's threads. About
 * one in 10,000 randomly damaged files yields up to 128 KiB of text from beyond the damage, which
 * slower decoders do not deliver: xz files that several threads decode, and gzip files if the
 * chunks are short.
 */
#ifndef TRAWL_TEXT_DECODER_H
#define TRAWL_TEXT_DECODER_H

#include "text/codec.h"
#include "text/text.h"

#define DECODER_INPUT_BYTES (64u << 10)
#define DECODER_WHAT_BYTES 64u

/* Where a decoder reads compressed bytes, and reports errors. */
struct decoder_source {
    const struct trawl_text *text;
    bool from_file; /* read a file with pread; false: read a stream */
    int wake;       /* eventfd that ends a wait for bytes (struct text_need); -1: none */
    struct trawl_error *error;
};

struct decoder {
    struct decoder *next;        /* next in a list of idle decoders */
    const struct codec *codec;   /* codec of the format; NULL: not known yet */
    const struct codec *library; /* the codec that decodes: `codec` or codec->fast */
    void *state;
    uint32_t threads; /* number of threads that the library may start */
    bool input_ended;
    bool out_was_full; /* the last call filled the output, so the library may have more of it */
    bool between;      /* between two members */
    /* An error was found. The next read reports it; if a faster library has found it, the next read
     * decodes the member again. */
    bool failed;
    enum codec_result fault;
    char what[DECODER_WHAT_BYTES];
    uint64_t file_offset;  /* file offset of input[at] */
    uint64_t member_begin; /* file offset where the current member begins */
    uint64_t member_bytes; /* number of decoded bytes of the member that were delivered */
    /* After the member was restarted: how many decoded bytes to drop, because they were delivered
     * before. */
    uint64_t skip_bytes;
    /* for a codec whose head_bytes (codec.h) is not 0: the most input that the next call to
     * codec.step gets, in bytes */
    uint64_t wanted;
    uint64_t at, count; /* input[at, count) has not been decoded yet */
    uint8_t input[DECODER_INPUT_BYTES];
};

/* Prepares a decoder that will start to read at file offset 0. */
void decoder_open(struct decoder *decoder);
/* Starts a member of this format, whose first bytes are the decoder's next input. May be called at
 * any time, even after an error. The library may start `threads` threads. */
enum trawl_status decoder_begin(struct decoder *decoder, const struct codec *codec,
                                uint32_t threads, const struct decoder_source *source);
/* Moves the decoder to this file offset, and drops the input. */
void decoder_move(struct decoder *decoder, uint64_t file_offset);
void decoder_close(struct decoder *decoder);
/* Returns how much memory the library uses for its window now, in bytes; 0 if the codec does not
 * report it. Each header may change the size. */
uint64_t decoder_memory(const struct decoder *decoder);

/* Appends compressed bytes to the input. */
enum trawl_status decoder_fill(struct decoder *decoder, const struct decoder_source *source);

enum decoder_stop { DECODER_MORE, DECODER_MEMBER, DECODER_ENDED };
/* Decodes 1 to `count` bytes. *read_bytes is 0 if decoding stopped; *stop says why: the text has
 * ended, or another member begins (call decoder_next to go on). After an error, every call returns
 * the same status. */
enum trawl_status decoder_read(struct decoder *decoder, const struct decoder_source *source,
                               uint8_t *buffer, uint64_t count, uint64_t *read_bytes,
                               enum decoder_stop *stop);
enum trawl_status decoder_next(struct decoder *decoder, const struct decoder_source *source);
/* Restarts the member at this file offset, with the format's own library, and drops the first
 * given_bytes decoded bytes. */
enum trawl_status decoder_anew(struct decoder *decoder, const struct decoder_source *source,
                               uint64_t member_begin, uint64_t given_bytes);

#endif
