/* decode: characters of the encodings in WHATWG's Encoding Standard, as ripgrep decodes them. */
#ifndef TRAWL_DECODE_H
#define TRAWL_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECODE_REPLACEMENT 0xfffdu

struct decoder;

/* Returns true if the standard has this label. *by_iconv: the label's name for iconv, if iconv
 * alone decodes as the standard says (UTF-16); else NULL. */
bool decode_has(const char *label, const char **by_iconv);
/* Returns a decoder for a label of the standard for which decode_has sets *by_iconv to NULL. NULL:
 * errno says why. */
struct decoder *decode_open(const char *label);
/* Returns true if each byte of ASCII, where a character begins, is that character of ASCII. */
bool decode_has_ascii(const struct decoder *decoder);
void decode_close(struct decoder *decoder);
/* Decodes the character at bytes[0]. If `end`, no byte follows the bytes. Writes 0 to 2 code
 * points. Returns how many bytes were read; 0 if more bytes are needed. */
size_t decode_next(struct decoder *decoder, const uint8_t *bytes, size_t count, bool end,
                   uint32_t points[2], size_t *point_count);

#endif
