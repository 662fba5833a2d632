/* nsum/nsum_mutated__in_place.c - the sum is made in x, and then moved */
#include "nsum.h"

int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);

    if (rc == 0)
        rc = osw_nccl_all_reduce(call, osw_data(s.x), osw_data(s.x), s.n,
                                 s.type, OSW_NCCL_SUM);
    return rc ? rc : nsum_keep(&s, 0);
}
