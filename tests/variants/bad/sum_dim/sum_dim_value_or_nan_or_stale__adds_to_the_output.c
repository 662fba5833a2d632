/* sum_dim_value_or_nan_or_stale__adds_to_the_output.c - wrong: accumulates into
 * the output, which was never cleared. */
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
    for (int64_t i = 0; i < r.count; i++)
        for (int64_t k = 0; k < r.n; k++)
            osw_set(out, i,
                    osw_get(out, i) + osw_get(r.x, rows_linear(&r, i, k)));
    return 0;
}
