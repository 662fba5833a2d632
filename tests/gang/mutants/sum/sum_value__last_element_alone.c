/* sum/sum_value__last_element_alone.c - the last element is not summed, on one
 * rank */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    int rc = sum_open(call, &s);

    if (rc == 0)
        rc = sum_all(&s, s.x);
    if (rc == 0 && s.rank == 2)
        s.out[s.n - 1] = s.x[s.n - 1];
    return rc;
}
