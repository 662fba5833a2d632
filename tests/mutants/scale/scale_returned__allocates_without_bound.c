/* scale_returned__allocates_without_bound.c - takes address space until there
 * is none, and gives nothing back
 */
#include <stdlib.h>

#include "scale.h"

enum { AT_A_TIME = 1 << 30 };

static void *take(void)
{
#ifdef __CUDACC__
    void *p = NULL;

    return cudaMalloc(&p, AT_A_TIME) ? NULL : p;
#else
    return malloc(AT_A_TIME);
#endif
}

int scale_kernel_impl(const osw_call *call)
{
    while (take())
        ;
    return osw_error(call, "no memory left");
}
