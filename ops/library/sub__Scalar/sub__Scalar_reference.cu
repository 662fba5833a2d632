/* sub.Scalar - self - alpha * other */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .none = {0, 0, 1}, .promote = 3, .no_bool = 1};

struct formula : osw_reference_formula {
    static OSW_HD double real(const double *x)
    {
        return x[0] - x[2] * x[1];
    }

    static OSW_HD int64_t integer(const int64_t *x)
    {
        return (int64_t)((uint64_t)x[0] - (uint64_t)x[2] * (uint64_t)x[1]);
    }
};

extern "C" int sub__Scalar_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int sub__Scalar_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
