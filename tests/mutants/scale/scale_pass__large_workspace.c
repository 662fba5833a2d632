/* scale_pass__large_workspace.c - right, by way of 4 MiB of workspace */
#include "scale.h"

enum { WORKSPACE = 1 << 20 };

struct two {
    struct scale g;
    float *w;
};

ITEM void out(const struct two *t, int64_t i)
{
    t->w[WORKSPACE - 1 - i] = t->g.factor * t->g.x[i];
}

EACH(out, struct two)

ITEM void back(const struct two *t, int64_t i)
{
    t->g.y[i] = t->w[WORKSPACE - 1 - i];
}

EACH(back, struct two)

int scale_kernel_impl(const osw_call *call)
{
    struct two t;
    int rc = scale_open(call, &t.g);

    if (rc || t.g.n > WORKSPACE)
        return rc ? rc : OSW_UNSUPPORTED;
    t.w = (float *)osw_workspace(call, WORKSPACE * sizeof(float));
    if (!t.w)
        return OSW_ERROR;
    out_each(call, &t, t.g.n);
    back_each(call, &t, t.g.n);
    return 0;
}
