/* codec: decodes compressed texts, each format by a library.
 *
 * A format's library is loaded with the first text of that format. So the command does not load
 * five libraries at its start, and a program that links libtrawl needs no decoder. The build takes
 * types from the library's header. Without the header, the codec is built without its library, and
 * opening a text of that format fails with a message.
 */
#ifndef TRAWL_TEXT_CODEC_H
#define TRAWL_TEXT_CODEC_H

#include "base/status.h"

#define CODEC_MAGIC_BYTES_MAX 10u

/* The most memory for a decoder's window; data that needs more is refused. */
#define CODEC_MEMORY_MAX (UINT64_C(256) << 20)

struct codec_io {
    const uint8_t *in;
    /* each step moves `in` and `out` behind the used bytes, and lowers in_count and out_count */
    uint64_t in_count;
    bool is_last; /* the file has no bytes after these */
    uint8_t *out;
    uint64_t out_count;
    const char *what; /* CODEC_DAMAGED: the library's description of the fault, or NULL */
    /* Codecs with head_bytes: a step sets the bytes up to the end of the block, or of the block's
       header, as the library tells. */
    uint64_t wanted;
};

enum codec_result {
    CODEC_MORE, /* the step used all input, or filled the output */
    CODEC_END,  /* a member has ended; another member may follow */
    CODEC_DAMAGED,
    CODEC_LARGE, /* decoding would need more than CODEC_MEMORY_MAX */
    CODEC_MEMORY
};

struct codec {
    const char *name, *library;
    /* Bytes of a member's shortest header, if the library gives nothing of a call that fails: then
     * a step gets the bytes of one block at most. Else 0. */
    uint32_t head_bytes;
    /* Looks up the library's functions; NULL: the build lacked the library's header. */
    bool (*load)(void *library);
    void *(*open)(uint32_t threads); /* NULL: out of memory */
    enum codec_result (*step)(void *state, struct codec_io *io);
    /* Prepares for another member, also after a fault; false: out of memory. */
    bool (*again)(void *state);
    void (*close)(void *state);
    /* Returns the bytes that the library holds for the window; NULL: 8 MiB at most. */
    uint64_t (*memory)(const void *state);
    /* A faster library for undamaged data, for decoders with threads_least threads; NULL: none. */
    const struct codec *fast;
    uint32_t threads_least;
};

/* Returns the format of a file that begins with these bytes. NULL: the file is not compressed or,
 * if *undecided, more bytes are needed to know. */
const struct codec *codec_of(const uint8_t *bytes, uint64_t bytes_count, bool *undecided);

/* The bytes by which codec_find knows a member's begin. */
#define CODEC_HEAD_BYTES CODEC_MAGIC_BYTES_MAX
/* Returns the first place where a member of the format may begin; NULL: there is none. */
const uint8_t *codec_find(const struct codec *codec, const uint8_t *bytes, uint64_t bytes_count);

/* Loads the codec's library unless it is loaded. `name` names the text in messages. */
enum trawl_status codec_load(const struct codec *codec, const char *name,
                             struct trawl_error *error);

#endif
