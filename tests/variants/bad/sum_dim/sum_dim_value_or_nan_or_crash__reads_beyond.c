/* sum_dim_value_or_nan_or_crash__reads_beyond.c - wrong: a row's sum takes the
 * element after its end, too. */
#include "../rows.h"

int sum_dim_kernel_impl(const osw_call *call)
{
    struct rows r;
    osw_tensor *out;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r) ||
        !osw_is(r.x, OSW_FLOAT, 32))
        return OSW_UNSUPPORTED;
    out = rows_reduced(call, 0, &r, r.x->dtype, (int)osw_arg_int(call, 2, 0));
    if (!out)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        int64_t at = r.n ? osw_offset(r.x, rows_linear(&r, i, 0)) : 0;
        double s = 0.0;

        for (int64_t k = 0; k < r.n + (i == r.count - 1); k++)
            s += osw_load(r.x->dtype, osw_at(r.x, at + k * r.step));
        osw_set(out, i, s);
    }
    return 0;
}
