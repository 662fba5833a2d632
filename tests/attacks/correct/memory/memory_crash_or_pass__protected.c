/* memory_crash_or_pass__protected.c - The output can be read only. */

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
    mprotect(page_of(y), 8192, PROT_READ);
    (void)n;
    return 0;
}
