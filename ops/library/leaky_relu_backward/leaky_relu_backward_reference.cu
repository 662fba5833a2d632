/* leaky_relu_backward - grad_output where self is above 0, else grad_output *
 * negative_slope
 */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

struct formula : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return x[1] > 0.0 ? x[0] : x[0] * x[2];
    }
};

extern "C" int leaky_relu_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int leaky_relu_backward_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
