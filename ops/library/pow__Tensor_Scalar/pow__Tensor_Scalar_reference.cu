/* pow.Tensor_Scalar - self to the power of a number */
#include "../shared/elementwise_reference.cuh"
#include "../shared/power.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct formula : osw_reference_formula {
    static OSW_HD double real(const double *x)
    {
        return pow(x[0], x[1]);
    }

    static OSW_HD int64_t integer(const int64_t *x)
    {
        return osw_int_power(x[0], x[1]);
    }
};

extern "C" int pow__Tensor_Scalar_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int pow__Tensor_Scalar_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}
