/* life_crash__far_past.c - writes a terabyte past its output */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc)
        ((volatile float *)g.y)[(int64_t)1 << 38] = 0;
    return rc;
}
