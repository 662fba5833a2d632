/* relu_pass__compare.c - x < 0 ? 0 : x keeps NaN. */
#include "../map.h"

static double relu(double x)
{
    return x < 0.0 ? 0.0 : x;
}

int relu_kernel_impl(const osw_call *call)
{
    return map_doubles(call, relu);
}
