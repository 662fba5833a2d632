/* ops/library/matmul_reduce_scatter/matmul_reduce_scatter_nccl.cu - a plain
 * product, then ncclReduceScatter
 */
#include "../shared/collective_matmul.cuh"
#include "matmul_reduce_scatter.h"

#include <opsweep/nccl.h>

extern "C" int matmul_reduce_scatter_kernel_impl(const osw_call *call)
{
    struct osw_ranks_product p;
    int rc = osw_scattered_open(call, &p);
    float *all;

    if (rc)
        return rc;
    all = (float *)osw_workspace(call, (size_t)(p.m * p.n) * sizeof(float) + 1);
    if (!all)
        return OSW_ERROR;
    rc = osw_ranks_product_enqueue(call, &p, (const float *)osw_data(p.x), p.m,
                                   all);
    if (rc)
        return rc;
    return osw_nccl_reduce_scatter(call, all, osw_data(p.out),
                                   (size_t)osw_numel(p.out),
                                   osw_nccl_type(p.x->dtype), OSW_NCCL_SUM);
}
