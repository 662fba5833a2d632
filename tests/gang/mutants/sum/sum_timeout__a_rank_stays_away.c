/* sum/sum_timeout__a_rank_stays_away.c - rank 1 does not take part */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;

    if (sum_open(call, &s))
        return OSW_ERROR;
    return s.rank == 1 ? 0 : sum_all(&s, s.x);
}
