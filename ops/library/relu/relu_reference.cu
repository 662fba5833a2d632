/* relu - max(self, 0), NaN kept */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .no_bool = 1};

struct formula : osw_reference_formula {
    static OSW_HD double real(const double *x)
    {
        return x[0] != x[0] || x[0] > 0.0 ? x[0] : 0.0;
    }

    static OSW_HD int64_t integer(const int64_t *x)
    {
        return x[0] > 0 ? x[0] : 0;
    }
};

extern "C" int relu_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int relu_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
