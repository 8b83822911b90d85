/* sizes: a build for tests has small buffers and tables, so that short inputs reach their borders.
 */
#ifndef TRAWL_SIZES_H
#define TRAWL_SIZES_H

/* The size of a buffer or table, and its size in a build for tests. */
#ifdef TRAWL_SMALL_SIZES
#define SIZE_OR_SMALL(size, small) (small)
#else
#define SIZE_OR_SMALL(size, small) (size)
#endif

#endif
