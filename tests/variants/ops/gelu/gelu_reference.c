/* gelu_reference.c - x * Phi(x), or its approximation by tanh, in double. */
#include "../map.h"

static double exact_gelu(double x)
{
    return 0.5 * x * erfc(-x * 0.70710678118654752440);
}

static double tanh_gelu(double x)
{
    return 0.5 * x *
           (1.0 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

int gelu_reference(const osw_call *call)
{
    const osw_arg *a = osw_arg_at(call, 1);
    int by_tanh = a->tag == OSW_ARG_STRING && a->n == 4 && a->u.s[0] == 't';

    return map_exact(call, by_tanh ? tanh_gelu : exact_gelu);
}
