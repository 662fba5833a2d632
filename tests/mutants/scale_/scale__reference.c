/* scale__reference.c - x = factor * x in double */
#include "scale_.h"

#include "../exact.h"

EXPORT int scale__meta(const osw_call *call)
{
    struct scale g;

    return scale_open(call, &g);
}

EXPORT int scale__reference(const osw_call *call)
{
    return exact_all(call);
}
