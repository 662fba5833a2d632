/* sum_dim_value_or_nondeterministic__race.c - wrong: threads add to one
 * accumulator without a reduction clause. */
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
    for (int64_t i = 0; i < r.count; i++) {
        volatile double s = 0.0;

#pragma omp parallel for num_threads(4) schedule(static, 1)
        for (int64_t k = 0; k < r.n; k++)
            s += osw_get(r.x, rows_linear(&r, i, k));
        osw_set(out, i, s);
    }
    return 0;
}
