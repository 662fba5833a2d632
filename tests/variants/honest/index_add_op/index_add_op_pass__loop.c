/* index_add_op_pass__loop.c - from the last row of source to the first. */
#include "../variants.h"

int index_add_op_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0),
                     *at = osw_arg_tensor(call, 1);
    const osw_tensor *s = osw_arg_tensor(call, 2);
    osw_tensor *out = output_like(call, 0, x);
    double *y = read_doubles(x);
    int64_t d = x->shape[1];

    if (!out || !y)
        return OSW_ERROR;
    for (int64_t i = osw_numel(s) - 1; i >= 0; i--)
        y[osw_get_int(at, i / d) * d + i % d] += osw_get(s, i);
    write_doubles(out, y);
    free(y);
    return 0;
}
