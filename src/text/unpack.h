/* unpack: reads a compressed text as a stream of unpacked bytes.
 *
 * The first bytes of the file decide the format. A decoder (decoder.h) has bounded memory, so the
 * memory does not depend on the size of the file or of the unpacked text. If several threads search
 * the text of a file, they unpack pieces of the file ahead of the reader (ahead.h), whose memory is
 * bounded, too.
 */
#ifndef TRAWL_TEXT_UNPACK_H
#define TRAWL_TEXT_UNPACK_H

#include "text/codec.h"
#include "text/text.h"

/* Opens the unpacking of a descriptor's bytes. codec: the format of a regular file, which is read
 * by pread; NULL: the first bytes of a stream decide. */
enum trawl_status unpack_open(const struct codec *codec, struct text_unpack **unpack,
                              struct trawl_error *error);
void unpack_close(struct text_unpack *unpack);

/* Reads unpacked bytes, as read_stream does: 1 to `count` bytes, or 0 at the end. */
enum trawl_status unpack_read(const struct trawl_text *text, int wake, uint8_t *buffer,
                              uint64_t count, uint64_t *read_bytes, struct trawl_error *error);

/* Returns the format's name, NULL as long as no read has shown a format. */
const char *unpack_format(const struct text_unpack *unpack);

/* Returns whether unpack_read would return at once, as far as can be known without decoding. */
bool unpack_is_ready(const struct trawl_text *text, uint32_t wait_ns);

/* Lets `threads` threads unpack, before the first read. ahead_bytes: the most memory for bytes that
 * are unpacked ahead; 0: none is. cell_bytes: pieces begin in cells of this many compressed
 * bytes. */
void unpack_share(const struct trawl_text *text, uint32_t threads, uint64_t ahead_bytes,
                  uint64_t cell_bytes);
/* Unpacks ahead of the reader, as ahead_help does. Any thread. */
bool unpack_help(const struct trawl_text *text, const _Atomic bool *wanted);
/* Returns whether the reader's first read may take as long as reading a MiB of another text. */
bool unpack_is_slow(const struct trawl_text *text);
/* Lends bytes of a piece as ahead_lend does. *lent: what the caller lowers when the bytes are not
 * needed any more. */
const uint8_t *unpack_lend(const struct trawl_text *text, uint64_t kept, uint64_t wanted,
                           _Atomic uint32_t **lent);
/* Returns the bytes that the reader's decoder holds for the window. */
uint64_t unpack_memory(const struct trawl_text *text);
/* Makes the threads in unpack_help end soon. */
void unpack_stop(const struct trawl_text *text);
/* Ends unpack_share, when no thread is inside unpack_help. */
void unpack_unshare(const struct trawl_text *text);

#endif
