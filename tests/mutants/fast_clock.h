/* fast_clock.h - makes the program's clock run at an eighth of its speed.
 * Include first.
 */
#ifndef OSW_TESTS_FAST_CLOCK_H
#define OSW_TESTS_FAST_CLOCK_H

#include "slots.h"

#include <time.h>

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

static inline void fast_clock(void)
{
    static int patched;

    if (!patched++)
        slots_replace((slot)clock_gettime, (slot)eighth);
}

#endif /* OSW_TESTS_FAST_CLOCK_H */
