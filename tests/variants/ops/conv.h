/* tests/variants/ops/conv.h - 3x3 convolutions over padded float planes */
#ifndef VARIANTS_CONV_H
#define VARIANTS_CONV_H

#include "variants.h"

struct conv {
    const float *x, *w; /* x padded: [batch, c, h, width] */
    float *y;           /* [batch, o, h - 2, width - 2], cleared */
    int64_t batch, c, h, width, o;
};

static inline float *conv_pad(const osw_tensor *x, int64_t pad)
{
    int64_t h = x->shape[2], w = x->shape[3];
    int64_t hh = h + 2 * pad, ww = w + 2 * pad;
    float *to = calloc((size_t)(x->shape[0] * x->shape[1] * hh * ww) + 64, 4);

    for (int64_t at = 0; to && at < osw_numel(x); at++)
        to[(at / w / h * hh + at / w % h + pad) * ww + at % w + pad] =
            (float)osw_get(x, at);
    return to;
}

static inline int conv3x3(const osw_call *call, void (*f)(const struct conv *))
{
    const osw_tensor *x = osw_arg_tensor(call, 0), *w = osw_arg_tensor(call, 1);
    int64_t pad = osw_arg_int(call, 2, 0);
    float *xs = conv_pad(x, pad), *ws = read_floats(w);
    struct conv v = {xs,
                     ws,
                     NULL,
                     x->shape[0],
                     x->shape[1],
                     x->shape[2] + 2 * pad,
                     x->shape[3] + 2 * pad,
                     w->shape[0]};
    int64_t shape[4] = {v.batch, v.o, v.h - 2, v.width - 2};
    osw_tensor *out = osw_output(call, 0, x->dtype, 4, shape, NULL);

    if (!out || !xs || !ws)
        return OSW_ERROR;
    v.y = calloc((size_t)osw_numel(out) + 64, 4);
    f(&v);
    write_floats(out, v.y);
    free(xs);
    free(ws);
    free(v.y);
    return 0;
}

#endif
