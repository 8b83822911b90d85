/* grow: arrays that grow as elements are added. */
#ifndef TRAWL_GROW_H
#define TRAWL_GROW_H

#include <stdlib.h>

/* Makes room for `wanted` elements of `size` bytes each, at first for at least `first` elements.
 * Returns the array, which may have moved, and sets *capacity to the number of elements that fit.
 * NULL: no memory, and the array is unchanged. */
static inline void *grown(void *array, size_t *capacity, size_t first, size_t wanted, size_t size)
{
    size_t larger = *capacity == 0 ? first : *capacity;
    void *moved;

    if (wanted <= *capacity)
        return array;
    while (larger < wanted)
        larger *= 2;
    moved = realloc(array, larger * size);
    if (moved != NULL)
        *capacity = larger;
    return moved;
}

#endif
