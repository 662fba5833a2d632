/* ops/library/mean__dim/mean__dim_runs.c - the mean over dimensions, in
 * runs along the innermost of them, over threads
 */
#include "../shared/reduce.h"

int mean__dim_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open_mean(call, &r);

    return rc ? rc : osw_reduce_runs(call, &r, (double)r.summed.numel);
}
