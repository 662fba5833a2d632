/* sum - the sum of all elements, by oneDNN */
#include "../shared/reduce_onednn.h"

int sum_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open_all(call, &r);

    return rc ? rc : osw_onednn_reduce(call, &r, dnnl_reduction_sum);
}
