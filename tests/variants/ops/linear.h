/* tests/variants/ops/linear.h - x @ weight.T + bias by a function per element
 */
#ifndef VARIANTS_LINEAR_H
#define VARIANTS_LINEAR_H

#include "variants.h"

typedef float dot_fn(const float *x, const float *w, int64_t k, float bias);

static inline int linear(const osw_call *call, dot_fn *f)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_tensor *w = osw_arg_tensor(call, 1);
    const osw_tensor *b = osw_arg_tensor(call, 2);
    int64_t shape[8], k = w->shape[1], n = w->shape[0], rows = osw_numel(x) / k;
    osw_tensor *out;
    float *xs = read_floats(x), *ws = read_floats(w);

    memcpy(shape, x->shape, (size_t)x->ndim * sizeof(int64_t));
    shape[x->ndim - 1] = n;
    out = osw_output(call, 0, x->dtype, x->ndim, shape, NULL);
    if (!out || !xs || !ws)
        return OSW_ERROR;
    for (int64_t i = 0; i < rows * n; i++)
        osw_set(out, i,
                (double)f(xs + i / n * k, ws + i % n * k, k,
                          b ? (float)osw_get(b, i % n) : 0.0f));
    free(xs);
    free(ws);
    return 0;
}

#endif
