/* ops/library/broadcast/broadcast_nccl.cu - ncclBroadcast */
#include "broadcast.h"

#include <opsweep/nccl.h>

extern "C" int broadcast_kernel_impl(const osw_call *call)
{
    struct osw_broadcast b;
    int rc = osw_broadcast_open(call, &b);

    return rc ? rc
              : osw_nccl_broadcast(call, osw_data(b.x), osw_data(b.out),
                                   b.bytes, OSW_NCCL_BYTE, b.root);
}
