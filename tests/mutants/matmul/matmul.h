/* matmul.h - what the implementations of this op share: c = a @ b */
#ifndef OSW_TESTS_MATMUL_H
#define OSW_TESTS_MATMUL_H

#include "../mutant.h"

EXPORT int matmul_kernel_impl(const osw_call *call);

struct matmul {
    struct view a, b, c; /* [m, k], [k, n], [m, n] */
    int64_t m, n, k;
};

static inline int matmul_open(const osw_call *call, struct matmul *g)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    int64_t shape[2];
    osw_tensor *c;

    if (!a || !b || a->ndim != 2 || b->ndim != 2)
        return OSW_UNSUPPORTED;
    shape[0] = g->m = a->shape[0];
    shape[1] = g->n = b->shape[1];
    g->k = a->shape[1];
    c = osw_output(call, 0, a->dtype, 2, shape, NULL);
    if (!c)
        return OSW_ERROR;
    g->a = view_of(a);
    g->b = view_of(b);
    g->c = view_of(c);
    return 0;
}

ITEM float matmul_a(const struct matmul *g, int64_t i, int64_t p)
{
    int64_t at = i * g->a.stride[0] + p * g->a.stride[1];

    return (float)osw_load(g->a.dtype, view_at(&g->a, at));
}

ITEM float matmul_b(const struct matmul *g, int64_t p, int64_t j)
{
    int64_t at = p * g->b.stride[0] + j * g->b.stride[1];

    return (float)osw_load(g->b.dtype, view_at(&g->b, at));
}

ITEM void matmul_set(const struct matmul *g, int64_t i, int64_t j, double v)
{
    osw_store(g->c.dtype, view_at(&g->c, i * g->n + j), v);
}

/* The terms [from, to) of one element. */
ITEM float matmul_part(const struct matmul *g, int64_t i, int64_t j,
                       int64_t from, int64_t to)
{
    float sum = 0;

    for (int64_t p = from; p < to; p++)
        sum += matmul_a(g, i, p) * matmul_b(g, p, j);
    return sum;
}

/* One right element, the plainest way. */
ITEM void matmul_right(const struct matmul *g, int64_t at)
{
    int64_t i = at / g->n, j = at % g->n;

    matmul_set(g, i, j, (double)matmul_part(g, i, j, 0, g->k));
}

/* An implementation from what one element is: float element(g, i, j). */
#define MATMUL_ELEMENTS(element)                                               \
    ITEM void set_##element(const struct matmul *g, int64_t at)                \
    {                                                                          \
        int64_t i = at / g->n, j = at % g->n;                                  \
                                                                               \
        matmul_set(g, i, j, (double)element(g, i, j));                         \
    }                                                                          \
    EACH(set_##element, struct matmul)                                         \
    int matmul_kernel_impl(const osw_call *call)                               \
    {                                                                          \
        struct matmul g;                                                       \
        int rc = matmul_open(call, &g);                                        \
                                                                               \
        if (!rc)                                                               \
            set_##element##_each(call, &g, g.m *g.n);                          \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_MATMUL_H */
