/* ops/library/cumsum/cumsum_rows.c - rows over threads; floats in runs, summed
 * in double
 */
#include "cumsum.h"

enum { RUN = 256 };

static void float_row(const struct osw_cumsum *c, int64_t row)
{
    const osw_tensor *x = c->x.tensor, *out = c->out.tensor;
    int64_t from = osw_rows_offset(&c->x, row);
    int64_t to = osw_rows_offset(&c->out, row);
    double sum = 0.0;
    float run[RUN];

    for (int64_t i = 0; i < c->x.n; i += RUN) {
        int64_t n = c->x.n - i < RUN ? c->x.n - i : RUN;

        osw_convert_read(x->dtype, osw_at(x, from + i * c->x.stride),
                         c->x.stride, n, run);
        for (int64_t j = 0; j < n; j++) {
            sum += run[j];
            run[j] = (float)sum;
        }
        osw_convert_write(out->dtype, run, n, c->out.stride,
                          osw_at(out, to + i * c->out.stride));
    }
}

static void integer_row(const struct osw_cumsum *c, int64_t row)
{
    const osw_tensor *x = c->x.tensor;
    const char *from = osw_rows_at(&c->x, row);
    int64_t *to = (int64_t *)(void *)osw_rows_at(&c->out, row);
    int64_t step = c->x.stride * (x->dtype.bits / 8), sum = 0;

    for (int64_t i = 0; i < c->x.n; i++) {
        sum += osw_load_int(x->dtype, from + i * step);
        to[i * c->out.stride] = sum;
    }
}

int cumsum_kernel_impl(const osw_call *call)
{
    struct osw_cumsum c = {0};
    int rc = osw_cumsum_open(call, &c);

    if (rc)
        return rc;
    if (c.is_float && (!osw_convert_knows(c.x.tensor->dtype) ||
                       !osw_convert_knows(c.out.tensor->dtype)))
        return OSW_UNSUPPORTED;
#pragma omp parallel for num_threads(                                          \
    (int)call->n_threads) if (c.x.n_rows * c.x.n > 65536)
    for (int64_t row = 0; row < (c.x.n ? c.x.n_rows : 0); row++) {
        if (c.is_float)
            float_row(&c, row);
        else
            integer_row(&c, row);
    }
    return 0;
}
