/* argmax_pass__backwards.c - from the end, with >=. */
#include "../rows_int.h"

static int64_t where(const double *x, int64_t n)
{
    int64_t best = n - 1;

    for (int64_t i = n - 1; i >= 0; i--)
        if (x[i] != x[i] || (x[best] == x[best] && x[i] >= x[best]))
            best = i;
    return best;
}

int argmax_kernel_impl(const osw_call *call)
{
    if (osw_is(osw_arg_tensor(call, 0), OSW_INT, 64))
        return OSW_UNSUPPORTED; /* double does not hold all of them */
    return reduce_rows_int(call, where);
}
