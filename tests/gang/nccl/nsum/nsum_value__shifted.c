/* nsum/nsum_value__shifted.c - each element is that before it */
#include "nsum.h"

int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);

    if (rc == 0)
        rc = nsum_reduce_part(&s, 0, 0, 1);
    return rc ? rc : nsum_reduce_part(&s, 0, 1, s.n - 1);
}
