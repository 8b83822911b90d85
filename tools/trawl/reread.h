/* reread: bytes of lines too long to be kept in memory, read again. */
#ifndef TRAWL_REREAD_H
#define TRAWL_REREAD_H

#include "trawl/scan.h"

/* What a pass does with a piece of the text; false ends the pass. */
typedef bool (*reread_pass)(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);
/* Go over the text from `begin` to `end` in pieces that cut no character of UTF-8, if `charset` is
 * that; each but the last is of a multiple of 3 bytes, if it is not. False: a pass ended, or the
 * scan failed. */
bool reread_pieces(struct text_scan *scan, enum charset charset, uint64_t begin, uint64_t end,
                   reread_pass pass);
/* Bytes of the text from `begin` on, until the next call. In *bytes_count stands how many are
 * wanted, then how many there are, 1 or more. NULL: they cannot be read. */
const uint8_t *reread_some(struct text_scan *scan, uint64_t begin, uint64_t *bytes_count);
/* A few bytes of the text, until the next call; NULL: they are too many, or cannot be read. */
const uint8_t *reread_range(struct text_scan *scan, uint64_t begin, uint64_t end);

#endif
