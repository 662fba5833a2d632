/* shared/moments_plain.h - baseline: for each output its elements as a row, the
 * mean, then the squares around it
 */
#ifndef OSW_LIBRARY_MOMENTS_PLAIN_H
#define OSW_LIBRARY_MOMENTS_PLAIN_H

#include "moments.h"

#define OSW_MOMENTS_ROW(name, T)                                               \
    static inline void name(const struct osw_moments *v, int64_t k,            \
                            const T *x)                                        \
    {                                                                          \
        double sum = 0.0, squares = 0.0, mean;                                 \
        int64_t n = v->summed.numel, i;                                        \
                                                                               \
        for (i = 0; i < n; i++)                                                \
            sum += x[i];                                                       \
        mean = sum / (double)n;                                                \
        for (i = 0; i < n; i++)                                                \
            squares += (x[i] - mean) * (x[i] - mean);                          \
        squares /= v->divisor;                                                 \
        if (v->mean)                                                           \
            osw_set(v->mean, k, mean);                                         \
        osw_set(v->var, k, v->root ? sqrt(squares) : squares);                 \
    }

OSW_MOMENTS_ROW(osw_moments_float, float)
OSW_MOMENTS_ROW(osw_moments_double, double)

/* Runs along the last dimension that is summed: to row. */
static inline void osw_moments_read(const struct osw_moments *v, int64_t at,
                                    char *row)
{
    struct osw_reduce_dims outer = v->summed;
    int64_t n = 1, stride = 1;

    if (outer.n) {
        n = outer.shape[--outer.n];
        stride = outer.strides[outer.n];
        outer.numel = n ? outer.numel / n : 0;
    }
    for (int64_t o = 0; o < outer.numel; o++) {
        const char *from =
            (const char *)osw_at(v->x, at + osw_reduce_offset(&outer, o));

        if (v->x->dtype.bits == 64)
            for (int64_t i = 0; i < n; i++)
                memcpy(row + (o * n + i) * 8, from + i * stride * 8, 8);
        else
            osw_convert_read(v->x->dtype, from, stride, n,
                             (float *)(void *)row + o * n);
    }
}

/* rc: what opening the arguments returned. */
static inline int osw_moments_plain(const osw_call *call,
                                    const struct osw_moments *v, int rc)
{
    int threads;
    int64_t bytes;
    char *rows;

    if (rc)
        return rc;
    bytes = v->summed.numel * 8;
    threads = osw_numel(v->x) > 65536 ? (int)call->n_threads : 1;
    rows = (char *)osw_workspace(call, (size_t)(bytes * threads) + 8);
    if (!rows)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t k = v->kept.numel * t / threads;
             k < v->kept.numel * (t + 1) / threads; k++) {
            char *row = rows + t * bytes;

            osw_moments_read(v, osw_reduce_offset(&v->kept, k), row);
            if (v->x->dtype.bits == 64)
                osw_moments_double(v, k, (const double *)(const void *)row);
            else
                osw_moments_float(v, k, (const float *)(const void *)row);
        }
    return 0;
}

#endif /* OSW_LIBRARY_MOMENTS_PLAIN_H */
