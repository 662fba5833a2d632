/* scale_stale__wrong_after_40_calls.c - right forty times, then by something
 * else
 */
#include "scale.h"

enum { CALLS = 40 };

GLOBAL int calls;

ITEM void count(const struct scale *g, int64_t i)
{
    (void)g;
    calls += i == 0;
}

EACH(count, struct scale)

ITEM void one(const struct scale *g, int64_t i)
{
    g->y[i] = (calls < CALLS ? g->factor : 1.0f) * g->x[i];
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
