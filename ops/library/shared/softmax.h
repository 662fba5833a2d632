/* shared/softmax.h - arguments of _softmax, _log_softmax and backwards */
#ifndef OSW_LIBRARY_SOFTMAX_H
#define OSW_LIBRARY_SOFTMAX_H

#include "convert.h"
#include "rows.h"
#include "vecmath.h"

#include <math.h>

struct osw_softmax {
    struct osw_rows x; /* self, or grad_output */
    struct osw_rows y; /* output, of the backward forms; else x */
    struct osw_rows out;
};

static inline int osw_softmax_declare(const osw_call *call,
                                      struct osw_softmax *s,
                                      const osw_tensor *x, const osw_tensor *y,
                                      int64_t dim, osw_dtype dtype)
{
    int32_t d = osw_rows_dim(dim, x->ndim);
    osw_tensor *out;

    if (!osw_rows_is_float(x) || !osw_rows_is_float(y))
        return OSW_UNSUPPORTED;
    if (d < 0 || !osw_rows_same_shape(x, y))
        return osw_error(call, "no such dimension, or shapes differ");
    out = osw_output(call, 0, dtype, x->ndim, x->shape, NULL);
    if (!out)
        return OSW_ERROR;
    s->x = osw_rows_of(x, d);
    s->y = osw_rows_of(y, d);
    s->out = osw_rows_of(out, d);
    return 0;
}

/* (self, dim, half_to_float) */
static inline int osw_softmax_open(const osw_call *call, struct osw_softmax *s)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);

    if (!x)
        return osw_error(call, "expected a tensor");
    return osw_softmax_declare(call, s, x, x, osw_arg_int(call, 1, -1),
                               osw_arg_int(call, 2, 0) ? osw_rows_f32()
                                                       : x->dtype);
}

/* (self, dim, dtype); a dtype that would round what is read is left out. */
static inline int osw_softmax_open_safe(const osw_call *call,
                                        struct osw_softmax *s)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_arg *dtype = osw_arg_at(call, 2);
    osw_dtype to;

    if (!x)
        return osw_error(call, "expected a tensor");
    to = dtype->tag == OSW_ARG_DTYPE ? dtype->u.dtype : x->dtype;
    if (to.code != OSW_FLOAT && to.code != OSW_BFLOAT)
        return osw_error(call, "expected a floating dtype");
    if (to.bits < x->dtype.bits ||
        (to.bits == x->dtype.bits && to.code != x->dtype.code))
        return OSW_UNSUPPORTED;
    return osw_softmax_declare(call, s, x, x, osw_arg_int(call, 1, -1), to);
}

/* (grad_output, output, dim, input_dtype) */
static inline int osw_softmax_open_backward(const osw_call *call,
                                            struct osw_softmax *s)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_tensor *y = osw_arg_tensor(call, 1);
    const osw_arg *dtype = osw_arg_at(call, 3);

    if (!x || !y)
        return osw_error(call, "expected two tensors");
    return osw_softmax_declare(call, s, x, y, osw_arg_int(call, 2, -1),
                               dtype->tag == OSW_ARG_DTYPE ? dtype->u.dtype
                                                           : x->dtype);
}

/* What is done to a row, in place: x [n] from x and y [n].  Where there is no
 * second tensor, y is scratch.
 */
typedef void osw_softmax_row(float *x, float *y, int64_t n);

/* Every row in float: read, worked on, written. */
static inline int osw_softmax_rows(const osw_call *call,
                                   const struct osw_softmax *s,
                                   osw_softmax_row *work)
{
    int threads = osw_rows_threads(call, s->x.n_rows);
    int64_t n = s->x.n;
    osw_dtype tx = s->x.tensor->dtype, ty = s->y.tensor->dtype;
    osw_dtype to = s->out.tensor->dtype;
    int backward = s->x.tensor != s->y.tensor;
    float *scratch;

    if (!osw_convert_knows(tx) || !osw_convert_knows(ty) ||
        !osw_convert_knows(to))
        return OSW_UNSUPPORTED;
    if (n == 0)
        return 0;
    scratch = (float *)osw_workspace(call, (size_t)(2 * n * threads) * 4);
    if (!scratch)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++) {
        float *x = scratch + 2 * n * t, *y = x + n;

        for (int64_t row = s->x.n_rows * t / threads;
             row < s->x.n_rows * (t + 1) / threads; row++) {
            osw_convert_read(tx, osw_rows_at(&s->x, row), s->x.stride, n, x);
            if (backward)
                osw_convert_read(ty, osw_rows_at(&s->y, row), s->y.stride, n,
                                 y);
            work(x, y, n);
            osw_convert_write(to, x, n, s->out.stride,
                              osw_rows_at(&s->out, row));
        }
    }
    return 0;
}

#endif /* OSW_LIBRARY_SOFTMAX_H */
