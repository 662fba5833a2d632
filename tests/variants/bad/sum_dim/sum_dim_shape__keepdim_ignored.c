/* sum_dim_shape__keepdim_ignored.c - wrong: keepdim is not looked at. */
#include "../rows.h"

int sum_dim_kernel_impl(const osw_call *call)
{
    struct rows r;
    osw_tensor *out;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r))
        return OSW_UNSUPPORTED;
    out = rows_reduced(call, 0, &r, r.x->dtype, 0);
    if (!out)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        double s = 0.0;

        for (int64_t k = 0; k < r.n; k++)
            s += osw_get(r.x, rows_linear(&r, i, k));
        osw_set(out, i, s);
    }
    return 0;
}
