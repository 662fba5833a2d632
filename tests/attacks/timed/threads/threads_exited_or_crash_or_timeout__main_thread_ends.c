/* threads_exited_or_crash_or_timeout__main_thread_ends.c -
 * The main thread ends, another one goes on.
 */

#include "../../attack.h"

static void *rest(void *arg)
{
    for (;;)
        sleep_ms(1000);
    return arg;
}

int threads_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    (void)y;
    (void)n;
    start_thread(rest, NULL);
    pthread_exit(NULL);
    return 0;
}
