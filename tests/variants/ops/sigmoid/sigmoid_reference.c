/* sigmoid_reference.c - 1 / (1 + exp(-x)) in double. */
#include "../map.h"

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

int sigmoid_reference(const osw_call *call)
{
    return map_exact(call, sigmoid);
}
