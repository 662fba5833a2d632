/* life_shape__rows_of_ten.c - the right elements as rows of ten */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[2] = {osw_numel(x) / 10, 10};
    osw_tensor *y = osw_output(call, 0, x->dtype, 2, shape, NULL);
    struct scale g;

    if (!y)
        return OSW_ERROR;
    g.x = (const float *)osw_data(x);
    g.y = (float *)osw_data(y);
    g.n = osw_numel(y);
    g.factor = (float)osw_arg_float(call, 1, 1.0);
    scale_right_each(call, &g, g.n);
    return 0;
}
