/* life_dtype__double.c - the right values, as double */
#include "life.h"

struct wide {
    struct scale g;
    double *y;
};

ITEM void one(const struct wide *w, int64_t i)
{
    w->y[i] = (double)w->g.factor * (double)w->g.x[i];
}

EACH(one, struct wide)

int life_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_dtype dtype = x->dtype;
    struct wide w;
    osw_tensor *y;

    dtype.bits = 64;
    y = osw_output(call, 0, dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    w.y = (double *)osw_data(y);
    w.g.x = (const float *)osw_data(x);
    w.g.y = NULL;
    w.g.n = osw_numel(x);
    w.g.factor = (float)osw_arg_float(call, 1, 1.0);
    one_each(call, &w, w.g.n);
    return 0;
}
