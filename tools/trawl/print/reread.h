/* reread: reads again the bytes of lines too long to be kept in memory. */
#ifndef TRAWL_REREAD_H
#define TRAWL_REREAD_H

#include "trawl/job/command_scan.h"

/* The function that reread_pieces calls for each part of the text. Returning false ends the
 * pass. */
typedef bool (*reread_pass)(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);
/* Calls `pass` for parts of the text [begin, end). In CHARSET_UTF8, no part ends inside a
 * character; otherwise each part except the last has a multiple of 3 bytes. False: `pass` returned
 * false, or the scan has failed. */
bool reread_pieces(struct text_scan *scan, enum charset charset, uint64_t begin, uint64_t end,
                   reread_pass pass);
/* Returns bytes of the text from `begin` on, valid until the next call. *bytes_count: how many
 * bytes are wanted, then how many there are, ≥ 1. NULL: unreadable. */
const uint8_t *reread_some(struct text_scan *scan, uint64_t begin, uint64_t *bytes_count);
/* Returns the bytes [begin, end) of the text, valid until the next call. NULL: too many bytes, or
 * unreadable. */
const uint8_t *reread_range(struct text_scan *scan, uint64_t begin, uint64_t end);

#endif
