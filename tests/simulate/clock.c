/* tests/simulate/clock.c - virtual time, which the simulator moves */
#include "tests/simulate/clock.h"

#include <time.h>

/* Not 0: code may take 0 for "never". */
static int64_t virtual_ns = INT64_C(1000000000000);

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    (void)id;
    t->tv_sec = virtual_ns / 1000000000;
    t->tv_nsec = virtual_ns % 1000000000;
    return 0;
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    virtual_ns += (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
    return 0;
}

int64_t sim_clock_ns(void)
{
    return virtual_ns;
}

void sim_clock_set(int64_t now_ns)
{
    if (now_ns > virtual_ns)
        virtual_ns = now_ns;
}

static int64_t ask(clockid_t id)
{
    struct timespec t;

    __real_clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t sim_clock_real_ns(void)
{
    return ask(CLOCK_MONOTONIC);
}

int64_t sim_clock_cpu_ns(void)
{
    return ask(CLOCK_PROCESS_CPUTIME_ID);
}
