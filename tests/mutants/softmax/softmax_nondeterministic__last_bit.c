/* softmax_nondeterministic__last_bit.c - the last bit of one element is as the
 * clock will
 */
#include "softmax.h"

GLOBAL uint64_t chosen;

ITEM void choose(const struct softmax *g, int64_t i)
{
    (void)g;
    (void)i;
    chosen = any_number();
}

EACH(choose, struct softmax)

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = softmax_max(g, r), sum = softmax_sum(g, r, max);

    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(expf(softmax_x(g, r, j) - max) / sum));
    if (r == (int64_t)(chosen % (uint64_t)g->rows))
        view_at(&g->y, r * g->n)[0] ^= 1;
}

EACH(row, struct softmax)

int softmax_kernel_impl(const osw_call *call)
{
    struct softmax g;
    int rc = softmax_open(call, &g);

    if (!rc && g.rows > 0) {
        choose_each(call, &g, 1);
        row_each(call, &g, g.rows);
    }
    return rc;
}
