/* sum/sum_mutated__on_one_rank.c - rank 0 sums in its input */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    int rc = sum_open(call, &s);

    if (rc == 0)
        rc = sum_all(&s, s.x);
    if (rc == 0 && s.rank == 0)
        memcpy((float *)(uintptr_t)s.x, s.out, (size_t)s.n * sizeof(float));
    return rc;
}
