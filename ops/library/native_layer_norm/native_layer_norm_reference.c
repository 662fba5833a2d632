/* ops/library/native_layer_norm/native_layer_norm_reference.c - each row:
 * (x - mean) / sqrt(variance + eps) * weight + bias, in double and two passes
 */
#include "../shared/layer_norm.h"

int native_layer_norm_meta(const osw_call *call)
{
    struct osw_layer_norm l = {0};

    return osw_layer_norm_open(call, &l);
}

int native_layer_norm_reference(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    int rc = osw_layer_norm_open(call, &l);
    double *out, *means, *rstds, *weight, *bias;

    if (rc)
        return rc;
    out = osw_output_exact(call, 0);
    means = osw_output_exact(call, 1);
    rstds = osw_output_exact(call, 2);
    weight = (double *)osw_workspace(call, (size_t)(2 * l.n) * 8 + 8);
    if (!out || !means || !rstds || !weight)
        return OSW_ERROR;
    bias = weight + l.n;
    for (int64_t i = 0; i < l.n; i++) {
        weight[i] = l.weight ? osw_get(l.weight, i) : 1.0;
        bias[i] = l.bias ? osw_get(l.bias, i) : 0.0;
    }
#pragma omp parallel for num_threads((int)call->n_threads) if (l.n_rows > 100)
    for (int64_t row = 0; row < l.n_rows; row++) {
        double mean = 0.0, variance = 0.0, rstd, *y = out + row * l.n;

        osw_rows_read_flat(l.x, row * l.n, l.n, y);
        for (int64_t i = 0; i < l.n; i++)
            mean += y[i] / (double)l.n;
        for (int64_t i = 0; i < l.n; i++)
            variance += (y[i] - mean) * (y[i] - mean) / (double)l.n;
        rstd = 1.0 / sqrt(variance + l.eps);
        for (int64_t i = 0; i < l.n; i++)
            y[i] = (y[i] - mean) * rstd * weight[i] + bias[i];
        means[row] = mean;
        rstds[row] = rstd;
    }
    return 0;
}
