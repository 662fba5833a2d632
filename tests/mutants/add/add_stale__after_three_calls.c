/* add_stale__after_three_calls.c - right three times, then no longer */
#include "add.h"

GLOBAL int calls;

ITEM void count(const struct add *g, int64_t i)
{
    (void)g;
    calls += i == 0;
}

EACH(count, struct add)

ITEM void one(const struct add *g, int64_t i)
{
    view_set(&g->y, i, calls < 3 ? add_sum(g, i) : add_a(g, i));
}

EACH(one, struct add)

int add_kernel_impl(const osw_call *call)
{
    struct add g;
    int rc = add_open(call, &g);

    if (!rc) {
        one_each(call, &g, g.n);
        count_each(call, &g, 1);
    }
    return rc;
}
