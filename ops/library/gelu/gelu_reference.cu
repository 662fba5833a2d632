/* ops/library/gelu/gelu_reference.cu - x times the normal distribution, or its
 * approximation by tanh, in double
 */
#include "../shared/elementwise_reference.cuh"
#include "../shared/gelu.h"

struct by_erf : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return 0.5 * x[0] * (1.0 + erf(x[0] * OSW_GELU_SQRT_HALF));
    }
};

struct by_tanh : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        double u = x[0] + OSW_GELU_CUBE * x[0] * x[0] * x[0];

        return 0.5 * x[0] * (1.0 + tanh(OSW_GELU_SQRT_2_PI * u));
    }
};

extern "C" int gelu_meta(const osw_call *call)
{
    struct osw_gelu g = {};

    return osw_gelu_open(call, &g, 0);
}

extern "C" int gelu_reference(const osw_call *call)
{
    struct osw_gelu g = {};
    struct osw_rule_plan plan;
    int rc = osw_gelu_open(call, &g, 0);

    if (rc)
        return rc;
    osw_gelu_plan(&g, &plan);
    if (g.tanh)
        return osw_reference_apply<by_tanh>(call, &plan, 1, g.out);
    return osw_reference_apply<by_erf>(call, &plan, 1, g.out);
}
