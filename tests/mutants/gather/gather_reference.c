/* gather_reference.c - y[i, :] = table[index[i], :] */
#include "gather.h"

ITEM void one(const struct gather *g, int64_t at)
{
    gather_right(g, at);
}

EACH(one, struct gather)

EXPORT int gather_meta(const osw_call *call)
{
    struct gather g;

    return gather_open(call, &g);
}

EXPORT int gather_reference(const osw_call *call)
{
    struct gather g;
    int rc = gather_open(call, &g);

    if (!rc)
        one_each(call, &g, g.n * g.d);
    return rc;
}
