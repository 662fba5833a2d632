/* ops/library/var_mean__correction/var_mean__correction_plain.c - for each
 * output: its elements as a row, the mean, then the squares around it
 */
#include "var_mean.h"

#define ROW(name, T)                                                           \
    static void name(const struct var_mean *v, int64_t k, const T *x)          \
    {                                                                          \
        double sum = 0.0, squares = 0.0, mean;                                 \
        int64_t n = v->summed.numel, i;                                        \
                                                                               \
        for (i = 0; i < n; i++)                                                \
            sum += x[i];                                                       \
        mean = sum / (double)n;                                                \
        for (i = 0; i < n; i++)                                                \
            squares += (x[i] - mean) * (x[i] - mean);                          \
        osw_set(v->mean, k, mean);                                             \
        osw_set(v->var, k, squares / v->divisor);                              \
    }

ROW(row_float, float)
ROW(row_double, double)

/* Runs along the last dimension that is summed: to row. */
static void read_row(const struct var_mean *v, int64_t at, char *row)
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

int var_mean__correction_kernel_impl(const osw_call *call)
{
    struct var_mean v = {0};
    int rc = var_mean_open(call, &v), threads;
    int64_t bytes;
    char *rows;

    if (rc)
        return rc;
    bytes = v.summed.numel * 8;
    threads = osw_numel(v.x) > 65536 ? (int)call->n_threads : 1;
    rows = (char *)osw_workspace(call, (size_t)(bytes * threads) + 8);
    if (!rows)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t k = v.kept.numel * t / threads;
             k < v.kept.numel * (t + 1) / threads; k++) {
            char *row = rows + t * bytes;

            read_row(&v, osw_reduce_offset(&v.kept, k), row);
            if (v.x->dtype.bits == 64)
                row_double(&v, k, (const double *)(const void *)row);
            else
                row_float(&v, k, (const float *)(const void *)row);
        }
    return 0;
}
