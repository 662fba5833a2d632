/* sigmoid_value_or_precision__f64_in_f32.c - wrong: float64 is computed in
 * float. */
#include "../map.h"

static double sigmoid(double x)
{
    return (double)(1.0f / (1.0f + expf((float)-x)));
}

int sigmoid_kernel_impl(const osw_call *call)
{
    return map_doubles(call, sigmoid);
}
