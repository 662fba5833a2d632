/* add_pass__copy_then_add.c - copies a, adds to what it wrote, in a workspace
 *
 */
#include "add.h"

struct summed {
    struct add g;
    double *sum; /* [n] */
};

ITEM void copy(const struct summed *s, int64_t i)
{
    s->sum[i] = add_a(&s->g, i);
}

EACH(copy, struct summed)

ITEM void join(const struct summed *s, int64_t i)
{
    s->sum[i] += s->g.alpha * add_b(&s->g, i);
    view_set(&s->g.y, i, s->sum[i]);
}

EACH(join, struct summed)

int add_kernel_impl(const osw_call *call)
{
    struct summed s;
    int rc = add_open(call, &s.g);

    if (rc || s.g.n == 0)
        return rc;
    s.sum = (double *)osw_workspace(call, (size_t)s.g.n * sizeof(double));
    if (!s.sum)
        return OSW_ERROR;
    copy_each(call, &s, s.g.n);
    join_each(call, &s, s.g.n);
    return 0;
}
