/* codec: decodes compressed texts, with a library for each format. A *member* can be decoded
 * without earlier bytes: a gzip member, a zstd or lz4 frame, an xz or bzip2 stream.
 *
 * A format's library is loaded with the first text of that format. So the command starts without
 * loading any, and a program that links libtrawl runs without them. The build needs the library's
 * header for its types; without it, opening a file or reading a stream of that format fails with a
 * message.
 */
#ifndef TRAWL_TEXT_CODEC_H
#define TRAWL_TEXT_CODEC_H

#include "base/status.h"

#define CODEC_MAGIC_BYTES_MAX 10u

/* Limit for the memory that decoding xz may use, mostly for the window: the earlier output to which
 * compressed data may refer. Data that needs more is rejected. The other libraries have their own
 * limits. */
#define CODEC_MEMORY_MAX (UINT64_C(256) << 20)

struct codec_io {
    const uint8_t *in;
    /* codec.step advances `in` and `out` past the bytes that it read and wrote, and lowers the
     * counts. */
    uint64_t in_count;
    bool is_last; /* the file has no bytes after these */
    uint8_t *out;
    uint64_t out_count;
    /* after CODEC_DAMAGED: the library's description of the damage, or NULL */
    const char *what;
    /* Only for a codec whose head_bytes is not 0: codec.step sets this to the number of bytes that
     * the library needs next, up to the end of a block or of its header. */
    uint64_t wanted;
};

enum codec_result {
    CODEC_MORE, /* the member continues; call codec.step with more input or room */
    CODEC_END,  /* a member has ended; another member may follow */
    CODEC_DAMAGED,
    CODEC_LARGE, /* decoding would need more memory than the library's limit */
    CODEC_MEMORY
};

struct codec {
    const char *name, *library;
    /* If the library discards the output of a call that fails, the decoder must not pass it bytes
     * of two blocks at once, so it first passes this many: the length of a member's shortest
     * header. 0: no such restriction. */
    uint32_t head_bytes;
    /* Looks up the library's functions. NULL: trawl was built without the library's header. */
    bool (*load)(void *library);
    /* Returns NULL if out of memory. `threads` is how many threads the library may start: 0, unless
     * threads_min is above 1. */
    void *(*open)(uint32_t threads);
    enum codec_result (*step)(void *state, struct codec_io *io);
    void (*close)(void *state);
    /* Returns how many bytes the library has allocated for the window. NULL: never more than 8
     * MiB. */
    uint64_t (*memory)(const void *state);
    /* a faster codec for undamaged data, or NULL. Used for files (not streams) with at least
     * fast->threads_min threads */
    const struct codec *fast;
    uint32_t threads_min; /* set only for a faster codec; 0 in other codecs */
};

/* Returns the codec for a file that begins with these bytes; NULL if the file is not compressed. If
 * more bytes are needed to decide, also returns NULL, and *undecided is true. */
const struct codec *codec_of(const uint8_t *bytes, uint64_t bytes_count, bool *undecided);
/* Returns the name of the format of compressed bytes, "gzip", ...; NULL: they are not compressed.
 */
const char *codec_name(const void *bytes, uint64_t bytes_count);

/* How many bytes codec_find needs to recognise the start of a member. */
#define CODEC_HEAD_BYTES CODEC_MAGIC_BYTES_MAX
/* Returns the first place where a member of this format may begin; NULL if there is none. Ignores
 * the last CODEC_HEAD_BYTES - 1 bytes. */
const uint8_t *codec_find(const struct codec *codec, const uint8_t *bytes, uint64_t bytes_count);

/* Loads the codec's library, unless it is loaded. `name` is the text's name, for messages. */
enum trawl_status codec_load(const struct codec *codec, const char *name,
                             struct trawl_error *error);

#endif
