/* whole_reference.c - the value in an integer dtype */
#include "whole.h"

ITEM void one(const struct cast *g, int64_t i)
{
    cast_right(g, i);
}

EACH(one, struct cast)

EXPORT int whole_meta(const osw_call *call)
{
    struct cast g;

    return cast_open(call, &g);
}

EXPORT int whole_reference(const osw_call *call)
{
    struct cast g;
    int rc = cast_open(call, &g);

    if (!rc)
        one_each(call, &g, g.n);
    return rc;
}
