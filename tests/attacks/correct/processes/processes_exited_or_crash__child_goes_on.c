/* processes_exited_or_crash__child_goes_on.c -
 * The child returns from the call, the parent ends.
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
    if (fork())
        _exit(0);
    return 0;
}
