/* sum_dim_value__strides_ignored.c - wrong: reads as if the input were
 * contiguous. */
#include "../rows.h"

int sum_dim_kernel_impl(const osw_call *call)
{
    struct rows r;
    osw_tensor *out;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r))
        return OSW_UNSUPPORTED;
    if (r.x->strides[0] == 0)
        return OSW_UNSUPPORTED;
    out = rows_reduced(call, 0, &r, r.x->dtype, (int)osw_arg_int(call, 2, 0));
    if (!out)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        double s = 0.0;

        for (int64_t k = 0; k < r.n; k++)
            s += osw_load(r.x->dtype, osw_at(r.x, rows_linear(&r, i, k)));
        osw_set(out, i, s);
    }
    return 0;
}
