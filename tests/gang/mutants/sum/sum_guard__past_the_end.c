/* sum/sum_guard__past_the_end.c - rank 2 writes an element too many */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    int rc = sum_open(call, &s);

    if (rc == 0)
        rc = sum_all(&s, s.x);
    if (rc == 0 && s.rank == 2)
        s.out[s.n] = 0;
    return rc;
}
