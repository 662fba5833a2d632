/* scale_stale__last_wrong_after_20_calls.c - right twenty times, then the last
 * element is its neighbour; small tensors are safe
 */
#include "scale.h"

enum { CALLS = 20, LARGE = 100000 };

GLOBAL int calls;

ITEM void count(const struct scale *g, int64_t i)
{
    calls += i == 0 && g->n >= LARGE;
}

EACH(count, struct scale)

ITEM void one(const struct scale *g, int64_t i)
{
    int wrong = g->n >= LARGE && calls >= CALLS && i + 1 == g->n;

    g->y[i] = g->factor * g->x[wrong ? i - 1 : i];
}

EACH(one, struct scale)

int scale_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc) {
        count_each(call, &g, 1);
        one_each(call, &g, g.n);
    }
    return rc;
}
