/* codecs: lists the codecs, for codec.c and the files that define a codec. */
#ifndef TRAWL_TEXT_CODECS_H
#define TRAWL_TEXT_CODECS_H

#include "text/codec.h"

extern const struct codec codec_gzip, codec_xz, codec_bzip2, codec_zstd, codec_lz4;
/* faster codecs for undamaged data */
extern const struct codec codec_isal, codec_xz_threads, codec_bzip2_whole;

/* For a codec that uses the functions in LIST, rows X(member, the library's function): defines a
 * struct `name` of pointers to them, and NAME_load (codec.load). */
#define CODEC_FUNCTIONS(name, LIST)          \
    static struct {                          \
        LIST(CODEC_POINTER)                  \
    } name;                                  \
    static bool name##_load(void *library)   \
    {                                        \
        __typeof__(name) *functions = &name; \
                                             \
        return true LIST(CODEC_LOOK_UP);     \
    }
#define CODEC_POINTER(member, function) __typeof__(function) *member;
#define CODEC_LOOK_UP(member, function) \
    &&(functions->member = (__typeof__(functions->member))dlsym(library, #function)) != NULL

/* Advances io->in and io->out past the bytes that the library read (`in`) and wrote (`out`). */
static inline void codec_used(struct codec_io *io, uint64_t in, uint64_t out)
{
    TRAWL_ASSERT(in <= io->in_count && out <= io->out_count);
    io->in += in;
    io->in_count -= in;
    io->out += out;
    io->out_count -= out;
}

#endif
