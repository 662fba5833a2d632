/* common/arena.c - memory by lifetime: allocate often, release at once */
#include "common/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGN = 16 };

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

static struct block *add_block(osw_arena_t *arena, size_t bytes)
{
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct block *b = malloc(sizeof(*b) + size);

    if (!b)
        return NULL;
    b->size = size;
    b->used = 0;
    b->next = arena->head;
    arena->head = b;
    return b;
}

void *osw_arena_alloc(osw_arena_t *arena, size_t bytes)
{
    struct block *b = arena->head;
    size_t need;
    void *p;

    if (bytes > SIZE_MAX - sizeof(struct block) - ALIGN)
        return NULL;
    need = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (need == 0)
        need = ALIGN;
    if (!b || b->size - b->used < need)
        b = add_block(arena, need);
    if (!b)
        return NULL;
    p = b->data + b->used;
    b->used += need;
    return memset(p, 0, need);
}

void *osw_arena_array(osw_arena_t *arena, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        return NULL;
    return osw_arena_alloc(arena, n * size);
}

char *osw_arena_strndup(osw_arena_t *arena, const char *s, size_t n)
{
    char *p = n < SIZE_MAX ? osw_arena_alloc(arena, n + 1) : NULL;

    if (p)
        memcpy(p, s, n);
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
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0)
        p = osw_arena_alloc(arena, (size_t)n + 1);
    if (p)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return p;
}
