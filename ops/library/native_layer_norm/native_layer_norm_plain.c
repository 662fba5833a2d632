/* ops/library/native_layer_norm/native_layer_norm_plain.c - each row: its mean,
 * then its variance, then the normalised elements
 */
#include "../shared/layer_norm.h"
#include "../shared/plain_norm.h"

#define ROW(name, T)                                                           \
    static void name(const void *context, int64_t row, const void *from,       \
                     const void *none, void *to, int64_t n)                    \
    {                                                                          \
        const struct osw_plain_norm *p =                                       \
            (const struct osw_plain_norm *)context;                            \
        const T *x = (const T *)from, *weight = (const T *)p->weight;          \
        const T *bias = (const T *)p->bias;                                    \
        T *y = (T *)to;                                                        \
        double sum = 0.0, squares = 0.0, mean, rstd;                           \
        int64_t i;                                                             \
                                                                               \
        (void)none;                                                            \
        for (i = 0; i < n; i++)                                                \
            sum += x[i];                                                       \
        mean = sum / (double)n;                                                \
        for (i = 0; i < n; i++)                                                \
            squares += (x[i] - mean) * (x[i] - mean);                          \
        rstd = 1.0 / sqrt(squares / (double)n + p->l->eps);                    \
        for (i = 0; i < n; i++)                                                \
            y[i] = (T)((x[i] - mean) * rstd) * weight[i] + bias[i];            \
        osw_set(p->l->out_mean, row, mean);                                    \
        osw_set(p->l->out_rstd, row, rstd);                                    \
    }

ROW(row_float, float)
ROW(row_double, double)

int native_layer_norm_kernel_impl(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    struct osw_plain_norm p;
    int rc = osw_layer_norm_open(call, &l);

    if (!rc)
        rc = osw_plain_norm_open(call, &p, &l);
    if (rc)
        return rc;
    return osw_plain_norm_run(call, &p, NULL, l.out,
                              p.in.bits == 64 ? row_double : row_float);
}
