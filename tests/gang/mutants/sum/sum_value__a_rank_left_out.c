/* sum/sum_value__a_rank_left_out.c - the last rank's input is not added */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    int rc = sum_open(call, &s);

    if (rc == 0)
        rc = sum_all(&s, s.x);
    if (rc == 0 && s.rank == 1)
        for (int64_t i = 0; i < s.n; i++)
            s.out[i] = s.x[i] + (s.out[i] - s.x[i]) * 0.5F;
    return rc;
}
