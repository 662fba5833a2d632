/* sum/sum_timeout__a_rank_hangs.c - rank 2 never returns */
#include "sum.h"

#include <unistd.h>

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    int rc = sum_open(call, &s);

    while (rc == 0 && s.rank == 2)
        (void)pause();
    return rc ? rc : sum_all(&s, s.x);
}
