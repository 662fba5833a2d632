/* hangs_timeout__vfork.c -
 * It waits for a child of vfork, which the kernel calls waiting for a disk.
 */

#include "../../attack.h"

int hangs_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    (void)y;
    (void)n;
    if (!vfork())
        for (;;)
            sleep_ms(1000);
    return 0;
}
