/* codecs: lists the codecs, for codec.c and the files that define a codec. */
#ifndef TRAWL_TEXT_CODECS_H
#define TRAWL_TEXT_CODECS_H

#include "text/codec.h"

extern const struct codec codec_gzip, codec_xz, codec_bzip2, codec_zstd, codec_lz4;
/* faster codecs for undamaged data */
extern const struct codec codec_isal, codec_xz_threads, codec_bzip2_whole;

/* Stores the address of the library's function `symbol` in `pointer`. Evaluates to false if the
 * library lacks the function. */
#define CODEC_SYMBOL(library, pointer, symbol) \
    ((pointer) = (__typeof__(pointer))dlsym((library), symbol), (pointer) != NULL)

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
