/* ops/library/mean__dim/mean__dim_reference.cu - the mean over dimensions, in
 * double
 */
#include "../shared/reduce_any.cuh"

extern "C" int mean__dim_meta(const osw_call *call)
{
    struct osw_reduce r = {};

    return osw_reduce_open_mean(call, &r);
}

extern "C" int mean__dim_reference(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open_mean(call, &r);

    return rc ? rc : osw_reduce_exact(call, &r, (double)r.summed.numel);
}
