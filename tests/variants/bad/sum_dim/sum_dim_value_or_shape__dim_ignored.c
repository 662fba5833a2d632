/* sum_dim_value_or_shape__dim_ignored.c - wrong: always over the last
 * dimension, which a square hides. */
#include "../rows.h"

int sum_dim_kernel_impl(const osw_call *call)
{
    struct rows want, r;
    osw_tensor *out;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &want))
        return OSW_UNSUPPORTED;
    rows_of(want.x, -1, &r);
    out =
        rows_reduced(call, 0, &want, r.x->dtype, (int)osw_arg_int(call, 2, 0));
    if (!out)
        return OSW_ERROR;
    for (int64_t i = 0; i < want.count; i++) {
        double s = 0.0;

        for (int64_t k = 0; k < r.n && r.count; k++)
            s += osw_get(r.x, rows_linear(&r, i % r.count, k));
        osw_set(out, i, s);
    }
    return 0;
}
