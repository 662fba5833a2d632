/* nsum/nsum_value__halves_swapped.c - two operations into each other's half */
#include "nsum.h"

int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);

    if (rc == 0)
        rc = nsum_reduce_part(&s, 0, s.n - s.n / 2, s.n / 2);
    return rc ? rc : nsum_reduce_part(&s, s.n / 2, 0, s.n - s.n / 2);
}
