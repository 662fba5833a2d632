/* nsum/nsum_timeout__a_rank_enters_twice.c - rank 1 waits for the other once
 * more */
#include "nsum.h"

int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);

    if (rc == 0)
        rc = nsum_reduce(&s, s.n, OSW_NCCL_SUM);
    return rc || s.rank == 0 ? rc : nsum_reduce(&s, s.n, OSW_NCCL_SUM);
}
