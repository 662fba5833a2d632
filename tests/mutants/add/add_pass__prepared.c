/* add_pass__prepared.c - opens its operands once, in prepare */
#include <stdlib.h>

#include "add.h"

struct prepared {
    double alpha;
};

EXPORT int add_prepare(const osw_call *call, void **state)
{
    struct prepared *p = (struct prepared *)malloc(sizeof(*p));

    if (!p)
        return OSW_ERROR;
    p->alpha = osw_arg_float(call, 2, 1.0);
    *state = p;
    return 0;
}

EXPORT void add_finish(void *state)
{
    free(state);
}

ITEM void one(const struct add *g, int64_t i)
{
    add_right(g, i);
}

EACH(one, struct add)

int add_kernel_impl(const osw_call *call)
{
    const struct prepared *p = (const struct prepared *)call->state;
    struct add g;
    int rc = add_open(call, &g);

    if (rc || !p)
        return rc ? rc : OSW_ERROR;
    g.alpha = p->alpha;
    one_each(call, &g, g.n);
    return 0;
}
