/* ops/library/all_gather/all_gather_nccl.cu - ncclAllGather */
#include "all_gather.h"

#include <opsweep/nccl.h>

extern "C" int all_gather_kernel_impl(const osw_call *call)
{
    struct osw_all_gather g;
    int rc = osw_all_gather_open(call, &g);

    return rc ? rc
              : osw_nccl_all_gather(call, osw_data(g.x), osw_data(g.out),
                                    g.bytes, OSW_NCCL_BYTE);
}
