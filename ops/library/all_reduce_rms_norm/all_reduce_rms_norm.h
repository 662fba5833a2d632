/* all_reduce_rms_norm/all_reduce_rms_norm.h - (x, residual, weight, eps): h is
 * the sum of x of all ranks, plus this rank's residual; the outputs are
 * h / sqrt(mean(h^2) + eps) * weight, by the last dimension, and h
 */
#ifndef OSW_LIBRARY_ALL_REDUCE_RMS_NORM_H
#define OSW_LIBRARY_ALL_REDUCE_RMS_NORM_H

#include <math.h>

#include "../shared/collective.h"

struct osw_reduced_norm {
    const osw_tensor *x, *residual, *weight;
    osw_tensor *out, *sum;
    int64_t rows, n; /* n elements each */
    double eps;
};

static inline int osw_reduced_norm_fits(const struct osw_reduced_norm *r)
{
    return r->x && r->x->ndim > 0 && r->x->ndim <= 64 && r->residual &&
           osw_is_contiguous(r->residual) && r->weight &&
           osw_is_contiguous(r->weight) && r->residual->ndim == r->x->ndim &&
           osw_numel(r->residual) == osw_numel(r->x) && r->weight->ndim == 1 &&
           r->weight->shape[0] == r->x->shape[r->x->ndim - 1] &&
           r->residual->shape[r->x->ndim - 1] == r->weight->shape[0] &&
           (r->x->dtype.code == OSW_FLOAT || r->x->dtype.code == OSW_BFLOAT);
}

/* 0, or what to return. */
static inline int osw_reduced_norm_open(const osw_call *call,
                                        struct osw_reduced_norm *r)
{
    r->x = osw_collective_input(call);
    r->residual = osw_arg_tensor(call, 1);
    r->weight = osw_arg_tensor(call, 2);
    r->eps = osw_arg_float(call, 3, 1e-6);
    if (!osw_reduced_norm_fits(r))
        return OSW_UNSUPPORTED;
    r->out = osw_output(call, 0, r->x->dtype, r->x->ndim, r->x->shape, NULL);
    r->sum = osw_output(call, 1, r->x->dtype, r->x->ndim, r->x->shape, NULL);
    r->n = r->weight->shape[0];
    r->rows = r->n > 0 ? osw_numel(r->x) / r->n : 0;
    return r->out && r->sum ? 0 : OSW_ERROR;
}

/* Rows [from, to) of both outputs, by h[to - from][n]. */
static inline void osw_reduced_norm_rows(const struct osw_reduced_norm *r,
                                         int64_t from, int64_t to,
                                         const float *h)
{
    for (int64_t row = from; row < to; row++, h += r->n) {
        double squares = 0;
        float scale;

        for (int64_t i = 0; i < r->n; i++)
            squares += (double)h[i] * h[i];
        scale = (float)(1 / sqrt(squares / (double)r->n + r->eps));
        for (int64_t i = 0; i < r->n; i++) {
            osw_set(r->sum, row * r->n + i, h[i]);
            osw_set(r->out, row * r->n + i,
                    h[i] * scale * (float)osw_get(r->weight, i));
        }
    }
}

#endif /* OSW_LIBRARY_ALL_REDUCE_RMS_NORM_H */
