/* ops/library/native_batch_norm_backward/native_batch_norm_backward_plain.c -
 * each channel: the two sums, then the gradient of its elements
 */
#include "../shared/batch_norm.h"
#include "../shared/planes.h"

/* x, g: the n elements of channel c; x becomes dx. */
#define CHANNEL(name, T)                                                       \
    static void name(const struct osw_batch_norm *b, int64_t c, T *x,          \
                     const T *g)                                               \
    {                                                                          \
        double mean = osw_channels_get(&b->mean, c, 0);                        \
        double invstd = osw_batch_norm_scale(b, c);                            \
        double scale = invstd * osw_channels_get(&b->weight, c, 1);            \
        double sum = 0.0, sum_y = 0.0, n = (double)b->n;                       \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; i < b->n; i++) {                                           \
            x[i] = (T)((x[i] - mean) * invstd);                                \
            sum += g[i];                                                       \
            sum_y += (double)g[i] * x[i];                                      \
        }                                                                      \
        if (b->i_dweight >= 0)                                                 \
            osw_channels_set(&b->dweight, c, sum_y);                           \
        if (b->i_dbias >= 0)                                                   \
            osw_channels_set(&b->dbias, c, sum);                               \
        if (!b->training)                                                      \
            sum = sum_y = 0.0;                                                 \
        for (i = 0; i < b->n; i++)                                             \
            x[i] = (T)((g[i] - sum / n - x[i] * (sum_y / n)) * scale);         \
    }

CHANNEL(channel_float, float)
CHANNEL(channel_double, double)

static void read_channel(const struct osw_image *m, int64_t c, char *row)
{
    int64_t plane = m->y * m->x * osw_planes_size(m->dtype);

    for (int64_t n = 0; n < m->n; n++)
        osw_planes_read(m, n, c, row + n * plane);
}

/* rows: room for the channel twice */
static void run_channel(const struct osw_batch_norm *b, int64_t c, char *rows)
{
    int64_t size = osw_planes_size(b->x.dtype);
    char *grad = rows + b->n * size;

    read_channel(&b->x, c, rows);
    read_channel(&b->grad, c, grad);
    if (size == 8)
        channel_double(b, c, (double *)(void *)rows,
                       (const double *)(const void *)grad);
    else
        channel_float(b, c, (float *)(void *)rows,
                      (const float *)(const void *)grad);
    for (int64_t n = 0; b->i_out >= 0 && n < b->out.n; n++)
        osw_planes_write(&b->out, n, c, rows + n * b->out.y * b->out.x * size);
}

int native_batch_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_batch_norm b = {0};
    int rc = osw_batch_norm_open_backward(call, &b), threads;
    int64_t bytes;
    char *rows;

    if (rc)
        return rc;
    if (!osw_planes_know(b.x.dtype) || !osw_planes_know(b.grad.dtype) ||
        osw_planes_size(b.x.dtype) != osw_planes_size(b.grad.dtype))
        return OSW_UNSUPPORTED;
    threads = osw_planes_threads(call, b.n * b.x.c);
    bytes = 2 * b.n * osw_planes_size(b.x.dtype);
    rows = (char *)osw_workspace(call, (size_t)(bytes * threads) + 8);
    if (!rows)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t c = b.x.c * t / threads; c < b.x.c * (t + 1) / threads;
             c++)
            run_channel(&b, c, rows + t * bytes);
    return 0;
}
