/* ops/library/native_layer_norm/native_layer_norm_reference.c - each row:
 * (x - mean) / sqrt(variance + eps) * weight + bias, in double and two passes
 */
#include "../layer_norm.h"

int native_layer_norm_meta(const osw_call *call)
{
    struct osw_layer_norm l = {0};

    return osw_layer_norm_open(call, &l);
}

int native_layer_norm_reference(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    int rc = osw_layer_norm_open(call, &l);
    double *out, *means, *rstds;

    if (rc)
        return rc;
    out = osw_output_exact(call, 0);
    means = osw_output_exact(call, 1);
    rstds = osw_output_exact(call, 2);
    if (!out || !means || !rstds)
        return OSW_ERROR;
    for (int64_t row = 0; row < l.n_rows; row++) {
        double mean = 0.0, variance = 0.0, rstd;

        for (int64_t i = 0; i < l.n; i++)
            mean += osw_get(l.x, row * l.n + i);
        mean /= (double)l.n;
        for (int64_t i = 0; i < l.n; i++) {
            double d = osw_get(l.x, row * l.n + i) - mean;

            variance += d * d;
        }
        variance /= (double)l.n;
        rstd = 1.0 / sqrt(variance + l.eps);
        for (int64_t i = 0; i < l.n; i++) {
            double y = (osw_get(l.x, row * l.n + i) - mean) * rstd;

            if (l.weight)
                y *= osw_get(l.weight, i);
            if (l.bias)
                y += osw_get(l.bias, i);
            out[row * l.n + i] = y;
        }
        means[row] = mean;
        rstds[row] = rstd;
    }
    return 0;
}
