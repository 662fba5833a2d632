/* pow.Tensor_Scalar - self to the power of a number */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct formula : osw_reference_formula {
    static OSW_HD double real(const double *x)
    {
        return pow(x[0], x[1]);
    }

    static OSW_HD int64_t integer(const int64_t *x)
    {
        uint64_t y = 1;

        if (x[1] < 0) /* PyTorch refuses; only 1 and -1 have a power */
            return x[0] == 1 ? 1 : x[0] == -1 ? (x[1] & 1 ? -1 : 1) : 0;
        for (int64_t i = 0; i < x[1]; i++)
            y *= (uint64_t)x[0];
        return (int64_t)y;
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
