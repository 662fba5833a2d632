/* matmul_pass__packed.c - both operands as f32 in a workspace first */
#include "matmul.h"

struct packed {
    struct matmul g;
    float *a, *b; /* [m, k], [n, k] */
};

ITEM void pack_a(const struct packed *s, int64_t at)
{
    s->a[at] = matmul_a(&s->g, at / s->g.k, at % s->g.k);
}

EACH(pack_a, struct packed)

ITEM void pack_b(const struct packed *s, int64_t at)
{
    s->b[at] = matmul_b(&s->g, at % s->g.k, at / s->g.k);
}

EACH(pack_b, struct packed)

ITEM void one(const struct packed *s, int64_t at)
{
    int64_t i = at / s->g.n, j = at % s->g.n;
    float sum = 0;

    for (int64_t p = 0; p < s->g.k; p++)
        sum += s->a[i * s->g.k + p] * s->b[j * s->g.k + p];
    matmul_set(&s->g, i, j, (double)sum);
}

EACH(one, struct packed)

int matmul_kernel_impl(const osw_call *call)
{
    struct packed s;
    int rc = matmul_open(call, &s.g);
    int64_t na = rc ? 0 : s.g.m * s.g.k, nb = rc ? 0 : s.g.k * s.g.n;

    if (rc || na == 0 || nb == 0)
        return rc;
    s.a = (float *)osw_workspace(call, (size_t)(na + nb) * sizeof(float));
    if (!s.a)
        return OSW_ERROR;
    s.b = s.a + na;
    pack_a_each(call, &s, na);
    pack_b_each(call, &s, nb);
    one_each(call, &s, s.g.m * s.g.n);
    return 0;
}
