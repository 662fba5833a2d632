/* nsum/nsum_returned__by_one_rank.c - rank 1 gives up, and rank 0 is in the
 * operation */
#include "nsum.h"

int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);

    if (rc == 0 && s.rank == 1)
        return osw_error(call, "no more room");
    return rc ? rc : nsum_reduce(&s, s.n, OSW_NCCL_SUM);
}
