/* sigmoid_pass__by_tanh.c - (1 + tanh(x / 2)) / 2: as good within the tolerance
 * of zero. */
#include "../map.h"

static double sigmoid(double x)
{
    return 0.5 + 0.5 * tanh(0.5 * x);
}

int sigmoid_kernel_impl(const osw_call *call)
{
    return map_doubles(call, sigmoid);
}
