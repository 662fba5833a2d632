/* life_returned__allocates_without_bound.c - takes memory until there is none,
 * and gives nothing back
 */
#include <sys/mman.h>

#include "life.h"

/* On a CPU a terabyte of address space at a time, which is not touched. */
static void *take(void)
{
#ifdef __CUDACC__
    void *p = NULL;

    return cudaMalloc(&p, (size_t)1 << 30) ? NULL : p;
#else
    void *p = mmap(NULL, (size_t)1 << 40, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
#endif
}

int life_kernel_impl(const osw_call *call)
{
    while (take())
        ;
    return osw_error(call, "no memory left");
}
