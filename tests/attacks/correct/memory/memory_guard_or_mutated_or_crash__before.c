/* memory_guard_or_mutated_or_crash__before.c - It writes before its output. */

#include "../../attack.h"

int memory_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    memset(y - 16, 1, 64);
    (void)n;
    return 0;
}
