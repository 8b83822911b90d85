/* codec: decodes compressed texts, with a library for each format. A member is what can be decoded
 * without earlier bytes, like a gzip member.
 *
 * A format's library is loaded with the first text of that format, so the command starts without
 * loading any, and a program that links libtrawl runs without them. The build takes types from a
 * library's header; without it, opening a file or reading a stream of that format fails with a
 * message.
 */
#ifndef TRAWL_TEXT_CODEC_H
#define TRAWL_TEXT_CODEC_H

#include "base/status.h"

#define CODEC_MAGIC_BYTES_MAX 10u

/* Limit for the memory with which xz data is decoded, most of it for the window, the earlier bytes
 * to which compressed data may refer. Data that needs more is rejected. Other libraries have limits
 * of their own. */
#define CODEC_MEMORY_MAX (UINT64_C(256) << 20)

struct codec_io {
    const uint8_t *in;
    /* codec.step moves `in` and `out` after the bytes that it read and wrote, and lowers the
     * counts. */
    uint64_t in_count;
    bool is_last; /* the file has no bytes after these */
    uint8_t *out;
    uint64_t out_count;
    /* after CODEC_DAMAGED: the library's description of the damage, or NULL */
    const char *what;
    /* Only for a codec whose head_bytes is not 0: codec.step sets this to the number of bytes up to
     * the end of the block, or of the block's header, as the library says. */
    uint64_t wanted;
};

enum codec_result {
    CODEC_MORE, /* the member continues; with more input or room, codec.step may give more */
    CODEC_END,  /* a member has ended; another member may follow */
    CODEC_DAMAGED,
    CODEC_LARGE, /* decoding would need more memory than the library's limit */
    CODEC_MEMORY
};

struct codec {
    const char *name, *library;
    /* For a library that loses the output of a failing call: the length of a member's shortest
     * header. Each call of `step` then gets the bytes of at most one block. 0 for other
     * libraries. */
    uint32_t head_bytes;
    /* Looks up the library's functions. NULL: the library's header was missing in the build. */
    bool (*load)(void *library);
    void *(*open)(uint32_t threads); /* returns NULL if out of memory */
    enum codec_result (*step)(void *state, struct codec_io *io);
    /* Prepares for another member, even after an error. Returns false if out of memory. */
    bool (*again)(void *state);
    void (*close)(void *state);
    /* Returns how many bytes the library holds for the window. The pointer is NULL if that is never
     * more than 8 MiB. */
    uint64_t (*memory)(const void *state);
    /* a faster codec for undamaged data, or NULL; used for files (not streams) with at least
     * fast->threads_least threads */
    const struct codec *fast;
    uint32_t threads_least; /* set only for a faster codec; 0 in other codecs */
};

/* Returns the codec for a file that begins with these bytes. Returns NULL if the file is not
 * compressed, or if more bytes are needed to tell; only then is *undecided true. */
const struct codec *codec_of(const uint8_t *bytes, uint64_t bytes_count, bool *undecided);

/* Number of bytes by which codec_find recognises where a member begins. */
#define CODEC_HEAD_BYTES CODEC_MAGIC_BYTES_MAX
/* Returns the first place where a member of the format may begin, at least CODEC_HEAD_BYTES before
 * the end; NULL if there is none. */
const uint8_t *codec_find(const struct codec *codec, const uint8_t *bytes, uint64_t bytes_count);

/* Loads the codec's library if it is not loaded yet. `name` is the text's name for messages. */
enum trawl_status codec_load(const struct codec *codec, const char *name,
                             struct trawl_error *error);

#endif
