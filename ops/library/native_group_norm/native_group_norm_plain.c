/* ops/library/native_group_norm/native_group_norm_plain.c - each group: its
 * mean, then its variance, then the normalised elements
 */
#include "../shared/group_norm.h"
#include "../shared/planes.h"

/* x: the n elements of group k; they become the output's. */
#define GROUP(name, T)                                                         \
    static void name(const struct osw_group_norm *p, int64_t k, T *x)          \
    {                                                                          \
        int64_t first = k % p->groups * p->depth, plane = p->n / p->depth;     \
        double sum = 0.0, squares = 0.0, mean, rstd;                           \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; i < p->n; i++)                                             \
            sum += x[i];                                                       \
        mean = sum / (double)p->n;                                             \
        for (i = 0; i < p->n; i++)                                             \
            squares += (x[i] - mean) * (x[i] - mean);                          \
        rstd = 1.0 / sqrt(squares / (double)p->n + p->eps);                    \
        for (int64_t c = 0; c < p->depth; c++, x += plane) {                   \
            T weight = (T)osw_channels_get(&p->weight, first + c, 1);          \
            T bias = (T)osw_channels_get(&p->bias, first + c, 0);              \
                                                                               \
            for (i = 0; i < plane; i++)                                        \
                x[i] = (T)((x[i] - mean) * rstd) * weight + bias;              \
        }                                                                      \
        osw_channels_set(&p->mean, k, mean);                                   \
        osw_channels_set(&p->rstd, k, rstd);                                   \
    }

GROUP(group_float, float)
GROUP(group_double, double)

/* row: room for a group */
static void run_group(const struct osw_group_norm *p, int64_t k, char *row)
{
    int64_t plane = p->x.y * p->x.x * osw_planes_size(p->x.dtype);
    int64_t image = k / p->groups, first = k % p->groups * p->depth;

    for (int64_t c = 0; c < p->depth; c++)
        osw_planes_read(&p->x, image, first + c, row + c * plane);
    if (p->x.dtype.bits == 64)
        group_double(p, k, (double *)(void *)row);
    else
        group_float(p, k, (float *)(void *)row);
    for (int64_t c = 0; c < p->depth; c++)
        osw_planes_write(&p->out, image, first + c, row + c * plane);
}

int native_group_norm_kernel_impl(const osw_call *call)
{
    struct osw_group_norm p = {0};
    int rc = osw_group_norm_open(call, &p), threads;
    int64_t bytes, n;
    char *rows;

    if (rc)
        return rc;
    if (!osw_planes_know(p.x.dtype))
        return OSW_UNSUPPORTED;
    n = p.x.n * p.groups;
    threads = osw_planes_threads(call, n * p.n);
    bytes = p.n * osw_planes_size(p.x.dtype);
    rows = (char *)osw_workspace(call, (size_t)(bytes * threads) + 8);
    if (!rows)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t k = n * t / threads; k < n * (t + 1) / threads; k++)
            run_group(&p, k, rows + t * bytes);
    return 0;
}
