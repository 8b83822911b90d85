/* codecs: one for each format. */
#ifndef TRAWL_TEXT_CODECS_H
#define TRAWL_TEXT_CODECS_H

#include "text/codec.h"

extern const struct codec codec_gzip, codec_xz, codec_bzip2, codec_zstd, codec_lz4;

/* One function of a library, into the pointer of its own type; false: it is not there. */
#define CODEC_SYMBOL(library, pointer, symbol) \
    ((pointer) = (__typeof__(pointer))dlsym((library), symbol), (pointer) != NULL)

#endif
