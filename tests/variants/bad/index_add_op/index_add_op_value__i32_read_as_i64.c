/* index_add_op_value__i32_read_as_i64.c - wrong: reads any index as i64
 * (masked, to stay within the rows). */
#include "../variants.h"

int index_add_op_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0),
                     *at = osw_arg_tensor(call, 1);
    const osw_tensor *s = osw_arg_tensor(call, 2);
    osw_tensor *out = output_like(call, 0, x);
    double *y = read_doubles(x);
    int64_t d = x->shape[1], n = osw_numel(at);

    if (!out || !y)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(s); i++) {
        int64_t row = i / d;

        if (at->dtype.bits == 32)
            row = row / 2 * 2 % n;
        y[osw_get_int(at, row) * d + i % d] += osw_get(s, i);
    }
    write_doubles(out, y);
    free(y);
    return 0;
}
