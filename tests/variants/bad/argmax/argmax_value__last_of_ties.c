/* argmax_value__last_of_ties.c - wrong: the last of equal ones. */
#include "../rows_int.h"

static int64_t where(const double *x, int64_t n)
{
    int64_t best = 0;

    for (int64_t i = 0; i < n && x[best] == x[best]; i++)
        if (x[i] != x[i] || x[i] >= x[best])
            best = i;
    return best;
}

int argmax_kernel_impl(const osw_call *call)
{
    return reduce_rows_int(call, where);
}
