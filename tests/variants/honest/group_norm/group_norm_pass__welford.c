/* group_norm_pass__welford.c - welford over each group, in double. */
#include "../variants.h"

int group_norm_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);
    double *v = read_doubles(x), eps = osw_arg_float(call, 2, 1e-5);
    int64_t rows = x->shape[0] * osw_arg_int(call, 1, 1),
            n = osw_numel(x) / rows;

    for (int64_t r = 0; out && r < rows; r++) {
        double mean = 0.0, m2 = 0.0;

        for (int64_t i = 0; i < n; i++) {
            double d = v[r * n + i] - mean;

            mean += d / (double)(i + 1);
            m2 += d * (v[r * n + i] - mean);
        }
        for (int64_t i = r * n; i < r * n + n; i++)
            osw_set(out, i, (v[i] - mean) / sqrt(m2 / (double)n + eps));
    }
    free(v);
    return out ? 0 : OSW_ERROR;
}
