/* mean - the mean of all elements, in double */
#include "../shared/reduce_any.cuh"

extern "C" int mean_meta(const osw_call *call)
{
    struct osw_reduce r = {};

    return osw_reduce_open_mean_of_all(call, &r);
}

extern "C" int mean_reference(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open_mean_of_all(call, &r);

    return rc ? rc : osw_reduce_exact(call, &r, (double)r.summed.numel);
}
