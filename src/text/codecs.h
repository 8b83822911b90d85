/* codecs: lists the codecs, for codec.c and the files that define a codec. */
#ifndef TRAWL_TEXT_CODECS_H
#define TRAWL_TEXT_CODECS_H

#include "text/codec.h"

extern const struct codec codec_gzip, codec_xz, codec_bzip2, codec_zstd, codec_lz4;
extern const struct codec codec_isal, codec_xz_threads; /* the fast libraries */

/* Stores the address of the library's function `symbol` in `pointer`; false: there is none. */
#define CODEC_SYMBOL(library, pointer, symbol) \
    ((pointer) = (__typeof__(pointer))dlsym((library), symbol), (pointer) != NULL)

#endif
