/* silu_reference.c - x / (1 + exp(-x)); -inf has the limit 0 by x * sigmoid =
 * NaN in IEEE. */
#include "../map.h"

static double silu(double x)
{
    return x / (1.0 + exp(-x));
}

int silu_reference(const osw_call *call)
{
    return map_exact(call, silu);
}
