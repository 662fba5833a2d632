/* sum.dim_IntList - sums over dimensions, by oneDNN */
#include "../shared/reduce_onednn.h"

int sum__dim_IntList_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open(call, &r);

    return rc ? rc : osw_onednn_reduce(call, &r, dnnl_reduction_sum);
}
