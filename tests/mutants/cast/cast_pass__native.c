/* cast_pass__native.c - what the compiler makes of it */
#include "cast.h"

static void one(const struct cast *g, int64_t i)
{
    double v = view_get(&g->x, i);

    if (cast_to(g, OSW_FLOAT, 64))
        memcpy(view_at(&g->y, i), &v, sizeof(v));
    else
        cast_right(g, i);
}

int cast_kernel_impl(const osw_call *call)
{
    struct cast g;
    int rc = cast_open(call, &g);

    for (int64_t i = 0; !rc && i < g.n; i++)
        one(&g, i);
    return rc;
}
