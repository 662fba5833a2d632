/* memory_fail__mapped_over.c -
 * Memory of its own lies over the output, with the right result.
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
    float *copy = malloc((size_t)n * 4);

    memcpy(copy, y, (size_t)n * 4);
    mmap(page_of(y), 8192, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memcpy(y, copy, (size_t)n * 4);
    free(copy);
    return 0;
}
