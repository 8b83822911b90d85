/* far: bytes of lines too long to be kept in memory, read again. */
#ifndef TRAWL_FAR_H
#define TRAWL_FAR_H

#include "trawl/scan.h"

/* What a pass does with a piece of the text; false ends the pass. */
typedef bool (*far_pass)(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count);
/* Go over the text from `begin` to `end` in pieces that cut no character of UTF-8, if `charset` is
 * that; each but the last is of a multiple of 3 bytes, if it is not. False: a pass ended, or the
 * scan failed. */
bool far_pieces(struct scan *scan, enum charset charset, uint64_t begin, uint64_t end,
                far_pass pass);
/* A few bytes of the text, until the next call; NULL: they are too many, or cannot be read. */
const uint8_t *far_near(struct scan *scan, uint64_t begin, uint64_t end);

#endif
