/* cast_reference.c - the value in another dtype, rounded once */
#include "cast.h"

ITEM void one(const struct cast *g, int64_t i)
{
    cast_right(g, i);
}

EACH(one, struct cast)

EXPORT int cast_meta(const osw_call *call)
{
    struct cast g;

    return cast_open(call, &g);
}

EXPORT int cast_reference(const osw_call *call)
{
    struct cast g;
    int rc = cast_open(call, &g);

    if (!rc)
        one_each(call, &g, g.n);
    return rc;
}
