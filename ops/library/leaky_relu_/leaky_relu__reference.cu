/* leaky_relu_ - self *= negative_slope where it is not above 0 */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 1, .result = OSW_RULE_IN_PLACE};

struct formula : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return x[0] > 0.0 ? x[0] : x[0] * x[1];
    }
};

extern "C" int leaky_relu__meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int leaky_relu__reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
