/* ne.Scalar - self != other */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .result = OSW_RULE_BOOL};

struct formula : osw_reference_formula {
    static OSW_HD double real(const double *x)
    {
        return x[0] != x[1];
    }

    static OSW_HD int64_t integer(const int64_t *x)
    {
        return x[0] != x[1];
    }
};

extern "C" int ne__Scalar_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int ne__Scalar_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
