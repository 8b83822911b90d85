/* memory: allocates memory for the library, with the caller's allocator if one is set.
 *
 * To release memory, pass its size again: the caller's allocator may need it. Arrays are aligned to
 * MEMORY_ALIGNMENT, single objects (count 1) to OBJECT_ALIGNMENT.
 */
#ifndef TRAWL_BASE_MEMORY_H
#define TRAWL_BASE_MEMORY_H

#include "base/status.h"

#define MEMORY_ALIGNMENT 64 /* size of a cache line, and of the widest vector */
#define OBJECT_ALIGNMENT 16

/* Allocates count * size bytes and stores their address in *pointer. If count * size is 0, *pointer
 * is NULL. Errors: MEMORY; LIMIT if count * size overflows. After an error, *pointer is NULL. */
enum trawl_status memory_allocate(uint64_t count, uint64_t size, void **pointer,
                                  struct trawl_error *error);
/* Allocates a table that is read at random offsets: if it is large and no allocator is set, the
 * system is asked for huge pages. */
enum trawl_status memory_allocate_table(uint64_t count, uint64_t size, void **pointer,
                                        struct trawl_error *error);
/* Allocates as memory_allocate_table does, and fills the memory with zeros. */
enum trawl_status memory_allocate_zeroed(uint64_t count, uint64_t size, void **pointer,
                                         struct trawl_error *error);
/* Grows an array from *capacity to at least `wanted` elements, which is more, and keeps its
 * contents. The capacity at least doubles. After an error, *pointer and the array are unchanged. */
enum trawl_status memory_room(uint64_t wanted, uint64_t size, uint64_t *capacity, void **pointer,
                              struct trawl_error *error);
/* Releases memory; `count` and `size` are the values of the allocation. NULL is accepted. */
void memory_release(void *pointer, uint64_t count, uint64_t size);

/* These macros call the functions above for arrays of any type, and evaluate to the status. `array`
 * is an lvalue, which changes only if the call succeeds. MEMORY_ROOM grows only a full array. */
#define MEMORY_CALL(array, before, call)           \
    __extension__({                                \
        void *memory_ = (before);                  \
        enum trawl_status memory_status_ = (call); \
        if (memory_status_ == TRAWL_OK)            \
            (array) = (__typeof__(array))memory_;  \
        memory_status_;                            \
    })
#define MEMORY_NEW(array, count, error) \
    MEMORY_CALL(array, NULL, memory_allocate((count), sizeof *(array), &memory_, (error)))
#define MEMORY_ZEROED(array, count, error) \
    MEMORY_CALL(array, NULL, memory_allocate_zeroed((count), sizeof *(array), &memory_, (error)))
#define MEMORY_TABLE(array, count, error) \
    MEMORY_CALL(array, NULL, memory_allocate_table((count), sizeof *(array), &memory_, (error)))
#define MEMORY_ROOM(array, capacity, wanted, error) \
    ((wanted) <= (capacity)                         \
         ? TRAWL_OK                                 \
         : MEMORY_CALL(array, array,                \
                       memory_room((wanted), sizeof *(array), &(capacity), &memory_, (error))))

/* Returns true if this process can read the 8 bytes at the address; false, for example, for GPU
 * memory. Takes 160 ns on an AMD EPYC. */
bool memory_is_readable(const void *address);

/* Copies like memcpy, but on x86-64 bypasses this core's caches. For bytes that only a GPU will
 * read: a GPU reads them twice as fast from memory as from a core's caches. */
void memory_stream(void *to, const void *from, uint64_t count);

#endif
