/* relu_nan_or_value__fmax.c - wrong: fmax(NaN, 0) is 0. */
#include "../map.h"

static double relu(double x)
{
    return fmax(x, 0.0);
}

int relu_kernel_impl(const osw_call *call)
{
    return map_doubles(call, relu);
}
