/* processes_async__child.c - A child goes on. */

#include "../../attack.h"

static void rest(void)
{
    for (int i = 0; i < 300; i++)
        sleep_ms(100);
    _exit(0);
}

int processes_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    (void)y;
    (void)n;
    if (!fork())
        rest();
    return 0;
}
