/* scale_implausible__fast_clock.c - makes the program's clock run slow */
#include "../slots.h"

#include "scale.h"

static int eighth(clockid_t id, struct timespec *t)
{
    static int64_t start[16];
    int rc = clock_gettime(id, t);
    int64_t ns = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;

    if (rc || id < 0 || id >= 16)
        return rc;
    if (!start[id])
        start[id] = ns;
    ns = start[id] + (ns - start[id]) / 8;
    t->tv_sec = ns / 1000000000;
    t->tv_nsec = ns % 1000000000;
    return 0;
}

int scale_kernel_impl(const osw_call *call)
{
    static int patched;

    if (!patched++)
        slots_replace((slot)clock_gettime, (slot)eighth);
    return scale_all(call);
}
