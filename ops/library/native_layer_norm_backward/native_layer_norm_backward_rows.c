/* ops/library/native_layer_norm_backward/native_layer_norm_backward_rows.c -
 * rows in float, over threads; every thread sums the gradients of weight and
 * bias over its rows in double, then these are added up
 */
#include "../shared/layer_norm.h"

/* Scratch of one thread. */
struct scratch {
    double *dweight, *dbias; /* [n] */
    float *x, *grad;         /* [n] */
};

static struct scratch scratch_of(void *memory, int64_t n, int thread)
{
    struct scratch s;

    s.dweight = (double *)memory + 3 * n * thread;
    s.dbias = s.dweight + n;
    s.x = (float *)(s.dbias + n);
    s.grad = s.x + n;
    return s;
}

/* x and grad hold the row; x becomes dx. */
static void backward_row(int64_t n, double mean, double rstd,
                         const float *weight, const struct scratch *s)
{
    float *x = s->x, *grad = s->grad;
    float high = (float)mean, low = (float)(mean - high), scale = (float)rstd;
    double sum = 0.0, sum_y = 0.0;
    float mean_g, mean_gy;

    for (int64_t i = 0; i < n; i++)
        x[i] = (x[i] - high - low) * scale;
    for (int64_t i = 0; i < n; i++) {
        s->dweight[i] += grad[i] * x[i];
        s->dbias[i] += grad[i];
        grad[i] *= weight[i];
    }
#pragma omp simd reduction(+ : sum, sum_y)
    for (int64_t i = 0; i < n; i++) {
        sum += grad[i];
        sum_y += grad[i] * x[i];
    }
    mean_g = (float)(sum / (double)n);
    mean_gy = (float)(sum_y / (double)n);
    for (int64_t i = 0; i < n; i++)
        x[i] = scale * (grad[i] - mean_g - x[i] * mean_gy);
}

static void backward_rows(const struct osw_layer_norm *l, int64_t from,
                          int64_t to, const float *weight,
                          const struct scratch *s)
{
    int64_t stride_x = osw_layer_norm_stride(l, l->x);
    int64_t stride_grad = osw_layer_norm_stride(l, l->grad);

    memset(s->dweight, 0, (size_t)l->n * 2 * sizeof(double));
    for (int64_t row = from; row < to; row++) {
        osw_convert_read(l->x->dtype, osw_layer_norm_row(l, l->x, row),
                         stride_x, l->n, s->x);
        osw_convert_read(l->grad->dtype, osw_layer_norm_row(l, l->grad, row),
                         stride_grad, l->n, s->grad);
        backward_row(l->n, osw_get(l->mean, row), osw_get(l->rstd, row), weight,
                     s);
        if (l->dx)
            osw_convert_write(l->dx->dtype, s->x, l->n, 1,
                              osw_at(l->dx, row * l->n));
    }
}

int native_layer_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    int rc = osw_layer_norm_open_backward(call, &l);
    struct scratch all;
    float *weight;
    double *memory;
    int threads;

    if (rc)
        return rc;
    if (!osw_layer_norm_knows(l.x) || !osw_layer_norm_knows(l.grad) ||
        !osw_layer_norm_knows(l.weight) || !osw_layer_norm_knows(l.bias) ||
        osw_layer_norm_stride(&l, l.x) < 0 ||
        osw_layer_norm_stride(&l, l.grad) < 0)
        return OSW_UNSUPPORTED;
    threads = osw_rows_threads(call, l.n_rows);
    memory = (double *)osw_workspace(call, (size_t)(3 * threads * l.n) * 8 +
                                               (size_t)l.n * 4);
    if (!memory)
        return OSW_ERROR;
    weight = (float *)(memory + 3 * threads * l.n);
    osw_layer_norm_vector(l.weight, 1.0f, l.n, weight);
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++) {
        struct scratch s = scratch_of(memory, l.n, t);

        backward_rows(&l, l.n_rows * t / threads, l.n_rows * (t + 1) / threads,
                      weight, &s);
    }
    all = scratch_of(memory, l.n, 0);
    for (int t = 1; t < threads; t++)
        for (int64_t i = 0; i < 2 * l.n; i++) /* dbias follows dweight */
            all.dweight[i] += scratch_of(memory, l.n, t).dweight[i];
    for (int64_t i = 0; i < l.n; i++) {
        if (l.dweight)
            osw_set(l.dweight, i, all.dweight[i]);
        if (l.dbias)
            osw_set(l.dbias, i, all.dbias[i]);
    }
    return 0;
}
