/* div.Tensor - self / other, of integers as f32 */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .floating = 1};

struct formula : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return x[0] / x[1];
    }
};

extern "C" int div__Tensor_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int div__Tensor_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
