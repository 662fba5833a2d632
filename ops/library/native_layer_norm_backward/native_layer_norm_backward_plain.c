/* ops/library/native_layer_norm_backward/native_layer_norm_backward_plain.c -
 * the gradient of each row; then those of weight and bias, summed over the rows
 * in double, a thread having some of the columns
 */
#include "../shared/layer_norm.h"
#include "../shared/plain_norm.h"

#define ROW(name, T)                                                           \
    static void name(const void *context, int64_t row, const void *from,       \
                     const void *second, void *to, int64_t n)                  \
    {                                                                          \
        const struct osw_plain_norm *p =                                       \
            (const struct osw_plain_norm *)context;                            \
        const T *x = (const T *)from, *weight = (const T *)p->weight;          \
        const T *grad = (const T *)second;                                     \
        double mean = osw_get(p->l->mean, row);                                \
        double rstd = osw_get(p->l->rstd, row);                                \
        double sum = 0.0, sum_y = 0.0;                                         \
        T *dx = (T *)to;                                                       \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; i < n; i++) {                                              \
            T g = grad[i] * weight[i];                                         \
                                                                               \
            sum += g;                                                          \
            sum_y += g * ((x[i] - mean) * rstd);                               \
        }                                                                      \
        sum /= (double)n;                                                      \
        sum_y /= (double)n;                                                    \
        for (i = 0; i < n; i++)                                                \
            dx[i] = (T)(rstd * (grad[i] * weight[i] - sum -                    \
                                (x[i] - mean) * rstd * sum_y));                \
    }

ROW(row_float, float)
ROW(row_double, double)

/* Columns [first, first + n) of one row, added to the sums. */
#define ADD(name, T)                                                           \
    static void name(const T *x, const T *grad, double mean, double rstd,      \
                     double *dweight, double *dbias, int64_t n)                \
    {                                                                          \
        for (int64_t i = 0; i < n; i++) {                                      \
            dweight[i] += grad[i] * ((x[i] - mean) * rstd);                    \
            dbias[i] += grad[i];                                               \
        }                                                                      \
    }

ADD(add_float, float)
ADD(add_double, double)

static void sum_columns(const struct osw_plain_norm *p, int64_t first,
                        int64_t n)
{
    const struct osw_layer_norm *l = p->l;
    int64_t size = p->in.bits / 8, size_x = l->x->dtype.bits / 8;
    int64_t size_grad = l->grad->dtype.bits / 8;
    int64_t step_x = osw_layer_norm_stride(l, l->x);
    int64_t step_grad = osw_layer_norm_stride(l, l->grad);
    char *x = p->scratch + first * size, *grad = x + l->n * size;
    double *dweight = p->sums + first, *dbias = dweight + l->n;
    struct osw_plain_way read_x, read_grad;

    osw_plain_find_way(&read_x, p->in, l->x->dtype);
    osw_plain_find_way(&read_grad, p->in, l->grad->dtype);
    memset(dweight, 0, (size_t)n * 8);
    memset(dbias, 0, (size_t)n * 8);
    for (int64_t row = 0; row < l->n_rows; row++) {
        double mean = osw_get(l->mean, row), rstd = osw_get(l->rstd, row);

        osw_plain_copy_row(&read_x, x, 1,
                           osw_layer_norm_row(l, l->x, row) +
                               first * step_x * size_x,
                           step_x, n);
        osw_plain_copy_row(&read_grad, grad, 1,
                           osw_layer_norm_row(l, l->grad, row) +
                               first * step_grad * size_grad,
                           step_grad, n);
        if (p->in.bits == 64)
            add_double((double *)(void *)x, (double *)(void *)grad, mean, rstd,
                       dweight, dbias, n);
        else
            add_float((float *)(void *)x, (float *)(void *)grad, mean, rstd,
                      dweight, dbias, n);
    }
}

static void sum_weights(const osw_call *call, const struct osw_plain_norm *p)
{
    const struct osw_layer_norm *l = p->l;
    int threads = osw_plain_threads(call, osw_numel(l->x)), t;

#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (t = 0; t < threads; t++) {
        int64_t first = l->n * t / threads, end = l->n * (t + 1) / threads;

        sum_columns(p, first, end - first);
    }
    for (int64_t i = 0; i < l->n; i++) {
        if (l->dweight)
            osw_set(l->dweight, i, p->sums[i]);
        if (l->dbias)
            osw_set(l->dbias, i, p->sums[l->n + i]);
    }
}

int native_layer_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    struct osw_plain_norm p;
    int rc = osw_layer_norm_open_backward(call, &l);

    if (!rc)
        rc = osw_plain_norm_open(call, &p, &l);
    if (rc)
        return rc;
    if (osw_layer_norm_stride(&l, l.x) < 0 ||
        osw_layer_norm_stride(&l, l.grad) < 0)
        return OSW_UNSUPPORTED;
    if (l.dx)
        rc = osw_plain_norm_run(call, &p, l.grad, l.dx,
                                p.in.bits == 64 ? row_double : row_float);
    if (!rc && (l.dweight || l.dbias))
        sum_weights(call, &p);
    return rc;
}
