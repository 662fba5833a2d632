/* ops/library/all_to_all/all_to_all_nccl.cu - ncclSend and ncclRecv of all
 * pieces at a time
 */
#include "all_to_all.h"

#include <opsweep/nccl.h>

extern "C" int all_to_all_kernel_impl(const osw_call *call)
{
    struct osw_all_to_all a;
    int rc = osw_all_to_all_open(call, &a), end;

    if (rc == 0)
        rc = osw_nccl_group_start(call);
    if (rc)
        return rc;
    for (int rank = 0; rank < osw_world(call) && rc == 0; rank++) {
        rc = osw_nccl_send(call, osw_all_to_all_at(&a, a.x, rank), a.bytes,
                           OSW_NCCL_BYTE, rank);
        if (rc == 0)
            rc = osw_nccl_recv(call, osw_all_to_all_at(&a, a.out, rank),
                               a.bytes, OSW_NCCL_BYTE, rank);
    }
    end = osw_nccl_group_end(call);
    return rc ? rc : end;
}
