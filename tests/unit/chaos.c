/* tests/unit/chaos.c - make the n-th allocation fail */
#include "tests/unit/chaos.h"

#include <errno.h>
#include <stddef.h>

static int left = -1; /* allocations to let pass; -1: all */
static bool struck;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);

void chaos_arm(int skip)
{
    left = skip;
    struck = false;
}

bool chaos_struck(void)
{
    left = -1;
    return struck;
}

static bool strike(void)
{
    if (left < 0 || left-- > 0)
        return false;
    struck = true;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t n)
{
    return strike() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return strike() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return strike() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
    return strike() ? NULL : __real_strdup(s);
}
