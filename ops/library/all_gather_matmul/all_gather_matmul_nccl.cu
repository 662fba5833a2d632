/* ops/library/all_gather_matmul/all_gather_matmul_nccl.cu - ncclAllGather, then
 * a plain product
 */
#include "../shared/collective_matmul.cuh"
#include "all_gather_matmul.h"

#include <opsweep/nccl.h>

extern "C" int all_gather_matmul_kernel_impl(const osw_call *call)
{
    int64_t world = osw_world(call);
    struct osw_ranks_product p;
    int rc = osw_gathered_open(call, &p);
    size_t bytes;
    float *all;

    if (rc)
        return rc;
    bytes = (size_t)(p.m * p.k) * sizeof(float);
    all = (float *)osw_workspace(call, (size_t)world * bytes + 1);
    if (!all)
        return OSW_ERROR;
    rc = osw_nccl_all_gather(call, osw_data(p.x), all, bytes, OSW_NCCL_BYTE);
    return rc ? rc
              : osw_ranks_product_enqueue(call, &p, all, world * p.m,
                                          osw_gathered_at(&p, 0));
}
