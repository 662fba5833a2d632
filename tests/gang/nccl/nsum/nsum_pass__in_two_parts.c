/* nsum/nsum_pass__in_two_parts.c - honest: two operations a call */
#include "nsum.h"

int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);

    if (rc == 0)
        rc = nsum_reduce(&s, s.n / 2, OSW_NCCL_SUM);
    return rc ? rc
              : osw_nccl_all_reduce(call,
                                    (const float *)osw_data(s.x) + s.n / 2,
                                    (float *)osw_data(s.out) + s.n / 2,
                                    s.n - s.n / 2, s.type, OSW_NCCL_SUM);
}
