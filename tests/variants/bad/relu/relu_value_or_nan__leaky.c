/* relu_value_or_nan__leaky.c - wrong: negative numbers keep a thousandth of a
 * percent. */
#include "../map.h"

static double relu(double x)
{
    return x < 0.0 ? x * 1e-4 : x;
}

int relu_kernel_impl(const osw_call *call)
{
    return map_doubles(call, relu);
}
