/* sizes: a build for tests has small buffers and tables, so that short inputs cross their
 * boundaries.
 */
#ifndef TRAWL_SIZES_H
#define TRAWL_SIZES_H

#include <stdint.h>

/* The size of a buffer or table, and its size in a build for tests. */
#ifdef TRAWL_SMALL_SIZES
#define SIZE_OR_SMALL(size, small) (small)
#else
#define SIZE_OR_SMALL(size, small) (size)
#endif

/* grep looks for NUL in its buffers, 96 KiB of a file at a time. No line of a buffer with a NUL is
 * printed. */
#define BLOCK_BYTES (UINT64_C(96) << 10)

#define SETTINGS_ERROR_BYTES 512 /* room for a message, with its NUL */

#endif
