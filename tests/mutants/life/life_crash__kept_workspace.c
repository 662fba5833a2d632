/* life_crash__kept_workspace.c - works in the workspace of its first call */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    static float *kept;
    struct scale g;
    int rc = scale_open(call, &g);

    if (rc)
        return rc;
    if (!kept)
        kept = (float *)osw_workspace(call, (size_t)g.n * sizeof(float));
    if (!kept)
        return OSW_ERROR;
    for (int64_t i = 0; i < g.n; i++)
        kept[i] = g.x[i];
    for (int64_t i = 0; i < g.n; i++)
        g.y[i] = g.factor * kept[i];
    return 0;
}
