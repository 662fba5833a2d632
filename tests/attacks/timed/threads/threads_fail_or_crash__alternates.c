/* threads_fail_or_crash__alternates.c -
 * A thread makes one element right and wrong in turns, and runs when the call
 * returns.
 */

#include "../../attack.h"

static float *volatile element;
static float right;
static volatile long turns;

static void *spin(void *arg)
{
    for (;; turns++) {
        volatile float *e = element;

        for (int i = 0; i < 100; i++) {
            *e = right;
            *e = right + 1.0F;
        }
    }
    return arg;
}

int threads_kernel_impl(const osw_call *call)
{
    static float nowhere;
    static int started;
    float *y = NULL;
    long seen;
    int code;

    element = &nowhere;
    code = scale_into(call, &y, NULL);
    if (code)
        return code;
    right = y[70000];
    element = &y[70000];
    if (!started++)
        start_thread(spin, NULL);
    seen = turns;
    while (turns - seen < 100)
        sched_yield();
    return 0;
}
