/* sum/sum_unwritten__on_one_rank.c - rank 1 leaves its last element as it was
 */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    float last;
    int rc = sum_open(call, &s);

    if (rc)
        return rc;
    last = s.out[s.n - 1];
    rc = sum_all(&s, s.x);
    if (s.rank == 1)
        s.out[s.n - 1] = last;
    return rc;
}
