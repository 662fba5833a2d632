/* ops/library/all_reduce/all_reduce_nccl.cu - ncclAllReduce */
#include "../shared/collective.h"

#include <opsweep/nccl.h>

extern "C" int all_reduce_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_collective_input(call);
    osw_tensor *out;

    if (!x || !osw_combine_of(call, 1, x->dtype))
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!out)
        return OSW_ERROR;
    return osw_nccl_all_reduce(call, osw_data(x), osw_data(out),
                               (size_t)osw_numel(x), osw_nccl_type(x->dtype),
                               osw_combine_is_max(call, 1) ? OSW_NCCL_MAX
                                                           : OSW_NCCL_SUM);
}
