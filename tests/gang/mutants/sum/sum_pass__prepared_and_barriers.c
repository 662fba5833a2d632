/* sum/sum_pass__prepared_and_barriers.c - honest: barriers around, and ranks
 * that meet in prepare */
#include "sum.h"

int sum_prepare(const osw_call *call, void **state)
{
    *state = NULL;
    return osw_barrier(call);
}

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    int rc = sum_open(call, &s);

    if (rc == 0)
        rc = osw_barrier(call);
    if (rc == 0)
        rc = sum_all(&s, s.x);
    return rc ? rc : osw_barrier(call);
}
