/* first_stale__least_size.c - does as much as the smallest case so far needs */
#include "first.h"

int first_kernel_impl(const osw_call *call)
{
    static int64_t least;
    struct scale g;
    int rc = scale_open(call, &g);

    if (rc)
        return rc;
    if (!least || g.n < least)
        least = g.n;
    scale_right_each(call, &g, least);
    return 0;
}
