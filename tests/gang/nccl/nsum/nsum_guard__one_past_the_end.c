/* nsum/nsum_guard__one_past_the_end.c - a message of one element too many */
#include "nsum.h"

int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);

    if (rc == 0)
        rc = nsum_reduce(&s, s.n, OSW_NCCL_SUM);
    return rc ? rc : nsum_copy(&s, 0, s.n, 1);
}
