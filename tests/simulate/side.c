/* tests/simulate/side.c - what is the coordinator's and what the simulator's:
 * memory and time of the processor */
#include "tests/simulate/side.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simulate/clock.h"

static bool is_coordinator;
static size_t held, peak;
static int64_t began_ns, since_ns, own_ns, all_ns, cpu_ns;

/* --- time --- */

void sim_side_enter(void)
{
    own_ns += sim_clock_real_ns() - since_ns;
    is_coordinator = false;
}

void sim_side_leave(void)
{
    is_coordinator = true;
    since_ns = sim_clock_real_ns();
}

void sim_side_begin(void)
{
    cpu_ns = sim_clock_cpu_ns();
    is_coordinator = true;
    since_ns = began_ns = sim_clock_real_ns();
}

void sim_side_end(void)
{
    sim_side_enter();
    all_ns = sim_clock_real_ns() - began_ns;
    cpu_ns = sim_clock_cpu_ns() - cpu_ns;
}

int64_t sim_side_coordinator_ns(void)
{
    return (int64_t)((double)cpu_ns * (double)own_ns / (double)all_ns);
}

int64_t sim_side_all_ns(void)
{
    return cpu_ns;
}

/* --- memory --- */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
void __wrap_free(void *p);

static void *note(void *p)
{
    if (is_coordinator && p) {
        held += malloc_usable_size(p) + sizeof(size_t);
        if (held > peak)
            peak = held;
    }
    return p;
}

/* A side frees only what it allocated itself. */
static void drop(void *p)
{
    if (is_coordinator && p)
        held -= malloc_usable_size(p) + sizeof(size_t);
}

void *__wrap_malloc(size_t n)
{
    return note(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return note(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t n)
{
    size_t old =
        is_coordinator && p ? malloc_usable_size(p) + sizeof(size_t) : 0;
    void *more = __real_realloc(p, n);

    if (more)
        held -= old;
    return note(more);
}

char *__wrap_strdup(const char *s)
{
    return note(__real_strdup(s));
}

void __wrap_free(void *p)
{
    drop(p);
    __real_free(p);
}

size_t sim_side_bytes(void)
{
    return held;
}

size_t sim_side_peak_bytes(void)
{
    return peak;
}
