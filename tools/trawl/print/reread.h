/* reread: rereads the bytes of lines too long to be kept in memory.
 *
 * If the file can be read again for printing, only the first bytes of a line over 1 MiB are kept.
 * The whole line is, if it cannot be read again (a pipe, a compressed or converted text), and for
 * colours, -B, -o with context, and -w with an empty string; -B NUM keeps twice the last NUM
 * lines, and matches printed one by one (-o, colours) take 100 bytes each.
 */
#ifndef TRAWL_REREAD_H
#define TRAWL_REREAD_H

#include "trawl/job/command_scan.h"
#include "trawl/text/charset.h"

/* Called by reread_pieces for each part of the text. If it returns false, no further part is
 * read. */
typedef bool (*reread_pass)(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);
/* Reads the text [begin, end) again and calls `pass` for each part. In CHARSET_UTF8, no part ends
 * inside a character; otherwise each part except for the last has a multiple of 3 bytes. Returns
 * false if `pass` did, or if the scan has failed. */
bool reread_pieces(struct text_scan *scan, enum charset charset, uint64_t begin, uint64_t end,
                   reread_pass pass);
/* Returns bytes of the text from `begin`, valid until the next call. *bytes_count is the number of
 * bytes that are wanted, and is set to the number available, at least 1. NULL: the text cannot be
 * read. */
const uint8_t *reread_some(struct text_scan *scan, uint64_t begin, uint64_t *bytes_count);
/* Returns the bytes [begin, end) of the text, valid until the next call. NULL: there are too many
 * bytes, or they cannot be read. */
const uint8_t *reread_range(struct text_scan *scan, uint64_t begin, uint64_t end);

#endif
