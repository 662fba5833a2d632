/* attacks/clock.h - a clock that runs slower than the kernel's */
#include "attack.h"

static double clock_factor = 1.0;

static int forged_clock(clockid_t id, struct timespec *t)
{
    static int64_t last[16], said[16];
    int64_t now = kernel_ns(id);

    if (id >= 0 && id < 16 && id != CLOCK_PROCESS_CPUTIME_ID &&
        id != CLOCK_THREAD_CPUTIME_ID) {
        if (!last[id])
            said[id] = last[id] = now;
        said[id] += (int64_t)((double)(now - last[id]) / clock_factor);
        last[id] = now;
        now = said[id];
    }
    t->tv_sec = now / 1000000000;
    t->tv_nsec = now % 1000000000;
    return 0;
}

static void slow_clock(double factor)
{
    static bool patched;

    clock_factor = factor;
    if (!patched && !patch("clock_gettime", (const void *)forged_clock))
        raise(SIGKILL);
    patched = true;
}

/* Work that takes longer than scale(): the same result, 40 times. */
static int slow_scale(const osw_call *call)
{
    int code = 0;

    for (int i = 0; i < 40; i++) {
        code = scale(call);
        __asm__ volatile("" ::: "memory");
    }
    return code;
}
