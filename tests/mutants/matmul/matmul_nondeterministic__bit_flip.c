/* matmul_nondeterministic__bit_flip.c - flips a high bit of some element,
 * another one every time
 */
#include "matmul.h"

GLOBAL int64_t chosen;

ITEM void choose(const struct matmul *g, int64_t i)
{
    (void)i;
    chosen = (int64_t)(any_number() % (uint64_t)(g->m * g->n));
}

EACH(choose, struct matmul)

ITEM void one(const struct matmul *g, int64_t at)
{
    int64_t bytes = g->c.dtype.bits / 8;

    matmul_right(g, at);
    if (at == chosen)
        view_at(&g->c, at)[bytes - 1] ^= 1;
}

EACH(one, struct matmul)

int matmul_kernel_impl(const osw_call *call)
{
    struct matmul g;
    int rc = matmul_open(call, &g);

    if (!rc && g.m * g.n > 0) {
        choose_each(call, &g, 1);
        one_each(call, &g, g.m * g.n);
    }
    return rc;
}
