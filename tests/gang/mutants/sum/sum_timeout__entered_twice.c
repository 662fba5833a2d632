/* sum/sum_timeout__entered_twice.c - rank 0 takes part twice */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    int rc = sum_open(call, &s);

    if (rc == 0)
        rc = sum_all(&s, s.x);
    return rc == 0 && s.rank == 0 ? sum_all(&s, s.x) : rc;
}
