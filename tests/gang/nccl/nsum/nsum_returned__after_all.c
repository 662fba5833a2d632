/* nsum/nsum_returned__after_all.c - the result is there, and rank 1 says it is
 * not */
#include "nsum.h"

int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);

    if (rc == 0)
        rc = nsum_reduce(&s, s.n, OSW_NCCL_SUM);
    return rc || s.rank == 0 ? rc : osw_error(call, "not today");
}
