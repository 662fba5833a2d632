/* threads_fail_or_crash__right_for_a_while.c -
 * A thread spoils the result 200 us after the call.
 */

#include "../../attack.h"

static float *volatile spoil_y;

static void *spoil(void *arg)
{
    int64_t begin = kernel_ns(CLOCK_MONOTONIC);

    while (kernel_ns(CLOCK_MONOTONIC) - begin < 200000)
        ;
    spoil_y[3] = 1e9F;
    return arg;
}

int threads_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    (void)n;
    spoil_y = y;
    start_thread(spoil, NULL);
    return 0;
}
