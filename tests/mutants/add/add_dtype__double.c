/* add_dtype__double.c - the right values as f64 */
#include "add.h"

ITEM void one(const struct add *g, int64_t i)
{
    add_right(g, i);
}

EACH(one, struct add)

int add_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    osw_dtype f64 = {OSW_FLOAT, 64, 1};
    int64_t shape[VIEW_DIMS];
    struct add g;
    osw_tensor *y =
        osw_output(call, 0, f64, add_shape(a, b, shape), shape, NULL);

    if (!y)
        return OSW_ERROR;
    g.a = view_of(a);
    g.b = view_of(b);
    g.y = view_of(y);
    g.n = osw_numel(y);
    g.alpha = osw_arg_float(call, 2, 1.0);
    one_each(call, &g, g.n);
    return 0;
}
