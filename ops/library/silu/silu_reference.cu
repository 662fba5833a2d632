/* silu - self * sigmoid(self) */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

struct formula : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return x[0] / (1.0 + exp(-x[0]));
    }
};

extern "C" int silu_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int silu_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
