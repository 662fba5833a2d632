/* matmul_pass__split_k.c - parts of k to a workspace, added in a fixed order */
#include "matmul.h"

enum { PARTS = 4 };

struct split {
    struct matmul g;
    float *part; /* [PARTS, m, n] */
};

ITEM void part(const struct split *s, int64_t at)
{
    int64_t mn = s->g.m * s->g.n, q = at / mn, i = at % mn / s->g.n;

    s->part[at] = matmul_part(&s->g, i, at % s->g.n, s->g.k * q / PARTS,
                              s->g.k * (q + 1) / PARTS);
}

EACH(part, struct split)

ITEM void join(const struct split *s, int64_t at)
{
    float sum = 0;

    for (int64_t q = 0; q < PARTS; q++)
        sum += s->part[q * s->g.m * s->g.n + at];
    matmul_set(&s->g, at / s->g.n, at % s->g.n, (double)sum);
}

EACH(join, struct split)

int matmul_kernel_impl(const osw_call *call)
{
    struct split s;
    int rc = matmul_open(call, &s.g);
    int64_t mn = rc ? 0 : s.g.m * s.g.n;

    if (rc || mn == 0)
        return rc;
    s.part = (float *)osw_workspace(call, (size_t)(PARTS * mn) * sizeof(float));
    if (!s.part)
        return OSW_ERROR;
    part_each(call, &s, PARTS * mn);
    join_each(call, &s, mn);
    return 0;
}
