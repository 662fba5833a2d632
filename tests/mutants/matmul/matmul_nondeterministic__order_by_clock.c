/* matmul_nondeterministic__order_by_clock.c - starts its sums anywhere, as
 * atomics would
 */
#include "matmul.h"

GLOBAL int64_t start;

ITEM void choose(const struct matmul *g, int64_t i)
{
    (void)i;
    start = g->k ? (int64_t)(any_number() % (uint64_t)g->k) : 0;
}

EACH(choose, struct matmul)

ITEM void one(const struct matmul *g, int64_t at)
{
    int64_t i = at / g->n, j = at % g->n;
    float sum = matmul_part(g, i, j, start, g->k);

    for (int64_t p = 0; p < start; p++)
        sum += matmul_a(g, i, p) * matmul_b(g, p, j);
    matmul_set(g, i, j, (double)sum);
}

EACH(one, struct matmul)

int matmul_kernel_impl(const osw_call *call)
{
    struct matmul g;
    int rc = matmul_open(call, &g);

    if (!rc) {
        choose_each(call, &g, 1);
        one_each(call, &g, g.m * g.n);
    }
    return rc;
}
