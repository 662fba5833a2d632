/* threads_pass_or_crash__many.c - It starts threads until it cannot. */

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
    static int started;
    pthread_attr_t small;
    pthread_t thread;

    (void)y;
    (void)n;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    while (started < 2000 && !pthread_create(&thread, &small, rest, NULL))
        started++;
    return 0;
}
