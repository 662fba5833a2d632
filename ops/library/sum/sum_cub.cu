/* sum - the sum of all elements, by CUB */
#include "../shared/reduce_cub.cuh"

extern "C" int sum_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open_all(call, &r);

    return rc ? rc : osw_cub_sum(call, &r);
}
