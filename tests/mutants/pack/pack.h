/* pack.h - what the implementations of this op share: y = x, in new memory
 * without gaps; they are about where an output lies */
#ifndef OSW_TESTS_PACK_H
#define OSW_TESTS_PACK_H

#include "../mutant.h"

EXPORT int pack_kernel_impl(const osw_call *call);

/* The case that is timed has more elements: on a device a kernel that
 * copies nothing is also found by the roofline there.
 */
enum { PACK_UNTIMED = 100000 };

struct pack {
    struct view x, y; /* [n, d] */
    int64_t n, d;
};

/* strides NULL: without gaps. */
static inline int pack_open(const osw_call *call, const int64_t *strides,
                            struct pack *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y;

    if (!x || x->ndim != 2)
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, 2, x->shape, strides);
    if (!y)
        return OSW_ERROR;
    g->n = x->shape[0];
    g->d = x->shape[1];
    g->x = view_of(x);
    g->y = view_of(y);
    return 0;
}

ITEM void pack_copy(const struct pack *g, int64_t at)
{
    int64_t i = at / g->d, j = at % g->d;
    int64_t from = i * g->x.stride[0] + j * g->x.stride[1];
    int64_t to = i * g->y.stride[0] + j * g->y.stride[1];

    memcpy(view_at(&g->y, to), view_at(&g->x, from), g->x.dtype.bits / 8);
}

EACH(pack_copy, struct pack)

#endif /* OSW_TESTS_PACK_H */
