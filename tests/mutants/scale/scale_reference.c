/* scale_reference.c - y = factor * x in double */
#include "scale.h"

#include "../exact.h"

EXPORT int scale_meta(const osw_call *call)
{
    struct scale g;

    return scale_open(call, &g);
}

EXPORT int scale_reference(const osw_call *call)
{
    return exact_all(call);
}
