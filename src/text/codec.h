/* codec: the decoders of compressed texts, each from its own library.
 *
 * A library is loaded when its first text comes: the command's start does not pay for five of them,
 * and a program that links libtrawl needs none. The build takes the types from the library's
 * header; without that header the codec is left out, and says so.
 */
#ifndef TRAWL_TEXT_CODEC_H
#define TRAWL_TEXT_CODEC_H

#include "base/status.h"

#define CODEC_MAGIC_BYTES_MAX 10u

/* A decoder needs no more for its window; data that needs more is refused. */
#define CODEC_MEMORY_MAX (UINT64_C(256) << 20)

struct codec_io {
    const uint8_t *in;
    uint64_t in_count; /* both are counted down, and the pointers moved on, by what was used */
    uint8_t *out;
    uint64_t out_count;
    const char *what; /* of CODEC_DAMAGED: what is wrong, where the library says more */
};

enum codec_result {
    CODEC_MORE, /* and it used all input, or filled the output */
    CODEC_END,  /* of a member: more of them may follow */
    CODEC_DAMAGED,
    CODEC_LARGE, /* it would need more than CODEC_MEMORY_MAX */
    CODEC_MEMORY
};

struct codec {
    const char *name, *library;
    /* What the library has is loaded; NULL: this build is without it. */
    bool (*load)(void *library);
    void *(*open)(void); /* NULL: out of memory */
    enum codec_result (*step)(void *state, struct codec_io *io);
    /* After CODEC_END: ready for the next member. */
    bool (*again)(void *state);
    void (*close)(void *state);
};

/* The format that begins with these bytes. NULL: none, or *undecided: more bytes would tell. */
const struct codec *codec_of(const uint8_t *bytes, uint64_t bytes_count, bool *undecided);

/* Load its library, once. */
enum trawl_status codec_load(const struct codec *codec, const char *name,
                             struct trawl_error *error);

#endif
