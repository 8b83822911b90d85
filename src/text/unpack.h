/* unpack: reads a compressed text as a stream of decompressed bytes.
 *
 * The file's first bytes show the format. A decoder (decoder.h) uses bounded memory, however large
 * the file or the text. If several threads search the text, they also decompress parts of the file
 * ahead of the reader (ahead.h), again in bounded memory.
 */
#ifndef TRAWL_TEXT_UNPACK_H
#define TRAWL_TEXT_UNPACK_H

#include "text/codec.h"
#include "text/text.h"

/* Prepares to decompress what a descriptor reads. `codec` is the format of a regular file, which
 * will be read with pread; NULL: a stream, whose first bytes will show the format. */
enum trawl_status unpack_open(const struct codec *codec, struct text_unpack **unpack,
                              struct trawl_error *error);
void unpack_close(struct text_unpack *unpack);

/* Waits for 1 to `count` decompressed bytes, 0 at the end. Returns STOPPED if `wake` becomes
 * readable. */
enum trawl_status unpack_read(const struct trawl_text *text, int wake, uint8_t *buffer,
                              uint64_t count, uint64_t *read_bytes, struct trawl_error *error);

/* Returns the format's name; NULL while it is not known, or if the text is not compressed. */
const char *unpack_format(const struct text_unpack *unpack);

/* Returns true if unpack_read would probably not block, now or within wait_ns < 10^9 nanoseconds.
 * Decodes nothing to find out. */
bool unpack_is_ready(const struct trawl_text *text, uint32_t wait_ns);

/* Lets threads decompress a file ahead of the reader (ahead.h). Must be called before the first
 * read. */
void unpack_share(const struct trawl_text *text, const struct text_unpacking *how);
/* Returns what decompresses ahead of the reader; NULL: nothing does. */
struct ahead *unpack_ahead(const struct trawl_text *text);
/* Returns bytes of a piece without a copy, as ahead_lend does. The caller decrements *lent when it
 * no longer needs them. */
const uint8_t *unpack_lend(const struct trawl_text *text, uint64_t kept, uint64_t wanted,
                           _Atomic uint32_t **lent);
/* Returns how many bytes the reader's decoder uses for its window. */
uint64_t unpack_memory(const struct trawl_text *text);
/* Ends what unpack_share began. No thread may be inside ahead_help. */
void unpack_unshare(const struct trawl_text *text);

/* Returns true if what is decompressed is a regular file. */
bool unpack_is_of_file(const struct text_unpack *unpack);
/* Frees what decompressing needs, and prepares to read the file from its start again. Returns false
 * for a stream, and in a child of the process that reads the file. */
bool unpack_rewind(struct text_unpack *unpack);

#endif
