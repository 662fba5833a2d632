/* processes_crash_or_async__both_return.c -
 * Parent and child both return from the call.
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
    fork();
    return 0;
}
