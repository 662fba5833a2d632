/* mean - the mean of all elements, by one block */
#include "../shared/plain_rows.cuh"

extern "C" int mean_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open_mean_of_all(call, &r);

    return rc ? rc : osw_plain_sums(call, &r, (double)r.summed.numel);
}
