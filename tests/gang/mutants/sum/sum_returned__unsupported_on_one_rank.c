/* sum/sum_returned__unsupported_on_one_rank.c - rank 1 does not take the case
 */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    int rc = sum_open(call, &s);

    if (rc == 0 && s.rank == 1)
        return OSW_UNSUPPORTED;
    return rc ? rc : sum_all(&s, s.x);
}
