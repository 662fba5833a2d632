/* ops/library/sum__dim_IntList/sum__dim_IntList_cub.cu - sums over trailing
 * dimensions, by CUB
 */
#include "../shared/reduce_cub.cuh"

extern "C" int sum__dim_IntList_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open(call, &r);

    return rc ? rc : osw_cub_sum(call, &r);
}
