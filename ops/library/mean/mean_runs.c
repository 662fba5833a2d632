/* mean - the mean of all elements, in runs, over threads */
#include "../shared/reduce.h"

int mean_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open_mean_of_all(call, &r);

    return rc ? rc : osw_reduce_runs(call, &r, (double)r.summed.numel);
}
