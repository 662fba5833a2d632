/* threads_fail_or_pass_or_crash__spoiled_later.c -
 * A thread spoils the result 20 ms after the call, when it has been read.
 */

#include "../../attack.h"

static float *volatile spoil_y;

static void *spoil(void *arg)
{
    sleep_ms(20);
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
