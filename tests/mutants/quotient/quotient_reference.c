/* quotient_reference.c - the quotient in integers */
#include "quotient.h"

ITEM void one(const struct quotient *g, int64_t i)
{
    quotient_set(g, i, quotient_right(quotient_x(g, i), g->by));
}

EACH(one, struct quotient)

EXPORT int quotient_meta(const osw_call *call)
{
    struct quotient g;

    return quotient_open(call, &g);
}

EXPORT int quotient_reference(const osw_call *call)
{
    struct quotient g;
    int rc = quotient_open(call, &g);

    if (!rc)
        one_each(call, &g, g.n);
    return rc;
}
