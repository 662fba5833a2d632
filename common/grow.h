/* common/grow.h - an array that grows by one item at a time */
#ifndef OSW_COMMON_GROW_H
#define OSW_COMMON_GROW_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"

/* Room for one more after n items: `array` itself, or a larger copy in its
 * place.  *size is how many items have room, 0 with NULL; it doubles, from 64.
 * NULL without memory: the array stays as it is, and the caller's.
 */
void *osw_grow(void *array, size_t n, size_t *size,
               size_t item_bytes) OSW_MUST_CHECK;

/* As osw_grow(), in an arena, where smaller copies stay until it ends; from 16.
 */
void *osw_grow_in(osw_arena_t *arena, void *array, size_t n, size_t *size,
                  size_t item_bytes) OSW_MUST_CHECK;

#endif /* OSW_COMMON_GROW_H */
