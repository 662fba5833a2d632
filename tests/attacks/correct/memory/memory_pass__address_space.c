/* memory_pass__address_space.c - It asks for addresses, not memory. */

#include "../../attack.h"

int memory_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    for (int i = 0; i < 100; i++)
        mmap(NULL, (size_t)1 << 40, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    (void)y;
    (void)n;
    return 0;
}
