/* batch_norm_pass__merged_samples.c - moments of each sample are merged into
 * those of the batch, in double. */
#include "../variants.h"

int batch_norm_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t c = x->shape[1], l = x->shape[2];
    osw_tensor *y = output_like(call, 0, x);
    osw_tensor *m = osw_output(call, 1, x->dtype, 1, &c, NULL);
    osw_tensor *r = osw_output(call, 2, x->dtype, 1, &c, NULL);

    for (int64_t k = 0; y && m && r && k < c; k++) {
        double mean = 0.0, m2 = 0.0, n = 0.0, rstd;

        for (int64_t z = 0; z < x->shape[0]; z++) {
            double own = 0.0, own2 = 0.0, d;

            for (int64_t i = 0; i < l; i++)
                own += osw_get(x, (z * c + k) * l + i) / (double)l;
            for (int64_t i = 0; i < l; i++)
                own2 += pow(osw_get(x, (z * c + k) * l + i) - own, 2);
            d = own - mean;
            mean += d * (double)l / (n + (double)l);
            m2 += own2 + d * d * n * (double)l / (n + (double)l);
            n += (double)l;
        }
        rstd = 1.0 / sqrt(m2 / n + osw_arg_float(call, 1, 1e-5));
        osw_set(m, k, mean);
        osw_set(r, k, rstd);
        for (int64_t i = 0; i < x->shape[0] * l; i++)
            osw_set(y, (i / l * c + k) * l + i % l,
                    (osw_get(x, (i / l * c + k) * l + i % l) - mean) * rstd);
    }
    return y && m && r ? 0 : OSW_ERROR;
}
