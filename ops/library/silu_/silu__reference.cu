/* silu_ - self *= sigmoid(self) */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

struct formula : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return x[0] / (1.0 + exp(-x[0]));
    }
};

extern "C" int silu__meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int silu__reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
