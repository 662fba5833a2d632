/* memory_pass__not_needed.c - Pages of the window are given back. */

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
    madvise(page_of(y), 8192, MADV_DONTNEED);
    madvise(page_of(y), 8192, 21);
    (void)n;
    return 0;
}
