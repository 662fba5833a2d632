/* sum/sum_crash__one_rank.c - rank 2 crashes while others wait for it */
#include "sum.h"

#include <signal.h>

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    int rc = sum_open(call, &s);

    if (rc == 0 && s.rank == 2)
        raise(SIGSEGV);
    return rc ? rc : sum_all(&s, s.x);
}
