/* nsum/nsum_timeout__mismatched_counts.c - rank 1 sums a half */
#include "nsum.h"

int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);

    return rc ? rc : nsum_reduce(&s, s.rank ? s.n / 2 : s.n, OSW_NCCL_SUM);
}
