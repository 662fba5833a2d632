/* memory_oom_or_crash_or_returned_or_timeout__of_children.c -
 * Children take memory.
 */

#include "../../attack.h"

int memory_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    for (int i = 0; i < 4; i++)
        if (!fork())
            for (int k = 0; k < 20; k++) {
                char *p = malloc(64 << 20);

                memset(p, 1, 64 << 20);
                sleep_ms(20);
                if (k == 19)
                    pause();
            }
    (void)y;
    (void)n;
    for (;;)
        sleep_ms(1000);
    return 0;
}
