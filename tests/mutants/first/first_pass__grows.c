/* first_pass__grows.c - keeps the largest size so far, which is no fault */
#include "first.h"

int first_kernel_impl(const osw_call *call)
{
    static int64_t most;
    struct scale g;
    int rc = scale_open(call, &g);

    if (rc)
        return rc;
    if (most < g.n)
        most = g.n;
    scale_right_each(call, &g, g.n < most ? g.n : most);
    return 0;
}
