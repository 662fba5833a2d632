/* memory_pass_or_crash__sealed.c -
 * The mapping of the output is sealed, so that the sandbox cannot replace or
 * move it.
 */

#include "../../attack.h"

static void *page_of(const float *y)
{
    return (void *)((uintptr_t)y & ~(uintptr_t)4095);
}

int memory_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    syscall(462, page_of(y), 8192UL, 0UL);
    (void)n;
    return 0;
}
