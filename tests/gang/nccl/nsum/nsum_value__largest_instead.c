/* nsum/nsum_value__largest_instead.c - the largest, not the sum */
#include "nsum.h"

int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);

    return rc ? rc : nsum_reduce(&s, s.n, OSW_NCCL_MAX);
}
