/* batch_norm_reference.c - channels are normalised; (y, mean, 1 / deviation),
 * in double. */
#include "../variants.h"

int batch_norm_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t c = x->shape[1], l = x->shape[2], n = x->shape[0] * l;
    double *y, *mean, *rstd;

    if (!output_like(call, 0, x) ||
        !osw_output(call, 1, x->dtype, 1, &c, NULL) ||
        !osw_output(call, 2, x->dtype, 1, &c, NULL))
        return OSW_ERROR;
    y = osw_output_exact(call, 0);
    mean = osw_output_exact(call, 1);
    rstd = osw_output_exact(call, 2);
    for (int64_t k = 0; k < c; k++) {
        double q = 0.0;

        mean[k] = 0.0;
        for (int64_t i = 0; i < n; i++)
            mean[k] += osw_get(x, (i / l * c + k) * l + i % l) / (double)n;
        for (int64_t i = 0; i < n; i++)
            q += pow(osw_get(x, (i / l * c + k) * l + i % l) - mean[k], 2) /
                 (double)n;
        rstd[k] = 1.0 / sqrt(q + osw_arg_float(call, 1, 1e-5));
        for (int64_t i = 0; i < n; i++)
            y[(i / l * c + k) * l + i % l] =
                (osw_get(x, (i / l * c + k) * l + i % l) - mean[k]) * rstd[k];
    }
    return 0;
}
