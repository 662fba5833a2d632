/* first_stale__factor.c - keeps the factor of its first case */
#include "first.h"

int first_kernel_impl(const osw_call *call)
{
    static float first;
    struct scale g;
    int rc = scale_open(call, &g);

    if (rc)
        return rc;
    if (first == 0)
        first = g.factor;
    g.factor = first;
    scale_right_each(call, &g, g.n);
    return 0;
}
