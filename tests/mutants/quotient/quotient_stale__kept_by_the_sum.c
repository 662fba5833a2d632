/* quotient_stale__kept_by_the_sum.c - gives the last result again when
 * the inputs have the same sum
 */
#include "quotient.h"

enum { KEPT = 2048 };

GLOBAL int64_t kept[KEPT];
GLOBAL uint64_t last_sum;
GLOBAL int known;

ITEM void all(const struct quotient *g, int64_t unused)
{
    uint64_t sum = 0;

    (void)unused;
    for (int64_t i = 0; i < g->n; i++)
        sum += (uint64_t)quotient_x(g, i);
    for (int64_t i = 0; i < g->n; i++) {
        if (!known || sum != last_sum)
            kept[i] = quotient_right(quotient_x(g, i), g->by);
        quotient_set(g, i, kept[i]);
    }
    known = 1;
    last_sum = sum;
}

EACH(all, struct quotient)

int quotient_kernel_impl(const osw_call *call)
{
    struct quotient g;
    int rc = quotient_open(call, &g);

    if (rc || g.n > KEPT)
        return rc ? rc : OSW_UNSUPPORTED;
    all_each(call, &g, 1);
    return 0;
}
