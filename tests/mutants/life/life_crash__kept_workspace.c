/* life_crash__kept_workspace.c - works in the workspace of its first call */
#include "life.h"

struct work {
    struct scale scale;
    float *at;
};

ITEM void out(const struct work *w, int64_t i)
{
    w->at[i] = w->scale.x[i];
}

ITEM void back(const struct work *w, int64_t i)
{
    w->scale.y[i] = w->scale.factor * w->at[i];
}

EACH(out, struct work)
EACH(back, struct work)

int life_kernel_impl(const osw_call *call)
{
    static float *kept;
    struct work w;
    int rc = scale_open(call, &w.scale);

    if (rc)
        return rc;
    if (!kept)
        kept = (float *)osw_workspace(call, (size_t)w.scale.n * sizeof(float));
    if (!kept)
        return OSW_ERROR;
    w.at = kept;
    out_each(call, &w, w.scale.n);
    back_each(call, &w, w.scale.n);
    return 0;
}
