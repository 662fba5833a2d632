/* life_reference.c - y = factor * x in double */
#include "life.h"

#include "../exact.h"

EXPORT int life_meta(const osw_call *call)
{
    struct scale g;

    return scale_open(call, &g);
}

EXPORT int life_reference(const osw_call *call)
{
    return exact_all(call);
}
