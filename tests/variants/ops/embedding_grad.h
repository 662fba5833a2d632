/* tests/variants/ops/embedding_grad.h - driver over packed floats */
#ifndef VARIANTS_EMBEDDING_GRAD_H
#define VARIANTS_EMBEDDING_GRAD_H

#include "variants.h"

struct egrad {
    const float *g;
    const int64_t *at;
    int64_t n, d, rows, skip;
    float *to; /* [rows, d], cleared */
};

static inline int embedding_grad(const osw_call *call,
                                 void (*f)(const struct egrad *))
{
    const osw_tensor *g = osw_arg_tensor(call, 0),
                     *at = osw_arg_tensor(call, 1);
    int64_t d = g->shape[1], rows = osw_arg_int(call, 2, 0),
            shape[2] = {rows, d};
    osw_tensor *out = osw_output(call, 0, g->dtype, 2, shape, NULL);
    float *gs = read_floats(g);
    int64_t *ats = read_ints(at);
    struct egrad e = {gs,
                      ats,
                      osw_numel(at),
                      d,
                      rows,
                      osw_arg_int(call, 3, -1),
                      calloc((size_t)(rows * d) + 16, 4)};

    if (!out || !gs || !ats || !e.to)
        return OSW_ERROR;
    f(&e);
    write_floats(out, e.to);
    free(gs);
    free(ats);
    free(e.to);
    return 0;
}

#endif
