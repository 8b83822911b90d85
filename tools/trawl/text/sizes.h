/* sizes: a command for tests has small buffers and tables, so that short inputs cross their
 * boundaries. It is linked from the command's objects and another sizes.c. In builds with
 * sanitizers, arrays are small, too, so that these see each access outside of them.
 */
#ifndef TRAWL_SIZES_H
#define TRAWL_SIZES_H

#include <stdbool.h>
#include <stdint.h>

extern const bool sizes_are_small;

/* SIZE_OR_SMALL(size, small): the size of a buffer or table, and its size in a command for tests.
 * SIZE_ROOM(size, small): the length of an array that has SIZE_OR_SMALL(size, small) elements. */
#ifdef TRAWL_SMALL_SIZES
#define SIZE_PICK(size, small) (small)
#define SIZE_PICK_ROOM(size, small) (small)
#else
#define SIZE_PICK(size, small) (sizes_are_small ? (small) : (size))
#define SIZE_PICK_ROOM(size, small) (size)
#endif
#define SIZE_OR_SMALL(...) SIZE_PICK(__VA_ARGS__) /* the arguments may be one macro, for both */
#define SIZE_ROOM(...) SIZE_PICK_ROOM(__VA_ARGS__)

/* grep looks for NUL in its buffers, 96 KiB of a file at a time. No line of a buffer with a NUL is
 * printed. */
#define BLOCK_BYTES (UINT64_C(96) << 10)

#define SETTINGS_ERROR_BYTES 512 /* room for a message, with its NUL */

#endif
