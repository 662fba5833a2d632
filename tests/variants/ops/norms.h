/* tests/variants/ops/norms.h - norms of the last dimension with weights */
#ifndef VARIANTS_NORMS_H
#define VARIANTS_NORMS_H

#include "variants.h"

typedef void norm_row(const float *x, const float *weight, const float *bias,
                      float *y, int64_t n, float eps);

/* norm(x, weight, bias or nothing, eps): y = f(row), weights in float. */
static inline int map_norm(const osw_call *call, int has_bias, norm_row *f)
{
    const osw_tensor *x = osw_arg_tensor(call, 0), *w = osw_arg_tensor(call, 1);
    const osw_tensor *b = has_bias ? osw_arg_tensor(call, 2) : NULL;
    osw_tensor *out;
    float *xs, *ws, *bs, *y;
    int64_t n, rows;

    if (!x || !w || !x->ndim || is_double(x))
        return OSW_UNSUPPORTED;
    out = output_like(call, 0, x);
    xs = read_floats(x);
    ws = read_floats(w);
    bs = b ? read_floats(b) : NULL;
    y = memory(osw_numel(x), sizeof(float));
    if (!out || !xs || !ws || !y)
        return OSW_ERROR;
    n = x->shape[x->ndim - 1];
    rows = n ? osw_numel(x) / n : 0;
    for (int64_t r = 0; r < rows; r++)
        f(xs + r * n, ws, bs, y + r * n, n,
          (float)osw_arg_float(call, has_bias ? 3 : 2, 1e-5));
    write_floats(out, y);
    free(xs);
    free(ws);
    free(bs);
    free(y);
    return 0;
}

#endif
