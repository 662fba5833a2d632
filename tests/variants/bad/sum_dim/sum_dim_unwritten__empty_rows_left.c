/* sum_dim_unwritten__empty_rows_left.c - wrong: returns early on an empty
 * input, though its sums are zeros. */
#include "../rows.h"

int sum_dim_kernel_impl(const osw_call *call)
{
    struct rows r;
    osw_tensor *out;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r))
        return OSW_UNSUPPORTED;
    out = rows_reduced(call, 0, &r, r.x->dtype, (int)osw_arg_int(call, 2, 0));
    if (!out)
        return OSW_ERROR;
    if (!osw_numel(r.x))
        return 0;
    for (int64_t i = 0; i < r.count; i++) {
        double s = 0.0;

        for (int64_t k = 0; k < r.n; k++)
            s += osw_get(r.x, rows_linear(&r, i, k));
        osw_set(out, i, s);
    }
    return 0;
}
