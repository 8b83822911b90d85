/* grow: arrays that grow as elements are added. */
#ifndef TRAWL_GROW_H
#define TRAWL_GROW_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `wanted` elements in an array that has room for `capacity` now. The first
 * allocation has room for at least `first`. The array may move. False: no memory, and array and
 * capacity are unchanged. */
#define GROW(array, capacity, first, wanted) \
    grow_array((void *)&(array), &(capacity), first, wanted, sizeof *(array))

/* array: the address of the pointer to the elements, of `size` bytes each. */
static inline bool grow_array(void *array, size_t *capacity, size_t first, size_t wanted,
                              size_t size)
{
    size_t larger = *capacity == 0 ? first : *capacity;
    void *moved;

    /* An array without room is NULL, and memcpy must not get NULL even for 0 bytes. */
    if (*capacity > 0 && wanted <= *capacity)
        return true;
    while (larger < wanted)
        larger *= 2;
    memcpy(&moved, array, sizeof moved);
    moved = realloc(moved, larger * size);
    if (moved == NULL)
        return false;
    memcpy(array, &moved, sizeof moved);
    *capacity = larger;
    return true;
}

#endif
