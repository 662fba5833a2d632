/* tests/variants/ops/product.h - c = a @ b of any strides, as packed floats */
#ifndef VARIANTS_PRODUCT_H
#define VARIANTS_PRODUCT_H

#include "variants.h"

/* c [m, n] = a [m, k] @ b [k, n]; c is cleared. */
typedef void product_fn(const float *a, const float *b, float *c, int64_t m,
                        int64_t n, int64_t k);

static inline int product(const osw_call *call, product_fn *f)
{
    const osw_tensor *ta = osw_arg_tensor(call, 0);
    const osw_tensor *tb = osw_arg_tensor(call, 1);
    int64_t shape[2];
    osw_tensor *out;
    float *a, *b, *c;

    if (!ta || !tb || ta->ndim != 2 || is_double(ta))
        return OSW_UNSUPPORTED;
    shape[0] = ta->shape[0];
    shape[1] = tb->shape[1];
    out = osw_output(call, 0, ta->dtype, 2, shape, NULL);
    a = read_floats(ta);
    b = read_floats(tb);
    c = calloc((size_t)(shape[0] * shape[1]) + 64, sizeof(float));
    if (!out || !a || !b || !c)
        return OSW_ERROR;
    f(a, b, c, shape[0], shape[1], ta->shape[1]);
    write_floats(out, c);
    free(a);
    free(b);
    free(c);
    return 0;
}

#endif
