/* trawl_1_0: functions of version 1.0 that newer functions replace. trawl.h includes this header.
 */
#ifndef TRAWL_1_0_H
#define TRAWL_1_0_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version 1.0 ---------------------------------------------------------------------------
 * Functions of version 1.0 that newer functions replace. They stay as they are until version 2. */

/* Open a file as a text; see trawl_text_open. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_open_file(const char *path,
                                                               struct trawl_text **text,
                                                               struct trawl_error *error);
/* Open a descriptor as a text; see trawl_text_open with TRAWL_TEXT_DESCRIPTOR. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_from_descriptor(int descriptor,
                                                                     const char *name,
                                                                     struct trawl_text **text,
                                                                     struct trawl_error *error);
/* Open a file, or a descriptor, that may be compressed; see trawl_text_open with TRAWL_TEXT_UNPACK.
 */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_open_compressed(const char *path,
                                                                     struct trawl_text **text,
                                                                     struct trawl_error *error);
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_from_compressed(int descriptor,
                                                                     const char *name,
                                                                     struct trawl_text **text,
                                                                     struct trawl_error *error);
/* Name the format of compressed bytes, "gzip", ...; see trawl_text_tell. NULL for other bytes. */
TRAWL_API const char *trawl_compression(const void *bytes, uint64_t bytes_count);
/* Tell whether trawl_text_read works at any offset; see trawl_text_tell. */
TRAWL_API bool trawl_text_is_seekable(const struct trawl_text *text);
/* Tell a text's size; see trawl_text_tell. If the size is not known, returns false and leaves
 * *text_bytes. */
TRAWL_API bool trawl_text_bytes(const struct trawl_text *text, uint64_t *text_bytes);

#ifdef __cplusplus
}
#endif
#endif
