/* ops/library/gelu/gelu_reference.c - x times the normal distribution, or its
 * approximation by tanh, in double
 */
#include "../gelu.h"

int gelu_meta(const osw_call *call)
{
    struct osw_gelu g = {0};

    return osw_gelu_open(call, &g, 0);
}

static double gelu(double x, int by_tanh)
{
    if (by_tanh)
        return 0.5 * x *
               (1.0 +
                tanh(OSW_GELU_SQRT_2_PI * (x + OSW_GELU_CUBE * x * x * x)));
    return 0.5 * x * (1.0 + erf(x * OSW_GELU_SQRT_HALF));
}

int gelu_reference(const osw_call *call)
{
    struct osw_gelu g = {0};
    int rc = osw_gelu_open(call, &g, 0);
    double *exact = rc ? NULL : osw_output_exact(call, 0);

    if (!exact)
        return rc ? rc : OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(g.x); i++)
        exact[i] = gelu(osw_get(g.x, i), g.tanh);
    return 0;
}
