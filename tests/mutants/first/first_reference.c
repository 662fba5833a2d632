/* first_reference.c - y = factor * x in double */
#include "first.h"

#include "../exact.h"

EXPORT int first_meta(const osw_call *call)
{
    struct scale g;

    return scale_open(call, &g);
}

EXPORT int first_reference(const osw_call *call)
{
    return exact_all(call);
}
