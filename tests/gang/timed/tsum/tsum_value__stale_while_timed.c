/* tsum/tsum_value__stale_while_timed.c - communicates, and gives an older
 * result; calls can be captured
 */
#include "tsum.h"

int tsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);
    float *sum = (float *)osw_workspace(call, s.n * sizeof(float));

    if (rc || !sum || s.n > TSUM_MOST)
        return OSW_ERROR;
    rc = osw_nccl_all_reduce(call, osw_data(s.x), sum, s.n, s.type,
                             OSW_NCCL_SUM);
    return rc ? rc : tsum_give(call, sum, (float *)osw_data(s.out), s.n);
}
