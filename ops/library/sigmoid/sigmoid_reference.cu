/* sigmoid - 1 / (1 + exp(-self)), of integers as f32 */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .floating = 1};

struct formula : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return 1.0 / (1.0 + exp(-x[0]));
    }
};

extern "C" int sigmoid_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int sigmoid_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
