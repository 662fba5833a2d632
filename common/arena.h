/* common/arena.h - memory by lifetime: allocate often, release at once
 *
 * One arena per campaign (catalog, plan), one per cell.  Nothing in it is
 * freed singly; osw_arena_reset() at the start of the next lifetime.
 */
#ifndef OSW_COMMON_ARENA_H
#define OSW_COMMON_ARENA_H

#include <stddef.h>

#include "common/error.h"

typedef struct osw_arena osw_arena_t;

/* Returns an arena that the caller owns, or NULL without memory. */
osw_arena_t *osw_arena_create(void) OSW_MUST_CHECK;
void osw_arena_destroy(osw_arena_t *arena); /* NULL is ignored */

/* Forget everything allocated; keeps one block for reuse. */
void osw_arena_reset(osw_arena_t *arena);

/* `bytes` of zeroed memory, 16-byte aligned, valid until reset or destroy;
 * NULL without memory.  0 bytes give a valid pointer.
 */
void *osw_arena_alloc(osw_arena_t *arena, size_t bytes) OSW_MUST_CHECK;

/* As osw_arena_alloc of n * size bytes; NULL also on overflow. */
void *osw_arena_array(osw_arena_t *arena, size_t n, size_t size) OSW_MUST_CHECK;

/* Copies with a closing NUL, packed without alignment; strndup copies exactly n
 * bytes.
 */
char *osw_arena_strdup(osw_arena_t *arena, const char *s) OSW_MUST_CHECK;
char *osw_arena_strndup(osw_arena_t *arena, const char *s,
                        size_t n) OSW_MUST_CHECK;
char *osw_arena_printf(osw_arena_t *arena, const char *fmt, ...)
    OSW_PRINTF(2, 3) OSW_MUST_CHECK;

#endif /* OSW_COMMON_ARENA_H */
