/* common/arena.c - memory by lifetime: allocate often, release at once */
#include "common/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A first block is small: 200 op files are 200 arenas, most of a few KiB. */
enum { FIRST_BYTES = 4 * 1024, BLOCK_BYTES = 64 * 1024, ALIGN = 16 };

struct block {
    struct block *next;
    size_t size; /* usable bytes after the header */
    size_t used;
    _Alignas(ALIGN) unsigned char data[];
};

struct osw_arena {
    struct block *head; /* the block being filled; older ones follow */
};

osw_arena_t *osw_arena_create(void)
{
    return calloc(1, sizeof(osw_arena_t));
}

static void free_blocks(struct block *b)
{
    while (b) {
        struct block *next = b->next;

        free(b);
        b = next;
    }
}

void osw_arena_destroy(osw_arena_t *arena)
{
    if (!arena)
        return;
    free_blocks(arena->head);
    free(arena);
}

void osw_arena_reset(osw_arena_t *arena)
{
    if (!arena->head)
        return;
    free_blocks(arena->head->next);
    arena->head->next = NULL;
    arena->head->used = 0;
}

/* Twice the size of the last one, up to BLOCK_BYTES. */
static size_t next_size(const osw_arena_t *arena)
{
    size_t last = arena->head ? arena->head->size : FIRST_BYTES / 2;

    return last < BLOCK_BYTES / 2 ? 2 * last : BLOCK_BYTES;
}

/* Of zeros.  One for a single large piece goes after the one being filled. */
static struct block *add_block(osw_arena_t *arena, size_t bytes)
{
    bool large = bytes > next_size(arena);
    size_t size = large ? bytes : next_size(arena);
    struct block *b = calloc(1, sizeof(*b) + size);
    struct block **at =
        large && arena->head ? &arena->head->next : &arena->head;

    if (!b)
        return NULL;
    b->size = size;
    b->next = *at;
    *at = b;
    return b;
}

/* `align` is a power of 2, at most ALIGN.  *fresh: it is zeros already. */
static void *take(osw_arena_t *arena, size_t bytes, size_t align, bool *fresh)
{
    struct block *b = arena->head;
    size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;

    if (bytes > SIZE_MAX - sizeof(struct block) - ALIGN)
        return NULL;
    *fresh = !b || at > b->size || b->size - at < bytes;
    if (*fresh) {
        b = add_block(arena, bytes);
        at = 0;
    }
    if (!b)
        return NULL;
    b->used = at + bytes;
    return b->data + at;
}

void *osw_arena_alloc(osw_arena_t *arena, size_t bytes)
{
    size_t need = bytes ? bytes : 1;
    bool fresh;
    void *p = take(arena, need, ALIGN, &fresh);

    /* Pages of a large array are not touched before they are used. */
    return p && !fresh ? memset(p, 0, need) : p;
}

void *osw_arena_array(osw_arena_t *arena, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        return NULL;
    return osw_arena_alloc(arena, n * size);
}

char *osw_arena_strndup(osw_arena_t *arena, const char *s, size_t n)
{
    bool fresh;
    char *p = n < SIZE_MAX ? take(arena, n + 1, 1, &fresh) : NULL;

    if (!p)
        return NULL;
    memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

char *osw_arena_strdup(osw_arena_t *arena, const char *s)
{
    return osw_arena_strndup(arena, s, strlen(s));
}

char *osw_arena_printf(osw_arena_t *arena, const char *fmt, ...)
{
    va_list ap, again;
    char *p = NULL;
    bool fresh;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0)
        p = take(arena, (size_t)n + 1, 1, &fresh);
    if (p)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return p;
}
