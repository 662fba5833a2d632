/* ops/library/native_group_norm_backward/native_group_norm_backward_plain.c -
 * each group: the sums of its channels, from these its gradient; then those of
 * weight and bias
 */
#include "../shared/group_norm.h"
#include "../shared/planes.h"

/* Of a channel of an image. */
struct sums {
    double g, gy;
};

/* x, grad: the n elements of group k; x becomes dx.  sums: of its channels. */
#define GROUP(name, T)                                                         \
    static void name(const struct osw_group_norm *p, int64_t k, T *x,          \
                     const T *grad, struct sums *sums)                         \
    {                                                                          \
        int64_t first = k % p->groups * p->depth, plane = p->n / p->depth;     \
        double mean = osw_channels_get(&p->mean, k, 0), n = (double)p->n;      \
        double rstd = osw_channels_get(&p->rstd, k, 1);                        \
        double sum = 0.0, sum_y = 0.0;                                         \
        int64_t c, i;                                                          \
                                                                               \
        for (c = 0; c < p->depth; c++) {                                       \
            double weight = osw_channels_get(&p->weight, first + c, 1);        \
                                                                               \
            sums[c].g = sums[c].gy = 0.0;                                      \
            for (i = c * plane; i < (c + 1) * plane; i++) {                    \
                x[i] = (T)((x[i] - mean) * rstd);                              \
                sums[c].g += grad[i];                                          \
                sums[c].gy += (double)grad[i] * x[i];                          \
            }                                                                  \
            sum += sums[c].g * weight;                                         \
            sum_y += sums[c].gy * weight;                                      \
        }                                                                      \
        for (c = 0; c < p->depth; c++) {                                       \
            double weight = osw_channels_get(&p->weight, first + c, 1);        \
                                                                               \
            for (i = c * plane; i < (c + 1) * plane; i++)                      \
                x[i] = (T)(rstd *                                              \
                           (grad[i] * weight - sum / n - x[i] * (sum_y / n))); \
        }                                                                      \
    }

GROUP(group_float, float)
GROUP(group_double, double)

/* rows: room for the group twice */
static void run_group(const struct osw_group_norm *p, int64_t k, char *rows,
                      struct sums *sums)
{
    int64_t size = osw_planes_size(p->x.dtype), plane = p->x.y * p->x.x * size;
    int64_t image = k / p->groups, first = k % p->groups * p->depth;
    char *grad = rows + p->n * size;

    for (int64_t c = 0; c < p->depth; c++) {
        osw_planes_read(&p->x, image, first + c, rows + c * plane);
        osw_planes_read(&p->grad, image, first + c, grad + c * plane);
    }
    if (size == 8)
        group_double(p, k, (double *)(void *)rows,
                     (const double *)(const void *)grad, sums);
    else
        group_float(p, k, (float *)(void *)rows,
                    (const float *)(const void *)grad, sums);
    for (int64_t c = 0; p->i_out >= 0 && c < p->depth; c++)
        osw_planes_write(&p->out, image, first + c, rows + c * plane);
}

/* sums: [images, channels] */
static void set_channels(const struct osw_group_norm *p,
                         const struct sums *sums)
{
    for (int64_t c = 0; c < p->x.c; c++) {
        struct sums all = {0.0, 0.0};

        for (int64_t n = 0; n < p->x.n; n++) {
            all.g += sums[n * p->x.c + c].g;
            all.gy += sums[n * p->x.c + c].gy;
        }
        if (p->i_dweight >= 0)
            osw_channels_set(&p->dweight, c, all.gy);
        if (p->i_dbias >= 0)
            osw_channels_set(&p->dbias, c, all.g);
    }
}

int native_group_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_group_norm p = {0};
    int rc = osw_group_norm_open_backward(call, &p), threads;
    struct sums *sums;
    int64_t bytes, n;
    char *rows;

    if (rc)
        return rc;
    if (!osw_planes_know(p.x.dtype) || !osw_planes_know(p.grad.dtype) ||
        osw_planes_size(p.x.dtype) != osw_planes_size(p.grad.dtype))
        return OSW_UNSUPPORTED;
    n = p.x.n * p.groups;
    threads = osw_planes_threads(call, n * p.n);
    bytes = 2 * p.n * osw_planes_size(p.x.dtype);
    bytes = (bytes + 7) / 8 * 8;
    sums = (struct sums *)osw_workspace(
        call, (size_t)(p.x.n * p.x.c) * sizeof(*sums) +
                  (size_t)(bytes * threads) + 8);
    if (!sums)
        return OSW_ERROR;
    rows = (char *)(sums + p.x.n * p.x.c);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t k = n * t / threads; k < n * (t + 1) / threads; k++)
            run_group(&p, k, rows + t * bytes, sums + k * p.depth);
    set_channels(&p, sums);
    return 0;
}
