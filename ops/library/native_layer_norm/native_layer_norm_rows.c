/* ops/library/native_layer_norm/native_layer_norm_rows.c - rows in float, sums
 * in double, over threads
 */
#include "../shared/layer_norm.h"

/* x [n] becomes the normalised row. */
static void normalize(const struct osw_layer_norm *l, float *x,
                      const float *weight, const float *bias, double *mean,
                      double *rstd)
{
    double sum = 0.0, squares = 0.0;
    float high, low, scale;

#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < l->n; i++)
        sum += x[i];
    *mean = sum / (double)l->n;
    high = (float)*mean; /* the mean in two parts: it may be large */
    low = (float)(*mean - high);
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < l->n; i++) {
        x[i] = x[i] - high - low;
        squares += x[i] * x[i];
    }
    *rstd = 1.0 / sqrt(squares / (double)l->n + l->eps);
    scale = (float)*rstd;
    for (int64_t i = 0; i < l->n; i++)
        x[i] = x[i] * scale * weight[i] + bias[i];
}

int native_layer_norm_kernel_impl(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    int rc = osw_layer_norm_open(call, &l);
    int64_t stride;
    float *weight, *bias;
    int threads;

    if (rc)
        return rc;
    stride = osw_layer_norm_stride(&l, l.x);
    if (stride < 0 || !osw_layer_norm_knows(l.x) ||
        !osw_layer_norm_knows(l.weight) || !osw_layer_norm_knows(l.bias))
        return OSW_UNSUPPORTED;
    threads = osw_rows_threads(call, l.n_rows);
    weight = (float *)osw_workspace(call, (size_t)((2 + threads) * l.n) * 4);
    if (!weight)
        return OSW_ERROR;
    bias = weight + l.n;
    osw_layer_norm_vector(l.weight, 1.0f, l.n, weight);
    osw_layer_norm_vector(l.bias, 0.0f, l.n, bias);
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++) {
        float *x = bias + (1 + t) * l.n;
        double mean, rstd;

        for (int64_t row = l.n_rows * t / threads;
             row < l.n_rows * (t + 1) / threads; row++) {
            osw_convert_read(l.x->dtype, osw_layer_norm_row(&l, l.x, row),
                             stride, l.n, x);
            normalize(&l, x, weight, bias, &mean, &rstd);
            osw_convert_write(l.out->dtype, x, l.n, 1,
                              osw_at(l.out, row * l.n));
            osw_set(l.out_mean, row, mean);
            osw_set(l.out_rstd, row, rstd);
        }
    }
    return 0;
}
