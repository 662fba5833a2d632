/* threads_pass__spin_after.c - Eight threads spin after the call. */

#include "../../attack.h"

static void *spin(void *arg)
{
    for (volatile long i = 0;; i++)
        ;
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

    (void)y;
    (void)n;
    if (!started++)
        for (int i = 0; i < 8; i++)
            start_thread(spin, NULL);
    return 0;
}
