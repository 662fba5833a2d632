/* processes_async_or_pass__comet.c -
 * Each process starts the next one and ends, for three seconds.
 */

#include "../../attack.h"

int processes_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    (void)y;
    (void)n;
    if (!fork()) {
        int64_t begin = kernel_ns(CLOCK_MONOTONIC);

        while (kernel_ns(CLOCK_MONOTONIC) - begin < INT64_C(3000000000)) {
            sleep_ms(2);
            if (fork() > 0)
                _exit(0);
        }
        _exit(0);
    }
    return 0;
}
