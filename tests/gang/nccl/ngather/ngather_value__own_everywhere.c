/* ngather/ngather_value__own_everywhere.c - each piece is the rank's own */
#include "ngather.h"

int ngather_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0), *out;
    int rank = osw_rank(call), type = osw_nccl_type(x->dtype), rc = 0, end;
    size_t n = (size_t)osw_numel(x);
    int64_t shape = osw_world(call) * osw_numel(x);

    out = osw_output(call, 0, x->dtype, 1, &shape, NULL);
    if (!out || osw_nccl_group_start(call))
        return OSW_ERROR;
    for (int r = 0; r < osw_world(call) && rc == 0; r++) {
        rc = osw_nccl_send(call, osw_data(x), n, type, rank);
        if (rc == 0)
            rc = osw_nccl_recv(call, (float *)osw_data(out) + (size_t)r * n, n,
                               type, rank);
    }
    end = osw_nccl_group_end(call);
    return rc ? rc : end;
}
