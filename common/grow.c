/* common/grow.c - an array that grows by one item at a time */
#include "common/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 64, FIRST_IN_ARENA = 16 };

void *osw_grow(void *array, size_t n, size_t *size, size_t item_bytes)
{
    size_t more = *size ? 2 * *size : FIRST;
    void *grown;

    if (n < *size)
        return array;
    if (more > SIZE_MAX / 2 / item_bytes)
        return NULL;
    grown = realloc(array, more * item_bytes);
    if (grown)
        *size = more;
    return grown;
}

void *osw_grow_in(osw_arena_t *arena, void *array, size_t n, size_t *size,
                  size_t item_bytes)
{
    size_t more = *size ? 2 * *size : FIRST_IN_ARENA;
    void *grown;

    if (n < *size)
        return array;
    grown = osw_arena_array(arena, more, item_bytes);
    if (!grown)
        return NULL;
    if (n)
        memcpy(grown, array, n * item_bytes);
    *size = more;
    return grown;
}
