/* ops/library/gelu_backward/gelu_backward_reference.cu - grad * gelu'(x), in
 * double; operands are (x, grad)
 */
#include "../shared/elementwise_reference.cuh"
#include "../shared/gelu.h"

/* d/dx of x * cdf(x) is cdf(x) + x * pdf(x). */
struct by_erf : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        double v = x[0], cdf = 0.5 * (1.0 + erf(v * OSW_GELU_SQRT_HALF));

        return x[1] * (cdf + v * OSW_GELU_DENSITY * exp(-0.5 * v * v));
    }
};

struct by_tanh : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        double v = x[0];
        double u = OSW_GELU_SQRT_2_PI * (v + OSW_GELU_CUBE * v * v * v);
        double du = OSW_GELU_SQRT_2_PI * (1.0 + 3.0 * OSW_GELU_CUBE * v * v);
        double t = tanh(u);

        return x[1] * (0.5 * (1.0 + t) + 0.5 * v * (1.0 - t * t) * du);
    }
};

extern "C" int gelu_backward_meta(const osw_call *call)
{
    struct osw_gelu g = {};

    return osw_gelu_open(call, &g, 1);
}

extern "C" int gelu_backward_reference(const osw_call *call)
{
    struct osw_gelu g = {};
    struct osw_rule_plan plan;
    int rc = osw_gelu_open(call, &g, 1);

    if (rc)
        return rc;
    osw_gelu_plan(&g, &plan);
    if (g.tanh)
        return osw_reference_apply<by_tanh>(call, &plan, 2, g.out);
    return osw_reference_apply<by_erf>(call, &plan, 2, g.out);
}
