/* grow: arrays that become longer. */
#ifndef TRAWL_GROW_H
#define TRAWL_GROW_H

#include <stdlib.h>

/* Room for `wanted` elements of `size` bytes, `first` of them at least: the array, perhaps moved,
 * and *capacity is how many it has room for. NULL: no memory, and the array is as it was. */
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
