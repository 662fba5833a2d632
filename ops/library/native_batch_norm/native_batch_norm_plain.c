/* ops/library/native_batch_norm/native_batch_norm_plain.c - each channel: its
 * mean, then its variance, then the normalised elements
 */
#include "../shared/batch_norm.h"
#include "../shared/planes.h"

/* x: the n elements of channel c; they become the output's. */
#define CHANNEL(name, T)                                                       \
    static void name(const struct osw_batch_norm *b, int64_t c, T *x)          \
    {                                                                          \
        T weight = (T)osw_channels_get(&b->weight, c, 1);                      \
        T bias = (T)osw_channels_get(&b->bias, c, 0);                          \
        double mean = osw_channels_get(&b->running_mean, c, 0);                \
        double variance = osw_channels_get(&b->running_var, c, 0);             \
        double sum = 0.0, squares = 0.0, scale;                                \
        int64_t i;                                                             \
                                                                               \
        if (b->training) {                                                     \
            for (i = 0; i < b->n; i++)                                         \
                sum += x[i];                                                   \
            mean = sum / (double)b->n;                                         \
            for (i = 0; i < b->n; i++)                                         \
                squares += (x[i] - mean) * (x[i] - mean);                      \
            variance = squares / (double)b->n;                                 \
            osw_batch_norm_keep(b, c, mean, variance);                         \
        }                                                                      \
        scale = osw_batch_norm_invstd(variance, b->eps);                       \
        for (i = 0; i < b->n; i++)                                             \
            x[i] = (T)((x[i] - mean) * scale) * weight + bias;                 \
    }

CHANNEL(channel_float, float)
CHANNEL(channel_double, double)

/* row: room for a channel */
static void run_channel(const struct osw_batch_norm *b, int64_t c, char *row)
{
    int64_t plane = b->x.y * b->x.x * osw_planes_size(b->x.dtype);

    for (int64_t n = 0; n < b->x.n; n++)
        osw_planes_read(&b->x, n, c, row + n * plane);
    if (b->x.dtype.bits == 64)
        channel_double(b, c, (double *)(void *)row);
    else
        channel_float(b, c, (float *)(void *)row);
    for (int64_t n = 0; n < b->x.n; n++)
        osw_planes_write(&b->out, n, c, row + n * plane);
}

int native_batch_norm_kernel_impl(const osw_call *call)
{
    struct osw_batch_norm b = {0};
    int rc = osw_batch_norm_open(call, &b), threads;
    int64_t bytes;
    char *rows;

    if (rc)
        return rc;
    if (!osw_planes_know(b.x.dtype))
        return OSW_UNSUPPORTED;
    threads = osw_planes_threads(call, b.n * b.x.c);
    bytes = b.n * osw_planes_size(b.x.dtype);
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
