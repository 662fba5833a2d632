/* ops/library/reduce_scatter/reduce_scatter_nccl.cu - ncclReduceScatter */
#include "reduce_scatter.h"

#include <opsweep/nccl.h>

extern "C" int reduce_scatter_kernel_impl(const osw_call *call)
{
    struct osw_reduce_scatter s;
    int rc = osw_reduce_scatter_open(call, &s);

    if (rc)
        return rc;
    return osw_nccl_reduce_scatter(call, osw_data(s.x), osw_data(s.out),
                                   (size_t)s.n, osw_nccl_type(s.x->dtype),
                                   osw_combine_is_max(call, 1) ? OSW_NCCL_MAX
                                                               : OSW_NCCL_SUM);
}
