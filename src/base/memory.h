/* memory: the one place that allocates.
 *
 * Sizes are known at release, so the caller's allocator gets them back. Arrays are aligned to
 * MEMORY_ALIGNMENT, a cache line and the widest vector; what is one of its kind to
 * OBJECT_ALIGNMENT.
 */
#ifndef TRAWL_BASE_MEMORY_H
#define TRAWL_BASE_MEMORY_H

#include "base/status.h"

#define MEMORY_ALIGNMENT 64
#define OBJECT_ALIGNMENT 16

/* count * size bytes into *pointer; MEMORY or LIMIT (the product overflows) on failure, with
 * *pointer NULL. count * size 0 gives a NULL pointer and success. */
enum trawl_status memory_allocate(uint64_t count, uint64_t size, void **pointer,
                                  struct trawl_error *error);
/* The same, zeroed. */
enum trawl_status memory_allocate_zeroed(uint64_t count, uint64_t size, void **pointer,
                                         struct trawl_error *error);
/* For tables that are looked up at random: large ones in huge pages, where the system has them and
 * the caller has no allocator. */
enum trawl_status memory_allocate_table(uint64_t count, uint64_t size, bool zeroed, void **pointer,
                                        struct trawl_error *error);
/* Grow to new_count elements, keeping the first old_count; *pointer is unchanged on failure. */
enum trawl_status memory_grow(uint64_t old_count, uint64_t new_count, uint64_t size, void **pointer,
                              struct trawl_error *error);
/* NULL is accepted. count and size as they were given. */
void memory_release(void *pointer, uint64_t count, uint64_t size);

/* Copy, as memcpy does, but leave no changed lines in this core's caches: for bytes that only a
 * device reads. It fetches them from memory twice as fast as from the caches of other cores. */
void memory_stream(void *to, const void *from, uint64_t count);

#endif
