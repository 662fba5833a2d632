/* ops/library/mean__dim/mean__dim_plain.cu - the mean over dimensions, a block
 * or a thread per output
 */
#include "../shared/plain_rows.cuh"

extern "C" int mean__dim_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open_mean(call, &r);

    return rc ? rc : osw_plain_sums(call, &r, (double)r.summed.numel);
}
