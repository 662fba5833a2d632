/* mean - the mean of all elements, in chunks of 16 bytes; the order of the sum
 * is fixed */
#include "../shared/reduce_fast.cuh"

extern "C" int mean_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open_mean_of_all(call, &r);

    return rc ? rc : osw_reduce_fast(call, &r, (double)r.summed.numel);
}
