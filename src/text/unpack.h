/* unpack: reads a compressed text as a stream of decompressed bytes.
 *
 * The first bytes of the file show the format. A decoder (decoder.h) has bounded memory, whatever
 * the size of the file or of the decompressed text. If several threads search the text, they
 * decompress pieces of the file ahead of the reader (ahead.h); the memory for these is bounded,
 * too.
 */
#ifndef TRAWL_TEXT_UNPACK_H
#define TRAWL_TEXT_UNPACK_H

#include "text/codec.h"
#include "text/text.h"

/* Prepares to decompress a descriptor's bytes. For a regular file, which is read by pread, `codec`
 * is the codec of its format; for a stream NULL: the first bytes will show the format. */
enum trawl_status unpack_open(const struct codec *codec, struct text_unpack **unpack,
                              struct trawl_error *error);
void unpack_close(struct text_unpack *unpack);

/* Reads 1 to `count` decompressed bytes, or 0 at the end. Waits for bytes; returns STOPPED if
 * `wake` becomes readable. */
enum trawl_status unpack_read(const struct trawl_text *text, int wake, uint8_t *buffer,
                              uint64_t count, uint64_t *read_bytes, struct trawl_error *error);

/* Returns the format's name; NULL while no read has shown one. */
const char *unpack_format(const struct text_unpack *unpack);

/* Returns true if unpack_read would return at once, now or within wait_ns < 10^9 nanoseconds, as
 * far as is known without decoding. */
bool unpack_is_ready(const struct trawl_text *text, uint32_t wait_ns);

/* Lets `threads` threads decompress a file; a stream is decompressed only by the reader. Must
 * be called before the first read. Bytes that are decompressed ahead of the reader take about
 * ahead_bytes of memory; with 0, nothing is decompressed ahead. A file has cells of cell_bytes
 * bytes (ahead.h). */
void unpack_share(const struct trawl_text *text, uint32_t threads, uint64_t ahead_bytes,
                  uint64_t cell_bytes);
/* Decompresses ahead of the reader, as ahead_help does. Any thread may call this. */
bool unpack_help(const struct trawl_text *text, const _Atomic bool *wanted);
/* Returns true if the file is decompressed by bzip2 blocks. The reader's first read may then take
 * as long as reading a MiB of plain text. */
bool unpack_is_slow(const struct trawl_text *text);
/* Returns bytes of a piece without a copy, as ahead_lend does. When they are no longer needed, the
 * caller lowers *lent. */
const uint8_t *unpack_lend(const struct trawl_text *text, uint64_t kept, uint64_t wanted,
                           _Atomic uint32_t **lent);
/* Returns how many bytes the reader's decoder holds for the window. */
uint64_t unpack_memory(const struct trawl_text *text);
/* Makes threads leave unpack_help soon. */
void unpack_stop(const struct trawl_text *text);
/* Undoes unpack_share. No thread may be inside unpack_help. */
void unpack_unshare(const struct trawl_text *text);

#endif
