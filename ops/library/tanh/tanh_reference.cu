/* tanh - hyperbolic tangent, of integers as f32 */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .floating = 1};

struct formula : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return tanh(x[0]);
    }
};

extern "C" int tanh_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int tanh_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
